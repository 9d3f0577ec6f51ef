"""Signatures: the settings behind a number, as a readable line and a stable key. Meanings are told where used."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

from headcount.core.errors import BadInput

Setting = str | int | float | bool | None


def canonical_json(document: Any) -> str:
    """One text for one value: keys sorted, no spaces, no NaN; so that equal settings hash alike."""
    try:
        return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError as problem:
        raise BadInput(f"A value that is not a finite number cannot be recorded: {problem}.") from problem
    except TypeError as problem:
        raise BadInput(f"Only text, numbers, lists and tables can be recorded: {problem}.") from problem


def stable_key(document: Any) -> str:
    """SHA-256 of the canonical JSON, first 20 hex digits: the name of a record."""
    return hashlib.sha256(canonical_json(document).encode()).hexdigest()[:20]


def _escape(text: str) -> str:
    """Keep `|` and `:` as separators of the printed line only."""
    return text.replace("\\", "\\\\").replace("|", "\\|")


@final
@dataclass(frozen=True)
class Signature(Mapping[str, Setting]):
    """Ordered settings; printed as `method:ablation|task:pos/de|n:512|seed:0`."""

    settings: tuple[tuple[str, Setting], ...] = ()

    @classmethod
    def of(cls, **settings: Setting) -> "Signature":
        """Build from keyword arguments, in their order; settings that are None do not apply and are left out."""
        return cls(tuple((name, value) for name, value in settings.items() if value is not None))

    @classmethod
    def from_json(cls, document: Mapping[str, Setting]) -> "Signature":
        """Read back what `to_json` wrote."""
        return cls.of(**document)

    def with_settings(self, **settings: Setting) -> "Signature":
        """The same signature with some settings added or changed."""
        return Signature.of(**{**dict(self.settings), **settings})

    def to_json(self) -> dict[str, Setting]:
        """A plain dictionary in reading order."""
        return dict(self.settings)

    @property
    def key(self) -> str:
        """Stable name of these settings; their order does not matter, their types do."""
        return stable_key(self.to_json())

    def __getitem__(self, name: str) -> Setting:
        return dict(self.settings)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(name for name, _ in self.settings)

    def __len__(self) -> int:
        return len(self.settings)

    def __str__(self) -> str:
        return "|".join(f"{name}:{_escape(str(value))}" for name, value in self.settings)
