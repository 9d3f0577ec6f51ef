"""The terminal: what people see while and after something runs. Which call is made is `cli`."""

import os
import sys
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from headcount.core.heads import Layout
from headcount.core.scores import HeadScores

BLUE, ORANGE = "#56b4e9", "#e69f00"


def answers() -> Console:
    """Where answers go: standard output, plain in a pipe and under NO_COLOR."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else 200)


def notices() -> Console:
    """Where progress and errors go, so that a pipe holds answers alone."""
    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


class Bars:
    """Progress on standard error: a bar with the time left for people, a line per finished task in a pipe or log."""

    def __init__(self, *, quiet: bool = False) -> None:
        """Under `quiet` nothing is shown."""
        self.console = notices()
        self.live = self.console.is_terminal and not quiet and os.environ.get("TERM") != "dumb"
        self.quiet = quiet
        self.started: dict[str, float] = {}
        self.tasks: dict[str, TaskID] = {}
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=self.console,
            disable=not self.live,
        )

    def __enter__(self) -> Self:
        self.bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bars.stop()

    def __call__(self, task: str, done: int, total: int) -> None:
        """Show that `done` of `total` pieces of a task are finished; a task that starts anew gets a line of its own."""
        if done == 0 or task not in self.started:
            self.started[task] = time.monotonic()
            self.tasks[task] = self.bars.add_task(task, total=total)
        self.bars.update(self.tasks[task], completed=done, total=total)
        if done == total and not self.live and not self.quiet:
            self.console.print(f"{task}: {total} of {total} in {time.monotonic() - self.started[task]:.1f} s")


def score_map(scores: HeadScores) -> Table:
    """Layers down, heads across; blue helps, orange harms, and signs say it without colour."""
    largest = max((abs(float(value)) for value in scores.value), default=0.0) or 1.0
    title = Text(f"{scores.method} · {scores.task}/{scores.language} · {scores.unit} in thousandths")
    table = Table(title=title, box=None, padding=(0, 0, 0, 1))
    table.add_column("layer", justify="right", no_wrap=True)
    rows = _rows(scores.layout)
    for place in range(max((len(names) for names in rows.values()), default=0)):
        table.add_column(str(place), justify="right", no_wrap=True)
    for name, heads in rows.items():
        table.add_row(
            name, *(_cell(float(scores.value[scores.place(head)]), largest, signed=scores.signed) for head in heads)
        )
    return table


def _rows(layout: Layout) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for player in layout.members:
        rows.setdefault(f"{player.heads[0].stack}.{player.heads[0].layer}", []).append(player.name)
    return rows


def _cell(value: float, largest: float, *, signed: bool) -> Text:
    strength = abs(value) / largest
    style = "" if strength < 0.02 else f"{BLUE if value > 0 else ORANGE}{' bold' if strength > 0.5 else ''}"
    shown = round(1000 * value) + 0  # no −0
    return Text(f"{shown:{'+' if signed else ''}d}", style=style)


def ends_table(scores: HeadScores, *, count: int = 5) -> Table:
    """The heads that stand at both ends of a ranking, with intervals and verdicts."""
    table = Table(box=None, title=f"lowest and highest {count}")
    for heading in ("head", "value", "interval", "verdict"):
        table.add_column(heading, justify="left" if heading in ("head", "verdict") else "right")
    order = scores.ranking
    shown = order if len(order) <= 2 * count else (*order[:count], "…", *order[-count:])
    for name in shown:
        table.add_row(*_score_cells(scores, name))
    return table


def _score_cells(scores: HeadScores, name: str) -> Iterable[str]:
    if name == "…":
        return "…", "", "", ""
    place = scores.place(name)
    interval = ""
    if scores.low is not None and scores.high is not None:
        interval = f"[{scores.low[place]:+.4f}, {scores.high[place]:+.4f}]"
    verdict = scores.verdicts[place] if scores.verdicts is not None else ""
    return name, f"{scores.value[place]:+.4f}", interval, verdict


def pairs(rows: Iterable[tuple[str, Any]]) -> Table:
    """Names and values, one a line."""
    table = Table(box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name), Text(str(value)))
    return table


def in_words(value: Any) -> str:
    """A list or a table on one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def inspection_table(found: Mapping[str, Any]) -> Table:
    """What a model is, as `inspect` tells it."""
    sizes = sorted({size for size in found["parameters_per_head"].values() if size is not None})
    dead = f"; silent whatever their gates: {', '.join(found['silent_sites'])}" if found["silent_sites"] else ""
    rows = [
        ("model", found["name"]),
        ("family", found["family"]),
        ("heads", Layout.from_json(found["layout"]).describe()),
        ("attention", found["attention"]),
        ("parameters", f"{found['parameters']:,}"),
        (
            "per head",
            " or ".join(f"{size:,}" for size in sizes) or "cannot be told: gated, but not cut by this version",
        ),
        ("self-check", f"{found['self_check']}: all-ones changes nothing, random gates change every site{dead}"),
    ]
    return pairs(rows)
