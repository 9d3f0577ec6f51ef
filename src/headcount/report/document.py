"""The parts of a demo document: what the page may tell. From JSON to these is `reading`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

from headcount.core.errors import pick
from headcount.core.heads import Layout
from headcount.core.scores import HeadScores

FORMAT = "headcount.demo"
VERSION = 1
KINDS = ("dead", "positional", "harmful")
RESULTS = ("found", "missed")


@final
@dataclass(frozen=True, kw_only=True)
class Made:
    """How, when and with what the document was made."""

    command: str
    headcount: str
    seed: int
    seconds: float
    settings: str
    versions: Mapping[str, str]


@final
@dataclass(frozen=True, kw_only=True)
class Model:
    """The model that was asked."""

    path: str
    family: str
    layers: int
    heads: int
    parameters: int
    layout: Layout


@final
@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its interval; shares, not percent."""

    value: float
    low: float
    high: float
    verdict: str = ""

    @property
    def sign(self) -> int:
        """+1 or −1 where the interval excludes zero, else 0."""
        return int(self.low > 0) - int(self.high < 0)


@final
@dataclass(frozen=True, kw_only=True)
class Language:
    """One artificial language, how well the model reads it, and a sentence of it."""

    name: str
    order: str
    trained: bool
    sentences: Mapping[str, int]
    accuracy: Estimate
    words: tuple[str, ...]
    tags: tuple[str, ...]
    meaning: str


@final
@dataclass(frozen=True, kw_only=True)
class Planted:
    """A head whose weights were made so that its truth is known; `language` None means: in all of them.

    `confirmed` says whether exact removal showed what was claimed; the exam asks for confirmed heads only.
    """

    head: str
    kind: str
    language: str | None
    claim: str
    truth: Mapping[str, Estimate]
    note: str | None
    confirmed: bool

    def speaks(self, language: str) -> bool:
        """Whether the claim is about this language."""
        return self.language in (None, language)


@final
@dataclass(frozen=True, kw_only=True)
class Question:
    """One question of the exam: did a method find one planted head?"""

    method: str
    head: str
    kind: str
    language: str | None
    expected: str
    said: str
    found: bool


@final
@dataclass(frozen=True, kw_only=True)
class Accusation:
    """A head that a method called bad or useless, and that is neither."""

    method: str
    language: str
    head: str
    said: str
    truth: Estimate


@final
@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Held-out text before and after closing heads, and the paired gain."""

    mask: str
    why: str
    closed: tuple[str, ...]
    language: str
    before: float
    after: float
    gain: Estimate
    p: float
    examples: int


@final
@dataclass(frozen=True, kw_only=True)
class Curve:
    """Accuracy against the number of heads removed, in the order one method gives."""

    method: str
    language: str
    removed: tuple[int, ...]
    accuracy: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@final
@dataclass(frozen=True, kw_only=True)
class Demo:
    """All that the page tells."""

    made: Made
    model: Model
    languages: tuple[Language, ...]
    scores: tuple[HeadScores, ...]
    planted: tuple[Planted, ...]
    questions: tuple[Question, ...]
    accused: tuple[Accusation, ...]
    checked: Mapping[str, int]
    evaluations: tuple[Evaluation, ...]
    curves: tuple[Curve, ...]
    commands: tuple[str, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods with scores, in the order of the document."""
        return tuple(dict.fromkeys(item.method for item in self.scores))

    @property
    def confidence(self) -> float:
        """How sure the intervals are."""
        return self.scores[0].confidence

    def scores_of(self, method: str) -> tuple[HeadScores, ...]:
        """One method's scores, in the order of the languages."""
        order = [item.name for item in self.languages]
        return tuple(sorted((s for s in self.scores if s.method == method), key=lambda s: order.index(s.language)))

    def check(self) -> None:
        """Every head is in the model, every language is described, every layout is the model's."""
        known = {item.name: item for item in self.languages}
        for scores in self.scores:
            self.model.layout.require(scores.layout, what=f"The {scores.method} map of {scores.language}")
        closed = [head for item in self.evaluations for head in item.closed]
        asked = [*(item.head for item in self.questions), *(item.head for item in self.accused)]
        for head in (*(item.head for item in self.planted), *asked, *closed):
            self.model.layout.place(head)
        for language in self._languages_named():
            pick(known, language, kind="language")

    def _languages_named(self) -> Iterator[str]:
        for part in (self.scores, self.planted, self.questions, self.accused, self.evaluations, self.curves):
            yield from (item.language for item in part if item.language is not None)
        for item in self.planted:
            yield from item.truth
