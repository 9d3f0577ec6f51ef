"""Options that commands share, and the door where errors become one line and an exit code. Commands are `cli`."""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from headcount.core.errors import HeadcountError
from headcount.core.runtime import Runtime
from headcount.terminal import notices

RUN = "How it runs"
SAY = "What it says"

Model = Annotated[
    str, typer.Argument(help="A folder with a checkpoint, or a model's name on the hub.", metavar="MODEL")
]
Task = Annotated[str, typer.Option(help="What the model does with the text: pos.")]
Data = Annotated[Path, typer.Option(help="A CoNLL-U treebank, plain or .gz.", metavar="FILE")]
Language = Annotated[str | None, typer.Option(help="A name for the language; else the first part of the file's name.")]
Examples = Annotated[int | None, typer.Option(help="Only the first so many sentences.", metavar="N")]
Revision = Annotated[str | None, typer.Option(help="A commit, tag or branch of a model on the hub.")]

_DEFAULTS = Runtime()
_RUNTIME: dict[str, tuple[Any, Any]] = {
    "device": (
        Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1 …", rich_help_panel=RUN)],
        _DEFAULTS.device,
    ),
    "dtype": (
        Annotated[str, typer.Option(help="float32, bfloat16 or float16.", rich_help_panel=RUN)],
        _DEFAULTS.dtype,
    ),
    "threads": (
        Annotated[int | None, typer.Option(help="CPU threads; else what torch takes.", rich_help_panel=RUN)],
        _DEFAULTS.threads,
    ),
    "batch_tokens": (
        Annotated[int, typer.Option(help="Padded pieces in one pass: less for less memory.", rich_help_panel=RUN)],
        _DEFAULTS.batch_tokens,
    ),
    "seed": (Annotated[int, typer.Option(help="Seed of everything that is drawn.", rich_help_panel=RUN)], 0),
}
_DEBUG = Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.", rich_help_panel=SAY)]
_JSON = Annotated[bool, typer.Option("--json", help="Answer with one JSON object, for machines.", rich_help_panel=SAY)]


def command(app: typer.Typer, name: str, *, panel: str, example: str, runs_model: bool = False) -> Callable[..., Any]:
    """Make a function a command: shared options, errors in one line, exit codes 0, 1 and 130.

    A function that takes `runtime` gets it built from the shared options; one that takes `as_json` gets `--json`.
    """

    def make(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function)
        added: dict[str, tuple[Any, Any]] = dict(_RUNTIME) if runs_model else {}
        if "as_json" in own.parameters:
            added["as_json"] = (_JSON, False)
        added["debug"] = (_DEBUG, False)

        @functools.wraps(function)
        def wrapped(**given: Any) -> None:
            debug = given.pop("debug")
            try:
                if runs_model:
                    given["runtime"] = Runtime(**{option: given.pop(option) for option in _RUNTIME})
                function(**given)
            except HeadcountError as problem:
                if debug:
                    raise
                notices().print(f"[bold red]Error:[/] {_plain(str(problem))}")
                raise typer.Exit(1) from None
            except KeyboardInterrupt:
                notices().print("Interrupted. What was finished is kept; the same command goes on from there.")
                raise typer.Exit(130) from None

        kept = [item for item in own.parameters.values() if item.name not in ("runtime", "as_json")]
        extra = [
            inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for option, (kind, default) in added.items()
        ]
        wrapped.__signature__ = own.replace(parameters=[*kept, *extra])  # type: ignore[attr-defined]
        wrapped.__annotations__ = {item.name: item.annotation for item in [*kept, *extra]}
        app.command(name, rich_help_panel=panel, epilog=f"Example:  {example}")(wrapped)
        return wrapped

    return make


def _plain(text: str) -> str:
    """Square brackets in a message are text, not colours."""
    return text.replace("[", r"\[")
