from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.core.chance import generator
from headcount.core.errors import BadInput, UnknownName
from headcount.data.formats import Sentence
from headcount.lab.grammar import LANGUAGES, SOVAMI, SVONA, VSORU, Language, language, lexicon, realise
from headcount.lab.lexicon import LESSER_TWINS, SCRIPTS, Sounds, grow, shared, suffixed, write_in
from headcount.lab.meaning import (
    CONCEPTS,
    LONGEST,
    NOUNS,
    SHORTEST,
    VERBS,
    Habits,
    Meaning,
    Place,
    Thing,
    gloss,
    sample,
)

TAGS = {"NOUN", "VERB", "AUX", "DET", "ADJ", "ADV", "ADP", "PRON", "NUM", "CCONJ", "PART", "PUNCT"}
RELATIONS = {
    "nsubj": {"NOUN", "PRON"},
    "obj": {"NOUN", "PRON"},
    "obl": {"NOUN"},
    "conj": {"NOUN"},
    "case": {"ADP"},
    "det": {"DET"},
    "amod": {"ADJ"},
    "nummod": {"NUM"},
    "advmod": {"ADV", "PART"},
    "aux": {"AUX"},
    "mark": {"PART"},
    "cc": {"CCONJ"},
    "xcomp": {"VERB"},
    "root": {"VERB"},
    "punct": {"PUNCT"},
}
DOGS = Thing(concept="dog", plural=True, determiner="the/many", adjectives=("small",))
TREE = Thing(concept="tree", determiner="a")
SEEING = Meaning(predicate="see", agent=DOGS, tense="past", patient=TREE)
GOLDEN = {
    "svona": "sa tabi navu ka luva tril pera .",
    "sovami": "ne vuhy meser pos peran te vinyner .",
    "vsoru": "kas luva sa navu doro ci glica .",
}

languages = st.sampled_from(list(LANGUAGES.values()))
meanings = st.integers(0, 10**6).map(lambda seed: sample(generator(seed, "test")))
quick = settings(deadline=None, max_examples=150, database=None)


def places(sentence: Sentence, relation: str) -> list[int]:
    return [place for place, word in enumerate(sentence.words, start=1) if word.relation == relation]


def tags(sentence: Sentence) -> list[str]:
    return [word.upos for word in sentence.words]


def words_of(meaning: Meaning, tongue: Language) -> dict[tuple[str, str], str]:
    return {(word.upos, word.relation): word.form for word in realise(meaning, tongue).words}


@quick
@given(meaning=meanings, tongue=languages)
def test_every_sentence_is_one_projective_tree_of_known_tags_and_relations(meaning, tongue):
    words = realise(meaning, tongue).words
    heads = [word.head for word in words]
    assert heads.count(0) == 1
    for start in range(1, len(words) + 1):
        place, steps = start, 0
        while place:
            place, steps = heads[place - 1], steps + 1
            assert steps <= len(words), "a cycle"
    arcs = [(min(place, head), max(place, head)) for place, head in enumerate(heads, start=1)]
    assert not any(a < c < b < d for a, b in arcs for c, d in arcs), "two arcs cross"
    for word in words:
        assert word.upos in TAGS
        assert word.upos in RELATIONS[word.relation]


@quick
@given(meaning=meanings, tongue=languages)
def test_words_and_sentences_have_human_lengths(meaning, tongue):
    words = realise(meaning, tongue).words
    assert SHORTEST <= len(words) <= LONGEST
    assert all(2 <= len(word.form) <= 8 for word in words[:-1])
    assert words[-1][:2] == (".", "PUNCT")
    assert len(gloss(meaning).split()) + 1 == len(words)


@quick
@given(meaning=meanings, tongue=languages)
def test_the_order_of_subject_verb_and_object_is_the_declared_one(meaning, tongue):
    sentence = realise(meaning, tongue)
    found = {"S": places(sentence, "nsubj"), "V": places(sentence, "root"), "O": places(sentence, "obj")}
    order = [found[letter][0] for letter in tongue.order if found[letter]]
    assert order == sorted(order)
    assert (len(found["O"]) == 1) == (meaning.patient is not None)


