"""Meanings: what a sentence says, before any language says it. Words and their order are `lexicon` and `grammar`."""

from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate, chain, zip_longest
from typing import final

from numpy.random import Generator

SHORTEST, LONGEST = 4, 14  # words of a sentence, the full stop included


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Every list is ordered by frequency: the first name is the most frequent one.
NOUNS = {
    "being": _names(
        "man woman child dog friend mother father king cat horse teacher bird doctor farmer brother sister boy girl"
        " sheep queen baker cow sailor neighbour wolf hunter singer mouse goat judge rabbit painter fox priest bear"
        " miller lion guest duck nurse widow smith thief monk goose tiger poet ant bee beaver clown crow dwarf eagle"
        " frog giant hermit owl page squire"
    ),
    "thing": _names(
        "book tree letter stone apple table knife song boat door key cup picture story chair coat rope flower hat ring"
        " wheel candle bell basket ball shoe lamp box blanket bottle drum bucket hammer mirror spoon needle ladder"
        " carrot pillow ribbon saddle feather anchor button comb jar kite lantern nail pencil quilt rake"
    ),
    "place": _names(
        "house town river garden road field forest hill market school church kitchen mountain bridge island village"
        " lake tower castle mill harbour barn beach cave valley square stable meadow well court cellar swamp temple"
        " canyon orchard"
    ),
}
VERBS = {  # by what they ask for: any patient, a living one, a thing, none, or another event
    "any": _names("see find know hear love watch draw touch lift hide wash admire fear forget"),
    "being": _names("help call follow catch feed greet bless chase teach scold tickle praise trust"),
    "thing": _names(
        "take make bring carry buy hold build open sell paint push clean break throw cut steal pull mend polish"
    ),
    "alone": _names(
        "sleep come go work sing wait laugh run dance fall swim cry rest play walk whisper smile jump kneel dream cough"
        " shiver sneeze stumble yawn wander"
    ),
    "event": _names("want try begin hope learn plan dare refuse"),
}
ADJECTIVES = _names(
    "big small old new good young long white black red warm cold strong happy quiet brave green tall clever round heavy"
    " blue soft poor rich sad tired wild narrow bright gentle proud lazy hungry dusty noisy crooked shy pale sleepy"
    " golden curious rusty merry bitter"
)
ADVERBS = _names(
    "now here today often soon again slowly quickly there always well gladly softly twice early together loudly seldom"
    " calmly abroad"
)
ADPOSITIONS = ("in", "on", "near", "with", "under", "behind", "from", "beside", "above", "beyond")
DETERMINERS = {False: ("the", "a", "this", "my", "that", "your", "every"), True: ("the/many", "some", "these", "those")}
PRONOUNS = {False: ("he", "she", "I", "it", "you", "this", "that"), True: ("they", "we")}
NUMERALS = ("two", "three", "four", "five", "seven", "ten")
AUXILIARIES = {"past": "did", "present": "does", "future": "will", "ability": "can", "duty": "must", "leave": "may"}
TENSES = (*AUXILIARIES, "habit")  # a habit is said without an auxiliary


