"""HeadScores: what each head is worth, with its interval and verdict. How it was measured is `importance`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from headcount.core import documents
from headcount.core.display import Cell, head_table
from headcount.core.documents import Floats
from headcount.core.errors import BadInput, UnknownName, suggestion
from headcount.core.heads import Head, Layout
from headcount.core.signature import Signature, canonical_json, stable_key

FORMAT = "headcount.scores"
VERSION = 1
VERDICTS = ("helps", "harms", "idle", "needs more data", "needs more compute")
_ARRAYS = ("value", "low", "high", "compute_low", "compute_high")


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class HeadScores:
    """What each head is worth for one task in one language, by one method.

    `low` and `high` count every source of error there is (examples, and coalitions where they are drawn);
    `compute_low` and `compute_high` count coalitions alone: the part that more compute would shrink.
    """

    layout: Layout
    method: str
    task: str
    language: str
    unit: str
    signed: bool
    value: Floats
    low: Floats | None = None
    high: Floats | None = None
    compute_low: Floats | None = None
    compute_high: Floats | None = None
    samples: tuple[int, ...] | None = None
    verdicts: tuple[str, ...] | None = None
    confidence: float = 0.95
    signature: Signature = field(default_factory=Signature)

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            values = getattr(self, name)
            if values is not None:
                checked = documents.numbers(values, what=f"Scores.{name}", length=len(self.layout))
                object.__setattr__(self, name, checked)
        if self.value is None:
            raise BadInput("Scores need a value for every head.")
        for low, high in (("low", "high"), ("compute_low", "compute_high")):
            if (getattr(self, low) is None) != (getattr(self, high) is None):
                raise BadInput(f"Scores need both {low} and {high}, or neither.")
            if getattr(self, low) is not None and np.any(getattr(self, low) > getattr(self, high)):
                raise BadInput(f"Scores have an interval whose {low} lies above its {high}.")
        if not 0 < self.confidence < 1:
            raise BadInput(f"A confidence lies between 0 and 1, not {self.confidence!r}.")
        self._check_lists()

    def _check_lists(self) -> None:
        if self.samples is not None:
            _counts(self.samples, length=len(self.layout))
            object.__setattr__(self, "samples", tuple(self.samples))
        if self.verdicts is not None:
            _words(self.verdicts, length=len(self.layout))
            object.__setattr__(self, "verdicts", tuple(self.verdicts))

    def place(self, head: Head | str) -> int:
        """Where a head stands in the arrays."""
        return self.layout.place(head)

    @property
    def ranking(self) -> tuple[str, ...]:
        """Names from the lowest value (first to leave) to the highest; ties keep layout order."""
        return tuple(self.layout.names[place] for place in np.argsort(self.value, kind="stable"))

    def with_verdict(self, verdict: str) -> tuple[str, ...]:
        """Names of the heads that got this verdict; none where the method gives no verdicts."""
        if verdict not in VERDICTS:
            raise UnknownName(f"No verdict is called {verdict!r}.{suggestion(verdict, VERDICTS)}")
        pairs = zip(self.layout.names, self.verdicts or (), strict=False)
        return tuple(name for name, got in pairs if got == verdict)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values; parts that do not apply are left out."""
        document: dict[str, Any] = {
            "method": self.method,
            "task": self.task,
            "language": self.language,
            "unit": self.unit,
            "signed": self.signed,
            "confidence": self.confidence,
            "signature": self.signature.to_json(),
            "layout": self.layout.to_json(),
        }
        for name in _ARRAYS:
            if getattr(self, name) is not None:
                document[name] = getattr(self, name).tolist()
        for name in ("samples", "verdicts"):
            if getattr(self, name) is not None:
                document[name] = list(getattr(self, name))
        return document

    @classmethod
    def from_json(cls, document: Any) -> "HeadScores":
        """Read back strictly what `to_json` wrote."""
        if not isinstance(document, Mapping):
            raise BadInput(f"Scores must be a table, not {document!r}.")
        words = ["task", "language", "method", "unit"]
        documents.fields(
            document,
            what="Scores",
            required=[*words, "signed", "confidence", "signature", "layout", "value"],
            optional=[*_ARRAYS, "samples", "verdicts"],
        )
        layout = Layout.from_json(document["layout"])
        if not isinstance(document["signed"], bool):
            raise BadInput(f"Scores.signed must be true or false, not {document['signed']!r}.")
        if isinstance(document["confidence"], bool) or not isinstance(document["confidence"], int | float):
            raise BadInput(f"Scores.confidence must be a number, not {document['confidence']!r}.")
        task, language, method, unit = (documents.text_field(document, name, what="Scores") for name in words)
        return cls(
            layout=layout,
            method=method,
            task=task,
            language=language,
            unit=unit,
            signed=document["signed"],
            confidence=document["confidence"],
            signature=Signature.from_json(document["signature"]),
            value=document["value"],
            low=document.get("low"),
            high=document.get("high"),
            compute_low=document.get("compute_low"),
            compute_high=document.get("compute_high"),
            samples=document.get("samples"),
            verdicts=document.get("verdicts"),
        )

    def save(self, path: Path | str) -> Path:
        """Write these scores as JSON, whole or not at all."""
        return save_scores([self], path)

    @classmethod
    def load(cls, path: Path | str, *, method: str | None = None, language: str | None = None) -> "HeadScores":
        """Read the one set of scores that fits; where a file holds several, say which."""
        return choose(load_scores(path), method=method, language=language, path=path)

    def to_frame(self) -> Any:
        """One row per head as a pandas data frame."""
        return documents.frame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per head: what a table or a figure shows."""
        table = []
        for place, name in enumerate(self.layout.names):
            entry: dict[str, Any] = {"head": name, "language": self.language, "method": self.method}
            for part in (*_ARRAYS, "samples", "verdicts"):
                values = getattr(self, part)
                if values is not None:
                    found = values[place]
                    entry[part.removesuffix("s") if part == "verdicts" else part] = (
                        float(found) if part in _ARRAYS else found
                    )
            table.append(entry)
        return table

    @property
    def key(self) -> str:
        """Stable name of these scores."""
        return stable_key(self.to_json())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeadScores) and canonical_json(self.to_json()) == canonical_json(other.to_json())

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        order = self.ranking
        ends = f"lowest {order[0]}, highest {order[-1]}" if order else "no heads"
        return f"HeadScores({self.method} of {self.task}/{self.language}: {ends}; {self.signature})"

    def _repr_html_(self) -> str:
        largest = float(np.max(np.abs(self.value), initial=0.0)) or 1.0
        cells = {}
        for place, name in enumerate(self.layout.names):
            value = float(self.value[place])
            tip = f"{name}: {value:+.4f} {self.unit}"
            if self.low is not None and self.high is not None:
                tip += f" [{self.low[place]:+.4f}, {self.high[place]:+.4f}]"
            if self.verdicts is not None:
                tip += f", {self.verdicts[place]}"
            cells[name] = Cell(f"{value:.3f}", value / largest, tip)
        return head_table(self.layout, cells, caption=str(self.signature) or repr(self))


def save_scores(scores: Iterable[HeadScores], path: Path | str) -> Path:
    """Write several sets of scores into one file."""
    document = {"format": FORMAT, "version": VERSION, "scores": [item.to_json() for item in scores]}
    return documents.save(document, path)


def load_scores(path: Path | str) -> list[HeadScores]:
    """Read every set of scores of a file."""
    with documents.naming(path):
        document = documents.load(path, what="head scores")
        documents.check_format(document, name=FORMAT, version=VERSION)
        documents.fields(document, what="A scores file", required=["format", "version", "scores"])
        if not isinstance(document["scores"], list) or not document["scores"]:
            raise BadInput("A scores file must hold a list of at least one set of scores.")
        return [HeadScores.from_json(item) for item in document["scores"]]


def choose(scores: Sequence[HeadScores], *, method: str | None, language: str | None, path: Path | str) -> HeadScores:
    """The one set that fits method and language; none or several is an error that lists what is there."""
    fitting = [item for item in scores if method in (None, item.method) and language in (None, item.language)]
    if len(fitting) == 1:
        return fitting[0]
    there = ", ".join(f"{item.method}/{item.language}" for item in scores)
    if fitting:
        raise BadInput(f"{path} holds several scores ({there}): choose with a method and a language.")
    raise UnknownName(f"{path} holds no scores of method {method!r} in language {language!r}; it holds {there}.")


def _words(values: Any, *, length: int) -> None:
    if not isinstance(values, list | tuple):
        raise BadInput(f"Scores.verdicts must be a list of {length} words, not {values!r}.")
    for verdict in values:
        if verdict not in VERDICTS:
            known = ", ".join(VERDICTS)
            raise BadInput(f"No verdict is called {verdict!r}.{suggestion(verdict, VERDICTS)} Known: {known}.")
    if len(values) != length:
        raise BadInput(f"Scores need {length} verdicts, one per head; got {len(values)}.")


def _counts(values: Any, *, length: int) -> None:
    if not isinstance(values, list | tuple) or len(values) != length:
        raise BadInput(f"Scores.samples must be a list of {length} whole numbers.")
    for place, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadInput(f"Scores.samples[{place}] must be a whole number from 0, not {value!r}.")