@quick
@given(meaning=meanings, tongue=languages)
def test_adjectives_and_adpositions_stand_on_their_declared_side(meaning, tongue):
    sentence = realise(meaning, tongue)
    for relation, side in (("amod", tongue.adjective), ("case", tongue.adposition)):
        for place in places(sentence, relation):
            assert (place < sentence.words[place - 1].head) == (side == "before")


@quick
@given(meaning=meanings, tongue=languages)
def test_the_word_before_a_verb_is_its_auxiliary_or_marker(meaning, tongue):
    found = tags(realise(meaning, tongue))
    if meaning.tense != "habit":
        assert all(found[place - 1] in ("AUX", "PART") for place, tag in enumerate(found) if tag == "VERB")


@quick
@given(meaning=meanings)
def test_a_meaning_has_the_same_content_in_all_languages(meaning):
    counted = {name: sorted(tags(realise(meaning, tongue))) for name, tongue in LANGUAGES.items()}
    assert counted["svona"] == counted["sovami"] == counted["vsoru"]


def test_one_sentence_in_three_languages_as_it_has_always_been_said():
    """Shipped models were trained on these words: a change here asks for new checkpoints."""
    assert gloss(SEEING) == "the small dogs did see a tree."
    said = {name: " ".join(word.form for word in realise(SEEING, tongue).words) for name, tongue in LANGUAGES.items()}
    assert said == GOLDEN


def test_an_agglutinative_language_marks_number_case_and_tense():
    noun, verb = lexicon(SOVAMI).of("NOUN"), lexicon(SOVAMI).of("VERB")
    said = words_of(SEEING, SOVAMI)
    assert said["NOUN", "nsubj"] == suffixed(noun["dog"], ["r"])
    assert said["NOUN", "obj"] == suffixed(noun["tree"], ["n"])
    assert said["VERB", "root"] == suffixed(verb["see"], ["n", "r"])
    alone = replace(SEEING, agent=replace(DOGS, plural=False), tense="future")
    assert words_of(alone, SOVAMI)["VERB", "root"] == verb["see"]
    assert words_of(alone, SOVAMI)["NOUN", "nsubj"] == noun["dog"]


def test_both_nouns_of_a_pair_bear_the_case_and_the_verb_counts_them():
    pair = replace(TREE, companion=Thing(concept="stone", determiner="a"))
    noun, verb = lexicon(SOVAMI).of("NOUN"), lexicon(SOVAMI).of("VERB")
    assert words_of(replace(SEEING, patient=pair), SOVAMI)["NOUN", "conj"] == suffixed(noun["stone"], ["n"])
    joined = words_of(replace(SEEING, agent=pair, tense="present"), SOVAMI)
    assert joined["VERB", "root"] == suffixed(verb["see"], ["r"])
    assert joined["NOUN", "conj"] == noun["stone"]


def test_pronouns_bear_case_but_no_second_plural():
    us = replace(SEEING, patient=Thing(concept="we", plural=True, pronoun=True))
    assert words_of(us, SOVAMI)["PRON", "obj"] == suffixed(lexicon(SOVAMI).of("PRON")["we"], ["n"])


def test_adjectives_after_the_noun_mirror_those_before_it():
    two = replace(SEEING, agent=replace(DOGS, adjectives=("small", "old")))
    for tongue in (SVONA, VSORU):
        stems = lexicon(tongue).of("ADJ")
        said = [word.form for word in realise(two, tongue).words if word.upos == "ADJ"]
        assert said == [stems["small"], stems["old"]][:: 1 if tongue is SVONA else -1]


def test_nobody_is_named_twice_in_one_pair():
    rng = generator(0, "pairs")
    drawn = [sample(rng, habits=Habits(companion=0.9)) for _ in range(300)]
    pairs = [(one.agent.concept, one.agent.companion.concept) for one in drawn if one.agent.companion]
    assert len(pairs) > 50
    assert all(first != second for first, second in pairs)


def test_isolating_languages_leave_content_words_bare():
    for tongue in (SVONA, VSORU):
        said, stems = words_of(SEEING, tongue), lexicon(tongue).stems
        assert said["NOUN", "nsubj"] == stems["NOUN", "dog"]
        assert said["NOUN", "obj"] == stems["NOUN", "tree"]
        assert said["VERB", "root"] == stems["VERB", "see"]


