"""Progress, seen from the side that works: a step says how far it is. How that is shown is the caller's choice."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Told of every task: its name, how far it is, how much there is to do."""

    def __call__(self, task: str, done: int, total: int) -> None:
        """`done` of `total` pieces of `task` are finished."""


def silent(task: str, done: int, total: int) -> None:
    """Show nothing: the default in Python."""


def counted(items: Iterable[Item], *, total: int, task: str, progress: Progress) -> Iterator[Item]:
    """Pass items on and tell after each how far it is."""
    progress(task, 0, total)
    for done, item in enumerate(items, start=1):
        yield item
        progress(task, done, total)
