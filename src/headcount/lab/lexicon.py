"""Lexicons: the stem of every concept: sounds, scripts, cognates, homographs. Putting words in order is `grammar`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar, final

from numpy.random import Generator

from headcount.core.errors import BadInput, pick
from headcount.lab.meaning import CONCEPTS

Item = TypeVar("Item")
Concept = tuple[str, str]  # tag and English name: ("NOUN", "dog")

_LATIN = "abcdefghijklmnoprstuvyz"
SCRIPTS: dict[str, str] = {  # letter for letter, so that nothing is lost and tests can go back
    "latin": _LATIN,
    "greek": "αβψδεφγχιθκλμνοπρστυξηζ",
    "cyrillic": "абцдефгхийклмнопрстувыз",
}
VOWELS = "aeiouy"
CONTENT = ("NOUN", "VERB", "ADJ", "ADV")
# (first, second, share of the first that is also the second); nouns and verbs are the language's own choice
LESSER_TWINS = (("ADJ", "NOUN", 0.16), ("ADV", "ADJ", 0.3), ("ADV", "ADP", 0.15))


@final
@dataclass(frozen=True, kw_only=True)
class Sounds:
    """What syllables are made of; `codas` may only close a word."""

    onsets: tuple[str, ...]
    vowels: str = "aeiou"
    codas: tuple[str, ...] = ()
    closed: float = 0.2  # the share of stems that end in a coda


@final
@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """The stem of every concept, in the language's own script."""

    stems: Mapping[Concept, str]
    cognates: frozenset[Concept] = field(default=frozenset())

    def of(self, tag: str) -> dict[str, str]:
        """Name → stem of one word class."""
        return {name: stem for (other, name), stem in self.stems.items() if other == tag}

    def homographs(self, first: str, second: str) -> frozenset[str]:
        """Stems that two word classes share."""
        return frozenset(self.of(first).values()) & frozenset(self.of(second).values())


def write_in(script: str, text: str) -> str:
    """Latin letters of the lab in another script."""
    return text.translate(str.maketrans(_LATIN, pick(SCRIPTS, script, kind="script")))


def grow(
    sounds: Sounds, *, homographs: float, rng: Generator, kin: Lexicon | None = None, overlap: float = 0
) -> Lexicon:
    """A lexicon in Latin letters: cognates are taken from the kin, twins share a stem, all else is new."""
    stems: dict[Concept, str] = {}
    if kin is not None:
        stems |= _inherited(kin, overlap, rng)
    cognates = frozenset(stems)
    twins = _twins(stems, homographs, rng)
    used = set(stems.values()) | set(kin.stems.values() if kin else ())
    for tag, names in CONCEPTS.items():
        for concept in ((tag, name) for name in names):
            if concept in stems:
                continue
            elder = twins.get(concept)
            stems[concept] = stems[elder] if elder in stems else _new(sounds, used, long=tag in CONTENT, rng=rng)
            if elder is not None:
                stems[elder] = stems[concept]
    return Lexicon(stems=MappingProxyType(stems), cognates=cognates)


def _spread(items: Sequence[Item], count: int, rng: Generator) -> list[Item]:
    """`count` of the items at even distances and a drawn start: every frequency has its share."""
    start = rng.random()
    return [items[int((step + start) * len(items) / count)] for step in range(count)]


def _inherited(kin: Lexicon, overlap: float, rng: Generator) -> dict[Concept, str]:
    """The stems taken over; concepts of one stem go together, and every kind of stem gives its share."""
    families: dict[str, list[Concept]] = defaultdict(list)
    for tag, names in CONCEPTS.items():
        for name in names:
            families[kin.stems[tag, name]].append((tag, name))
    alike = sorted(families, key=lambda stem: [tag for tag, _ in families[stem]])  # stable: by rank within a kind
    chosen = _spread(alike, round(overlap * len(alike)), rng) if overlap else []
    return {concept: stem for stem in chosen for concept in families[stem]}


def _twins(stems: Mapping[Concept, str], homographs: float, rng: Generator) -> dict[Concept, Concept]:
    """Pairs that shall share a stem, younger → elder; what the cognates brought along counts."""
    twins: dict[Concept, Concept] = {("PRON", name): ("DET", name) for name in ("this", "that")}
    taken = set(stems)
    for first, second, share in (("NOUN", "VERB", homographs), *LESSER_TWINS):
        there = {stem for (tag, _), stem in stems.items() if tag == second}
        old = sum(tag == first and stem in there for (tag, _), stem in stems.items())
        free = [[(tag, name) for name in CONCEPTS[tag] if (tag, name) not in taken] for tag in (first, second)]
        count = min(round(share * len(CONCEPTS[first])) - old, *map(len, free))
        if count > 0:
            # frequent words are the ambiguous ones (Zipf's law of meaning)
            often = [names[: max(count, len(names) // 2)] for names in free]
            pairs = list(zip(*(_spread(names, count, rng) for names in often), strict=True))
            twins |= {younger: elder for elder, younger in pairs}
            taken |= {concept for pair in pairs for concept in pair}
    return {younger: elder for younger, elder in twins.items() if younger not in stems}


def _new(sounds: Sounds, used: set[str], *, long: bool, rng: Generator) -> str:
    """A stem nobody has; at most four letters where it ends in a consonant, else five: suffixes must fit."""
    for _ in range(1000):
        syllables = [_syllable(sounds, rng) for _ in range(2 if long else 1)]
        if long and rng.random() < 0.12:
            syllables[0] = syllables[0][-1]  # some stems open with a vowel
        coda = _one(sounds.codas, rng) if sounds.codas and rng.random() < sounds.closed else ""
        stem = "".join(syllables) + coda
        if 2 <= len(stem) <= (4 if coda else 5) and stem not in used:
            used.add(stem)
            return stem
    raise BadInput("These sounds make too few different stems; give the language more onsets or codas.")


def _syllable(sounds: Sounds, rng: Generator) -> str:
    return _one(sounds.onsets, rng) + _one(sounds.vowels, rng)


def _one(choices: Sequence[str], rng: Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


def rewritten(lexicon: Lexicon, script: str) -> Lexicon:
    """The same lexicon in another script."""
    stems = {concept: write_in(script, stem) for concept, stem in lexicon.stems.items()}
    return Lexicon(stems=MappingProxyType(stems), cognates=lexicon.cognates)


def shared(first: Lexicon, second: Lexicon) -> frozenset[Concept]:
    """Concepts that two lexicons say with the same stem."""
    return frozenset(concept for concept, stem in first.stems.items() if second.stems[concept] == stem)


def suffixed(stem: str, suffixes: Iterable[str]) -> str:
    """Latin stem and suffixes, with a linking vowel where two consonants would meet."""
    for suffix in suffixes:
        stem += suffix if stem[-1] in VOWELS or suffix[0] in VOWELS else "e" + suffix
    return stem