def test_agreement_falls_where_the_language_declares_it():
    one = replace(SEEING, agent=replace(DOGS, plural=False))
    changed = {
        tongue.name: {
            key[0] for key in words_of(one, tongue) if words_of(one, tongue)[key] != words_of(SEEING, tongue)[key]
        }
        for tongue in (SVONA, VSORU, replace(SVONA, name="svonb", agreement="verb"))
    }
    assert changed == {"svona": set(), "vsoru": {"AUX"}, "svonb": {"VERB"}}


def test_under_an_intent_the_event_becomes_its_complement():
    house = Place(adposition="in", thing=Thing(concept="house", determiner="the"))
    meaning = replace(SEEING, intent="want", place=house, manner="now", negated=True)
    assert gloss(meaning) == "the small dogs did not want to see a tree in the house now."
    orders = {
        name: " ".join(word.relation for word in realise(meaning, tongue).words) for name, tongue in LANGUAGES.items()
    }
    assert orders == {
        "svona": "det amod nsubj advmod aux root mark xcomp det obj case det obl advmod punct",
        "sovami": "det amod nsubj det obl case det obj mark xcomp advmod aux root advmod punct",
        "vsoru": "advmod aux root det nsubj amod mark xcomp det obj case det obl advmod punct",
    }
    for tongue in LANGUAGES.values():
        assert words_of(meaning, tongue)["VERB", "root"].startswith(lexicon(tongue).of("VERB")["want"])
        assert words_of(meaning, tongue)["VERB", "xcomp"] == lexicon(tongue).of("VERB")["see"]


@pytest.mark.parametrize("tongue", LANGUAGES.values(), ids=LANGUAGES)
def test_the_declared_share_of_nouns_are_also_verbs(tongue):
    book = lexicon(tongue)
    nouns = book.of("NOUN")
    assert len(book.homographs("NOUN", "VERB")) == round(tongue.homographs * len(nouns))
    assert 0.35 <= tongue.homographs <= 0.4
    assert len(set(nouns.values())) == len(nouns), "two nouns of one stem"
    assert 250 <= len(set(book.stems.values())) <= 350
    for first, second, _ in LESSER_TWINS:
        assert len(book.homographs(first, second)) >= 2
    assert book.of("PRON")["that"] == book.of("DET")["that"]


@pytest.mark.parametrize("tongue", [SOVAMI, VSORU], ids=["sovami", "vsoru"])
def test_the_declared_share_of_stems_is_cognate_in_every_word_class(tongue):
    book, kin = lexicon(tongue), lexicon(SVONA)
    assert shared(book, kin) == book.cognates, "no chance resemblance, no lost cognate"
    assert len(book.cognates) / len(book.stems) == pytest.approx(tongue.overlap, abs=0.02)
    for tag in ("NOUN", "VERB", "ADJ", "ADV", "DET", "AUX"):
        share = sum(concept[0] == tag for concept in book.cognates) / len(CONCEPTS[tag])
        assert share == pytest.approx(tongue.overlap, abs=0.2)


def test_homographs_of_the_kin_stay_homographs_when_borrowed():
    assert len(lexicon(VSORU).homographs("NOUN", "VERB") & lexicon(SVONA).homographs("NOUN", "VERB")) >= 30


@settings(deadline=None, max_examples=20, database=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 0.4), overlap=st.floats(0, 1))
def test_any_seed_and_share_grow_a_lexicon_that_keeps_its_promises(seed, share, overlap):
    sounds = VSORU.sounds
    book = grow(sounds, homographs=share, rng=generator(seed, "book"), kin=lexicon(SVONA), overlap=overlap)
    assert set(book.stems) == {(tag, name) for tag, names in CONCEPTS.items() for name in names}
    assert shared(book, lexicon(SVONA)) == book.cognates
    assert len(book.cognates) / len(book.stems) == pytest.approx(overlap, abs=0.03)
    wanted = round(share * len(CONCEPTS["NOUN"]))
    inherited = sum(("NOUN", name) in book.cognates for name in book.of("NOUN"))
    assert len(book.homographs("NOUN", "VERB")) >= wanted - inherited
    same = grow(sounds, homographs=share, rng=generator(seed, "book"), kin=lexicon(SVONA), overlap=overlap)
    assert same == book