def _woven(lists: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The names of several lists in one, by rank: the first of each, the second of each, and so on."""
    return tuple(name for name in chain.from_iterable(zip_longest(*lists.values())) if name is not None)


CONCEPTS: dict[str, tuple[str, ...]] = {
    "NOUN": _woven(NOUNS),
    "VERB": _woven(VERBS),
    "ADJ": ADJECTIVES,
    "ADV": ADVERBS,
    "ADP": ADPOSITIONS,
    "DET": DETERMINERS[False] + DETERMINERS[True],
    "PRON": PRONOUNS[False] + PRONOUNS[True],
    "NUM": NUMERALS,
    "AUX": tuple(AUXILIARIES.values()),
    "CCONJ": ("and",),
    "PART": ("not", "to"),
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """Who or what takes part: a noun with its company, or a pronoun alone."""

    concept: str
    plural: bool = False
    pronoun: bool = False
    determiner: str | None = None
    numeral: str | None = None
    adjectives: tuple[str, ...] = ()
    companion: "Thing | None" = None

    @property
    def several(self) -> bool:
        """What a verb agrees with: 'the dogs', and 'the dog and the cat'."""
        return self.plural or self.companion is not None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where: an adposition and what it speaks of."""

    adposition: str
    thing: Thing


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """One event; `intent` is the verb above it, as in 'want to see'."""

    predicate: str
    agent: Thing
    tense: str
    patient: Thing | None = None
    place: Place | None = None
    manner: str | None = None
    intent: str | None = None
    negated: bool = False


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How often a speaker does what: the shares that make one domain unlike another."""

    pronoun_agent: float = 0.24
    pronoun_patient: float = 0.08
    thing_agent: float = 0.12
    plural: float = 0.3
    numeral: float = 0.18  # of plurals
    bare: float = 0.12  # of plurals without a numeral: no determiner
    numeral_alone: float = 0.6  # of plurals with a numeral: no determiner
    adjective: float = 0.24
    second_adjective: float = 0.12
    companion: float = 0.07
    place: float = 0.36
    manner: float = 0.22
    intent: float = 0.2
    negated: float = 0.14
    frames: tuple[float, ...] = (0.26, 0.17, 0.24, 0.33)  # any, being, thing, alone
    tenses: tuple[float, ...] = (0.26, 0.2, 0.18, 0.12, 0.1, 0.06, 0.08)  # in the order of TENSES


HABITS = Habits()


def _wheel(shares: tuple[float, ...]) -> list[float]:
    return [total / sum(shares) for total in accumulate(shares)]


def _zipf(count: int, *, offset: float = 2.0, exponent: float = 1.35) -> list[float]:
    """Cumulated shares of 1 / (rank + offset)^exponent (Zipf's law as Mandelbrot wrote it)."""
    return _wheel(tuple((rank + offset) ** -exponent for rank in range(1, count + 1)))


_WHEELS = {count: _zipf(count) for count in range(1, 100)}


def _draw(names: tuple[str, ...], rng: Generator, wheel: list[float] | None = None) -> str:
    """One name, by Zipf's law unless another wheel is given; the last name also takes what rounding left over."""
    wheel = _WHEELS[len(names)] if wheel is None else wheel
    return names[min(bisect(wheel, rng.random()), len(names) - 1)]


def _noun(kind: str, rng: Generator, habits: Habits, *, joined: bool = False) -> Thing:
    plural = rng.random() < habits.plural
    counted = plural and rng.random() < habits.numeral
    silent = plural and rng.random() < (habits.numeral_alone if counted else habits.bare)
    adjectives: tuple[str, ...] = ()
    if rng.random() < habits.adjective:
        adjectives = (_draw(ADJECTIVES, rng),)
        second = _draw(ADJECTIVES, rng)
        if second not in adjectives and rng.random() < habits.second_adjective:
            adjectives += (second,)
    determiners = tuple(name for name in DETERMINERS[plural] if not (counted and name == "some"))
    concept = _draw(NOUNS[kind], rng)
    companion = None
    if not joined and rng.random() < habits.companion:
        companion = _noun(kind, rng, habits, joined=True)
        if companion.concept == concept:  # 'the dog and the dog' is nobody's sentence
            companion = None
    return Thing(
        concept=concept,
        plural=plural,
        determiner=None if silent else _draw(determiners, rng),
        numeral=_draw(NUMERALS, rng) if counted else None,
        adjectives=adjectives,
        companion=companion,
    )


def _participant(kind: str, rng: Generator, habits: Habits, *, pronoun: float) -> Thing:
    if rng.random() >= pronoun:
        return _noun(kind, rng, habits)
    plural = rng.random() < habits.plural
    return Thing(concept=_draw(PRONOUNS[plural], rng), plural=plural, pronoun=True)


def _event(rng: Generator, habits: Habits) -> Meaning:
    """One meaning of any length."""
    frame = _draw(("any", "being", "thing", "alone"), rng, _wheel(habits.frames))
    agent = "thing" if frame == "alone" and rng.random() < habits.thing_agent else "being"
    patient = None
    if frame != "alone":
        kind = frame if frame != "any" else ("being", "thing", "place")[int(rng.integers(3))]
        patient = _participant(kind, rng, habits, pronoun=habits.pronoun_patient)
    place = None
    if rng.random() < habits.place:
        kind = "place" if rng.random() < 0.8 else "thing"
        place = Place(adposition=_draw(ADPOSITIONS, rng), thing=_noun(kind, rng, habits))
    tense = _draw(TENSES, rng, _wheel(habits.tenses))
    return Meaning(
        predicate=_draw(VERBS[frame], rng),
        agent=_participant(agent, rng, habits, pronoun=habits.pronoun_agent),
        tense=tense,
        patient=patient,
        place=place,
        manner=_draw(ADVERBS, rng) if rng.random() < habits.manner else None,
        intent=_draw(VERBS["event"], rng) if agent == "being" and rng.random() < habits.intent else None,
        negated=tense != "habit" and rng.random() < habits.negated,
    )


def sample(rng: Generator, *, habits: Habits = HABITS) -> Meaning:
    """Draw one meaning whose sentence has between SHORTEST and LONGEST words."""
    while True:
        meaning = _event(rng, habits)
        # every language of this version says a meaning in as many words as the gloss (tests/lab/test_grammar.py)
        if SHORTEST <= len(gloss(meaning).split()) + 1 <= LONGEST:
            return meaning


_PLURALS = {"man": "men", "woman": "women", "child": "children", "sheep": "sheep", "wolf": "wolves", "mouse": "mice"}
_PLURALS |= {"thief": "thieves", "goose": "geese", "knife": "knives"}
_OBJECTS = {"he": "him", "she": "her", "I": "me", "they": "them", "we": "us"}


def _with_s(word: str) -> str:
    """'dog' → 'dogs', 'watch' → 'watches', 'story' → 'stories': nouns and verbs alike."""
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh", "go")) else "s")


def _gloss_thing(thing: Thing, *, subject: bool = False) -> list[str]:
    if thing.pronoun:
        return [thing.concept if subject else _OBJECTS.get(thing.concept, thing.concept)]
    noun = _PLURALS.get(thing.concept) or _with_s(thing.concept) if thing.plural else thing.concept
    words = [word for word in (thing.numeral, *thing.adjectives) if word] + [noun]
    if thing.determiner:
        article = thing.determiner.partition("/")[0]
        words.insert(0, "an" if article == "a" and words[0][0] in "aeiou" else article)
    return words if thing.companion is None else [*words, "and", *_gloss_thing(thing.companion)]


def gloss(meaning: Meaning) -> str:
    """The meaning in plain English: 'the small dogs did see a tree.'"""
    first = meaning.intent or meaning.predicate
    many = meaning.agent.several or meaning.agent.concept in ("I", "you")
    words = _gloss_thing(meaning.agent, subject=True)
    if meaning.tense == "habit":
        words.append(first if many else _with_s(first))
    else:
        auxiliary = AUXILIARIES[meaning.tense]
        words.append("do" if auxiliary == "does" and many else auxiliary)
        words += ["not", first] if meaning.negated else [first]
    if meaning.intent:
        words += ["to", meaning.predicate]
    if meaning.patient:
        words += _gloss_thing(meaning.patient)
    if meaning.place:
        words += [meaning.place.adposition, *_gloss_thing(meaning.place.thing)]
    if meaning.manner:
        words.append(meaning.manner)
    return " ".join(words) + "."
