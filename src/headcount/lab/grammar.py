"""Languages: one meaning becomes a sentence with tags and a tree. What can be meant is `meaning`, sets are `corpus`."""

from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, final

from headcount.core.chance import generator
from headcount.core.errors import pick
from headcount.data.formats import Sentence, Word
from headcount.lab.lexicon import Lexicon, Sounds, grow, rewritten, suffixed, write_in
from headcount.lab.meaning import AUXILIARIES, Meaning, Thing


class Order(NamedTuple):
    """Which parts of a clause stand before its verb and which after; parts a clause lacks are skipped."""

    before: tuple[str, ...]
    after: tuple[str, ...]


# Another event ("want to see") fills the place of the object.
ORDERS = {
    "SVO": Order(("subject", "negation", "auxiliary", "marker"), ("object", "place", "manner")),
    "SOV": Order(("subject", "place", "object", "manner", "marker", "auxiliary"), ("negation",)),
    "VSO": Order(("negation", "auxiliary", "marker"), ("subject", "object", "place", "manner")),
}


@final
@dataclass(frozen=True, kw_only=True)
class Suffixes:
    """What is added to stems, in Latin letters; an isolating language has neither case nor tense."""

    plural: str = "s"
    accusative: str = "n"
    past: str = "t"


@final
@dataclass(frozen=True, kw_only=True)
class Language:
    """All that makes one language of the lab; frozen, so that its name and its seed say every word of it."""

    name: str
    order: Literal["SVO", "SOV", "VSO"]
    adjective: Literal["before", "after"] = "before"  # its noun
    adposition: Literal["before", "after"] = "before"  # its noun phrase
    morphology: Literal["isolating", "agglutinative"] = "isolating"
    agreement: Literal["none", "auxiliary", "verb"] = "none"  # what takes the plural of the subject
    sounds: Sounds
    suffixes: Suffixes = Suffixes()
    script: Literal["latin", "greek", "cyrillic"] = "latin"
    homographs: float = 0.38  # the share of noun stems that are verb stems too
    kin: "Language | None" = None
    overlap: float = 0.0  # the share of stems taken from the kin
    seed: int = 0


SVONA = Language(
    name="svona",
    order="SVO",
    sounds=Sounds(onsets=(*"ptkbdgmnslrv", "st", "tr", "pl"), codas=tuple("nlskm")),
)
SOVAMI = Language(
    name="sovami",
    order="SOV",
    adposition="after",
    morphology="agglutinative",
    agreement="verb",
    suffixes=Suffixes(plural="r", accusative="n", past="n"),  # one ending for case and tense: the word before tells
    sounds=Sounds(onsets=tuple("ptkmnshjlv"), vowels="aeiouy", codas=tuple("lks"), closed=0.1),
    kin=SVONA,
    homographs=0.4,
    overlap=0.25,
)
VSORU = Language(
    name="vsoru",
    order="VSO",
    adjective="after",
    agreement="auxiliary",
    sounds=Sounds(onsets=(*"bdgzrlfcmn", "br", "dr", "gl"), codas=tuple("rzm")),
    kin=SVONA,
    overlap=0.65,
)
LANGUAGES: dict[str, Language] = {language.name: language for language in (SVONA, SOVAMI, VSORU)}


def language(name: str) -> Language:
    """A language of the table."""
    return pick(LANGUAGES, name, kind="lab language")


def lexicon(language: Language) -> Lexicon:
    """The stems of a language in its own script."""
    return rewritten(_spoken(language), language.script)


@cache
def _spoken(language: Language) -> Lexicon:
    """The stems in Latin letters, where suffixes know vowels from consonants and kin can be compared."""
    return grow(
        language.sounds,
        homographs=language.homographs,
        rng=generator(language.seed, "lexicon", language.name),
        kin=_spoken(language.kin) if language.kin else None,
        overlap=language.overlap,
    )


class _Branch(NamedTuple):
    """A word with what depends on it, on its left and on its right: every tree of branches is projective."""

    form: str
    tag: str
    relation: str
    before: tuple["_Branch", ...] = ()
    after: tuple["_Branch", ...] = ()


def realise(meaning: Meaning, language: Language, *, identifier: str = "") -> Sentence:
    """Say a meaning in a language: words, universal tags, heads and relations."""
    rows: list[tuple[str, str, str]] = []
    heads: list[int] = []
    root = _clause(meaning, language)
    _lay(root._replace(after=(*root.after, _Branch(".", "PUNCT", "punct"))), rows, heads)
    words = (Word(form, tag, head, relation) for (form, tag, relation), head in zip(rows, heads, strict=True))
    return Sentence(identifier, tuple(words))