def test_another_seed_is_another_language():
    assert len(shared(lexicon(SVONA), lexicon(replace(SVONA, seed=1)))) < 20


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_language_may_have_its_own_script_and_nothing_is_lost(script):
    tongue = replace(SOVAMI, script=script)
    back = str.maketrans(SCRIPTS[script], SCRIPTS["latin"])
    said, latin = realise(SEEING, tongue), realise(SEEING, SOVAMI)
    assert [word.form.translate(back) for word in said.words] == [word.form for word in latin.words]
    assert said.words[0].form[0] in SCRIPTS[script]
    assert len(set(SCRIPTS[script])) == len(SCRIPTS["latin"])
    assert lexicon(tongue).stems["NOUN", "dog"] == write_in(script, lexicon(SOVAMI).stems["NOUN", "dog"])


def test_unknown_names_are_told_with_their_neighbour():
    with pytest.raises(UnknownName, match=r"lab language is called 'svana'. Did you mean 'svona'"):
        language("svana")
    with pytest.raises(UnknownName, match="script"):
        write_in("runes", "kalo")
    with pytest.raises(UnknownName, match="word order"):
        realise(SEEING, replace(SVONA, order="OSV"))
    assert language("vsoru") is VSORU


def test_too_few_sounds_are_refused():
    with pytest.raises(BadInput, match="onsets"):
        grow(Sounds(onsets=("p",), vowels="a"), homographs=0.3, rng=generator(0, "poor"))


def test_suffixes_link_where_consonants_would_meet():
    assert suffixed("kalo", ["r", "n"]) == "kaloren"
    assert suffixed("kal", ["n"]) == "kalen"
    assert suffixed("kal", ["i"]) == "kali"


def test_concepts_are_listed_once():
    for tag, names in CONCEPTS.items():
        assert len(set(names)) == len(names), tag
    assert len(CONCEPTS["NOUN"]) == sum(map(len, NOUNS.values()))
    assert CONCEPTS["NOUN"][:4] == ("man", "book", "house", "woman")
    assert set(CONCEPTS["VERB"]) == {name for names in VERBS.values() for name in names}


def test_habits_shape_what_is_said():
    rng = generator(3, "habits")
    silent = Habits(place=0, manner=0, intent=0, negated=0, plural=0, companion=0, pronoun_agent=0)
    drawn = [sample(rng, habits=silent) for _ in range(200)]
    assert not any(one.place or one.manner or one.intent or one.negated or one.agent.several for one in drawn)
    assert not any(one.agent.pronoun for one in drawn)
    shy = [sample(rng, habits=Habits(pronoun_agent=1)) for _ in range(50)]
    assert all(one.agent.pronoun or one.patient is None for one in shy)
    assert sum(one.agent.pronoun for one in shy) > 40


def test_sampling_leaves_the_global_generator_alone_and_repeats():
    before = np.random.get_state()[1].copy()
    assert [sample(generator(5, "x")) for _ in range(3)] == [sample(generator(5, "x"))] * 3
    assert (np.random.get_state()[1] == before).all()


@pytest.mark.parametrize(
    ("meaning", "english"),
    [
        (Meaning(predicate="cry", agent=Thing(concept="goose", determiner="a"), tense="habit"), "a goose cries."),
        (Meaning(predicate="wash", agent=Thing(concept="he", pronoun=True), tense="habit"), "he washes."),
        (Meaning(predicate="go", agent=Thing(concept="I", pronoun=True), tense="present"), "I do go."),
        (
            Meaning(
                predicate="watch",
                agent=Thing(concept="they", plural=True, pronoun=True),
                tense="duty",
                patient=Thing(
                    concept="apple",
                    determiner="a",
                    adjectives=("old", "red"),
                    companion=Thing(concept="wolf", plural=True, numeral="two"),
                ),
            ),
            "they must watch an old red apple and two wolves.",
        ),
        (
            Meaning(
                predicate="help",
                agent=Thing(concept="child", plural=True),
                tense="leave",
                patient=Thing(concept="she", pronoun=True),
            ),
            "children may help her.",
        ),
    ],
)
def test_the_gloss_is_plain_english(meaning, english):
    assert gloss(meaning) == english
