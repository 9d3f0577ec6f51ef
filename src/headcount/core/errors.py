"""The one error family: what was got, what was expected, what to do next. Exit codes are `cli`'s business."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeVar

Value = TypeVar("Value")


class HeadcountError(Exception):
    """Base of every error the user can cause and cure; its message is one readable line."""


class UnknownName(HeadcountError):
    """A name that is in no table: a method, a task, a head, a rule."""


class BadInput(HeadcountError):
    """A file, a value or an option that cannot mean what it should."""


class BadFile(BadInput):
    """A file that is missing, empty or damaged; names the file and, where there is one, the line."""

    def __init__(self, message: str, *, path: object, line: int | None = None) -> None:
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{where}: {message}")
        self.message = message
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        # Python rebuilds an error from its text alone; a worker process must be able to hand this one on whole.
        return partial(type(self), path=self.path, line=self.line), (self.message,)


class LayoutMismatch(HeadcountError):
    """Scores, gates or a mask that belong to another model."""


class NotSupported(HeadcountError):
    """A model or a question that this version cannot answer exactly, and therefore refuses."""


class SeamBroken(HeadcountError):
    """A gate that does not do what a gate must: found out by the self-check, never passed over."""


class NotDeterministic(HeadcountError):
    """A payoff that gave two answers to one question."""


class CannotWrite(HeadcountError):
    """The disk or its permissions refused; nothing half-written was left."""


class MissingExtra(HeadcountError):
    """An optional package is not installed; the message holds the `pip install` that brings it."""

    def __init__(self, purpose: str, *, package: str, extra: str) -> None:
        super().__init__(f"{purpose} needs the package {package}: pip install 'headcount[{extra}]'.")
        self.purpose = purpose
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), package=self.package, extra=self.extra), (self.purpose,)


def suggestion(name: object, known: Iterable[str]) -> str:
    """' Did you mean …?' for the nearest known name, or nothing; a file may hold anything where a name must be."""
    if not isinstance(name, str):
        return ""
    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {near[0]!r}?" if near else ""


def pick(table: Mapping[str, Value], name: str, *, kind: str) -> Value:
    """Look a name up; an unknown one is told with its nearest neighbour and all that is known."""
    if name in table:
        return table[name]
    known = ", ".join(sorted(table))
    raise UnknownName(f"No {kind} is called {name!r}.{suggestion(name, table)} Known: {known}.")
