"""Signatures: the settings behind a number, as a readable line and a stable key. Meanings are told where used."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

from headcount.core.errors import BadInput

Setting = str | int | float | bool | None


def canonical_json(document: Any) -> str:
    """One text for one value: keys sorted, no spaces, no NaN; so that equal settings hash alike."""
    return json_text(document, sort_keys=True, separators=(",", ":"))


def json_text(document: Any, **style: Any) -> str:
    """JSON that comes back as it went in: no NaN, no half characters, no names that are not text."""
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, **style)
        text.encode()
    except UnicodeEncodeError as problem:
        raise BadInput(
            f"Text with half a character in it (a lone surrogate) cannot be recorded: {problem}."
        ) from problem
    except ValueError as problem:
        raise BadInput(f"A value that is not a finite number cannot be recorded: {problem}.") from problem
    except TypeError as problem:
        raise BadInput(f"Only text, numbers, lists and tables can be recorded: {problem}.") from problem
    _require_text_names(document)
    return text


def _require_text_names(value: Any) -> None:
    """JSON writes the name 1 as "1": two different tables would get one text and one key."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if not isinstance(name, str):
                raise BadInput(f"Names in a recorded table must be text, not {name!r}.")
            _require_text_names(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _require_text_names(item)


def stable_key(document: Any) -> str:
    """SHA-256 of the canonical JSON, first 20 hex digits: the name of a record."""
    return hashlib.sha256(canonical_json(document).encode()).hexdigest()[:20]


def _escape(text: str) -> str:
    """Keep `|` as the separator of the printed line, and the line one line."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", "\\n")


@final
@dataclass(frozen=True)
class Signature(Mapping[str, Setting]):
    """Ordered settings; printed as `method:ablation|task:pos/de|n:512|seed:0`."""

    settings: tuple[tuple[str, Setting], ...] = ()

    def __post_init__(self) -> None:
        if len(dict(self.settings)) != len(self.settings):
            raise BadInput(f"A signature names a setting twice: {', '.join(name for name, _ in self.settings)}.")
        for name, value in self.settings:
            _require_setting(name, value)

    @classmethod
    def of(cls, /, **settings: Setting) -> "Signature":
        """Build from keyword arguments, in their order; settings that are None do not apply and are left out."""
        return cls(tuple((name, value) for name, value in settings.items() if value is not None))

    @classmethod
    def from_json(cls, document: Any) -> "Signature":
        """Read back strictly what `to_json` wrote."""
        if not isinstance(document, Mapping):
            raise BadInput(f"A signature must be a table of settings, not {document!r}.")
        return cls(tuple((name, value) for name, value in document.items() if value is not None))

    def with_settings(self, /, **settings: Setting) -> "Signature":
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
        names = (_escape(name).replace(":", "\\:") for name in self)
        return "|".join(f"{name}:{_escape(str(value))}" for name, value in zip(names, self.values(), strict=True))


def _require_setting(name: Any, value: Any) -> None:
    if not isinstance(name, str):
        raise BadInput(f"The name of a setting must be text, not {name!r}.")
    if value is not None and not isinstance(value, str | int | float):
        raise BadInput(f"The setting {name!r} must be text, a number, true or false, not {value!r}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"The setting {name!r} must be a finite number, not {value!r}.")