def _lay(branch: _Branch, rows: list[tuple[str, str, str]], heads: list[int]) -> int:
    """Write a branch out from left to right; the place of its head word comes back."""
    children = [_lay(child, rows, heads) for child in branch.before]
    rows.append((branch.form, branch.tag, branch.relation))
    heads.append(0)
    place = len(rows)
    children += [_lay(child, rows, heads) for child in branch.after]
    for child in children:
        heads[child - 1] = place
    return place


@cache
def _form(language: Language, tag: str, name: str, endings: tuple[str, ...] = ()) -> str:
    """A stem with its endings ("plural", "accusative", "past"), as it is written."""
    stem = _spoken(language).stems[tag, name]
    return write_in(language.script, suffixed(stem, [getattr(language.suffixes, ending) for ending in endings]))


def _word(language: Language, tag: str, name: str, relation: str) -> _Branch:
    """A word that never changes and that nothing depends on."""
    return _Branch(_form(language, tag, name), tag, relation)


def _clause(meaning: Meaning, language: Language) -> _Branch:
    """The finite verb and all of the event around it; under an intent, the event itself is one of its parts."""
    many = meaning.agent.several
    parts = {"subject": _phrase(meaning.agent, language, "nsubj")}
    if meaning.negated:
        parts["negation"] = _word(language, "PART", "not", "advmod")
    if meaning.tense in AUXILIARIES:
        endings = ("plural",) if many and language.agreement == "auxiliary" else ()
        form = _form(language, "AUX", AUXILIARIES[meaning.tense], endings)
        parts["auxiliary"] = _Branch(form, "AUX", "aux")
    if meaning.manner:
        parts["manner"] = _word(language, "ADV", meaning.manner, "advmod")
    inner = {}
    if meaning.patient:
        inner["object"] = _phrase(meaning.patient, language, "obj")
    if meaning.place:
        adposition = _word(language, "ADP", meaning.place.adposition, "case")
        inner["place"] = _phrase(meaning.place.thing, language, "obl", adposition=adposition)
    if meaning.intent:
        inner["marker"] = _word(language, "PART", "to", "mark")
        parts["object"] = _around(_form(language, "VERB", meaning.predicate), "xcomp", inner, language)
    else:
        parts |= inner
    past = ("past",) if meaning.tense == "past" and language.morphology == "agglutinative" else ()
    plural = ("plural",) if many and language.agreement == "verb" else ()
    verb = _form(language, "VERB", meaning.intent or meaning.predicate, past + plural)
    return _around(verb, "root", parts, language)


def _around(verb: str, relation: str, parts: dict[str, _Branch], language: Language) -> _Branch:
    """Put the parts of a clause before and after its verb, as the language orders them."""
    order = pick(ORDERS, language.order, kind="word order")
    before, after = (tuple(parts[name] for name in side if name in parts) for side in order)
    return _Branch(verb, "VERB", relation, before, after)


def _phrase(thing: Thing, language: Language, relation: str, *, adposition: _Branch | None = None) -> _Branch:
    """A noun with its company, or a pronoun; case and number on the head alone, unless the language isolates."""
    tag = "PRON" if thing.pronoun else "NOUN"
    endings: tuple[str, ...] = ()
    if language.morphology == "agglutinative":
        endings += ("plural",) if thing.plural and not thing.pronoun else ()
        endings += ("accusative",) if relation == "obj" else ()
    adjectives = tuple(_word(language, "ADJ", name, "amod") for name in thing.adjectives)
    before = [adposition] if adposition and language.adposition == "before" else []
    if thing.determiner:
        before.append(_word(language, "DET", thing.determiner, "det"))
    if thing.numeral:
        before.append(_word(language, "NUM", thing.numeral, "nummod"))
    after = list(adjectives[::-1]) if language.adjective == "after" else []
    before += adjectives if language.adjective == "before" else ()
    if thing.companion:
        other = _phrase(thing.companion, language, relation)  # both nouns of "A and B" bear the case
        other = other._replace(relation="conj", before=(_word(language, "CCONJ", "and", "cc"), *other.before))
        after.append(other)
    if adposition and language.adposition == "after":
        after.append(adposition)
    return _Branch(_form(language, tag, thing.concept, endings), tag, relation, tuple(before), tuple(after))
