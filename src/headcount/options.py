"""Options that commands share, and the door where errors become one line and an exit code. Commands are `cli`."""

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

_KEPT = "What was finished is kept; the same command goes on from there."
_NOTHING = "Nothing was written."
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


def command(
    app: typer.Typer, name: str, *, panel: str, example: str, runs_model: bool = False, resumes: bool = False
) -> Callable[..., Any]:
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
            with _door(debug=given.pop("debug"), resumes=resumes):
                if runs_model:
                    given["runtime"] = Runtime(**{option: given.pop(option) for option in _RUNTIME})
                function(**given)
                sys.stdout.flush()

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


@contextmanager
def _door(*, debug: bool, resumes: bool) -> Iterator[None]:
    """What goes wrong inside becomes one readable line and an exit code; --debug lets it pass as it is."""
    try:
        yield
    except BrokenPipeError:
        # who reads the pipe has had enough; Python must not complain once more when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except (HeadcountError, OSError) as problem:
        if debug:
            raise
        told = str(problem) if isinstance(problem, HeadcountError) else f"The system refused: {problem}."
        notices().print(f"[bold red]Error:[/] {_plain(told)}")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        notices().print(f"Interrupted. {_KEPT if resumes else _NOTHING}")
        raise typer.Exit(130) from None


def _plain(text: str) -> str:
    """Square brackets in a message are text, not colours."""
    return text.replace("[", r"\[")
