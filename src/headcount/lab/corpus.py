"""Corpora: sets of sentences with gold tags and trees, parallel where they are compared. One sentence is `grammar`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from numpy.random import Generator

from headcount.core.chance import generator
from headcount.core.errors import BadInput, pick
from headcount.core.files import write_file
from headcount.data.formats import Sentence, write_conllu
from headcount.lab.grammar import Language, language, realise
from headcount.lab.meaning import HABITS, Habits, Meaning, gloss, sample

TRAIN = "train"  # each language draws its own; every other split says the same meanings in all languages
SIZES: dict[str, int] = {TRAIN: 1500, "dev": 400, "test": 400, "truth": 800}

Splits = dict[str, list[Sentence]]
Text = tuple[str, ...]


@final
@dataclass(frozen=True, kw_only=True)
class Corpus(Mapping[str, Splits]):
    """Language → split → sentences, with the meaning of each: `corpus["svona"]["dev"]`."""

    sentences: Mapping[str, Splits]
    meanings: Mapping[str, Mapping[str, tuple[Meaning, ...]]]

    def __getitem__(self, language: str) -> Splits:
        return self.sentences[language]

    def __iter__(self) -> Iterator[str]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    def glosses(self, language: str, split: str) -> list[str]:
        """What the sentences of a split mean, in English, in their order."""
        meanings = pick(self.meanings, language, kind="language of this corpus")
        return [gloss(meaning) for meaning in pick(meanings, split, kind="split of this corpus")]


def make_corpus(
    languages: Sequence[str | Language], *, sizes: Mapping[str, int] = SIZES, seed: int, habits: Habits = HABITS
) -> Corpus:
    """Draw the splits: nothing of a parallel split is ever said or meant in a train split."""
    known = {tongue.name: tongue for tongue in (language(one) if isinstance(one, str) else one for one in languages)}
    if len(known) != len(languages):
        raise BadInput(f"Each language can be asked for once; got {', '.join(map(str, languages))}.")
    if any(size < 0 for size in sizes.values()):
        raise BadInput(f"Sizes are numbers of sentences, 0 or more; got {dict(sizes)}.")
    parallel = _parallel(sizes, seed=seed, habits=habits)
    meanings: dict[str, dict[str, tuple[Meaning, ...]]] = {}
    sentences: dict[str, Splits] = {}
    for name, tongue in known.items():
        said = {split: _said(drawn, tongue, split) for split, drawn in parallel.items()}
        means = dict(parallel)
        if TRAIN in sizes:
            rng = generator(seed, "corpus", TRAIN, name)
            closed = {_text(sentence) for split in said.values() for sentence in split}
            means[TRAIN], said[TRAIN] = _train(sizes[TRAIN], tongue, closed, rng=rng, habits=habits)
        meanings[name] = {split: means[split] for split in sizes}
        sentences[name] = {split: said[split] for split in sizes}
    return Corpus(sentences=sentences, meanings=meanings)


def write_corpus(corpus: Corpus, folder: Path | str) -> list[Path]:
    """Write every split as `<language>.<split>.conllu`; the files in the order of the corpus."""
    return [
        write_file(Path(folder) / f"{name}.{split}.conllu", write_conllu(sentences))
        for name, splits in corpus.items()
        for split, sentences in splits.items()
    ]


def _parallel(sizes: Mapping[str, int], *, seed: int, habits: Habits) -> dict[str, tuple[Meaning, ...]]:
    """The meanings of all splits but train: each meaning once in all of them."""
    taken: set[Meaning] = set()
    drawn: dict[str, tuple[Meaning, ...]] = {}
    for split in sorted(sizes.keys() - {TRAIN}):
        rng = generator(seed, "corpus", split)
        fresh: list[Meaning] = []
        while len(fresh) < sizes[split]:
            meaning = sample(rng, habits=habits)
            if meaning not in taken:
                taken.add(meaning)
                fresh.append(meaning)
        drawn[split] = tuple(fresh)
    return drawn


def _train(
    size: int, tongue: Language, closed: set[Text], *, rng: Generator, habits: Habits
) -> tuple[tuple[Meaning, ...], list[Sentence]]:
    """Meanings of one language alone; as in real text one may come twice, but none whose words are in `closed`."""
    meanings: list[Meaning] = []
    sentences: list[Sentence] = []
    while len(meanings) < size:
        meaning = sample(rng, habits=habits)
        sentence = realise(meaning, tongue, identifier=f"{tongue.name}-{TRAIN}-{len(meanings) + 1}")
        if _text(sentence) not in closed:
            meanings.append(meaning)
            sentences.append(sentence)
    return tuple(meanings), sentences


def _said(meanings: Sequence[Meaning], tongue: Language, split: str) -> list[Sentence]:
    """The sentences of a split: `svona-dev-17` and `sovami-dev-17` mean the same."""
    return [
        realise(meaning, tongue, identifier=f"{tongue.name}-{split}-{number}")
        for number, meaning in enumerate(meanings, start=1)
    ]


def _text(sentence: Sentence) -> Text:
    return tuple(word.form for word in sentence.words)
