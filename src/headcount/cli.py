"""The command line: words to calls, no logic. The verbs are `study.steps`; what they print is `terminal`."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from headcount import __version__
from headcount.core.errors import BadInput
from headcount.core.files import check_file
from headcount.core.mask import HeadMask
from headcount.core.runtime import Runtime
from headcount.options import Data, Examples, Language, Model, Revision, Task, command
from headcount.terminal import Bars, answers, ends_table, in_words, inspection_table, pairs, score_map

START, LOOK, WORK = "Start here", "Look", "Measure and remove"
_HELP = """Which attention heads earn their place, for this task, in this language?
And what happens when the others leave?

Scores say what each head is worth, a mask says which heads stay, a cut model is smaller for good.
Heads are counted from 0 and written stack.layer.head, as in encoder.3.7."""
_EPILOG = """First steps:

  headcount demo

  headcount measure MODEL --data dev.conllu --to scores.json

  headcount prune scores.json --lowest 12 --to mask.json

  headcount evaluate MODEL --data test.conllu --mask mask.json

Exit codes: 0 done, 1 a mistake that the message explains, 2 wrong usage, 130 interrupted."""

app = typer.Typer(
    help=_HELP,
    epilog=_EPILOG,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would run and how long, then stop.")]
MaskFile = Annotated[Path | None, typer.Option("--mask", help="A mask from `headcount prune`.", metavar="FILE")]


def main() -> None:
    """The `headcount` command."""
    try:
        app(prog_name="headcount")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _tell_version(asked: bool) -> None:
    if asked:
        answers().print(f"headcount {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    """What holds for every command; the text of the help stands above."""


@command(app, "demo", panel=START, example="headcount demo --to runs/demo", runs_model=True, resumes=True)
def demo(
    *,
    to: Annotated[Path, typer.Option(help="Folder for everything the demo makes.", metavar="FOLDER")] = Path(
        "runs/demo"
    ),
    dry_run: DryRun = False,
    as_json: bool = False,
    runtime: Runtime,
) -> None:
    """Grow a tiny model with planted heads, measure it by every method, write a page.

    Makes artificial languages, trains a small tagger, plants heads whose truth is known, asks each method for them,
    and writes report.html, scores.json and mask.json. A second run goes on from what is there.
    """
    from headcount.report import page
    from headcount.study import demo as study

    if dry_run:
        _answer(study.outlook(to, runtime=runtime), as_json=as_json)
        return
    page.require()
    with Bars() as bars:
        document = study.run(to, runtime=runtime, progress=bars)
        page.write(document, to / "report.html")
    files = {name: str(to / name) for name in ("report.html", "scores.json", "mask.json", "model", "text")}
    if as_json:
        _answer({"files": files, "exam": document["exam"], "seconds": document["made"]["seconds"]}, as_json=True)
        return
    console = answers()
    console.print(
        pairs([("page", files["report.html"]), ("scores", files["scores.json"]), ("mask", files["mask.json"])])
    )
    console.print("Open the page in a browser. Next, your own model and treebank:")
    console.print("  headcount measure MODEL --task pos --data FILE.conllu --to scores.json")


@command(app, "inspect", panel=LOOK, example="headcount inspect runs/demo/model", runs_model=True)
def inspect(*, model: Model, revision: Revision = None, as_json: bool = False, runtime: Runtime) -> None:
    """Is my model supported? Its heads, family, attention kernel, and a self-check of the gates."""
    from headcount.study import steps

    found = steps.inspect(model, runtime=runtime, revision=revision)
    if as_json:
        _answer(found.to_json(), as_json=True)
        return
    answers().print(inspection_table(found.to_json()))


@command(app, "methods", panel=LOOK, example="headcount methods --json")
def methods(*, as_json: bool = False) -> None:
    """The ways to measure heads, what each asks of a model, and whether its sign means harm."""
    from headcount.importance.method import METHODS

    if as_json:
        rows = [
            {"name": item.name, "needs": item.needs.__name__, "signed": item.signed, "summary": item.summary}
            for item in METHODS.values()
        ]
        _answer({"methods": rows}, as_json=True)
        return
    answers().print(pairs((item.name, item.summary) for item in METHODS.values()))


@command(
    app,
    "measure",
    panel=WORK,
    example="headcount measure MODEL --task pos --data de.conllu --method ablation --to scores.json",
    runs_model=True,
)
def measure(
    *,
    model: Model,
    data: Data,
    task: Task = "pos",
    method: Annotated[str, typer.Option(help="ablation or gradient; see `headcount methods`.")] = "ablation",
    language: Language = None,
    examples: Examples = None,
    to: Annotated[Path | None, typer.Option(help="Write the scores here as JSON.", metavar="FILE")] = None,
    revision: Revision = None,
    dry_run: DryRun = False,
    as_json: bool = False,
    runtime: Runtime,
) -> None:
    """What is every head worth? Scores with intervals, for one language.

    Positive values: the head helps. Negative, for signed methods: the language is better off without it.
    """
    from headcount.study import steps

    if to is not None and not dry_run:
        check_file(to)
    subject = steps.load(
        model, data=data, task=task, language=language, examples=examples, runtime=runtime, revision=revision
    )
    if dry_run:
        _answer(steps.outlook(subject, method=method), as_json=as_json)
        return
    with Bars() as bars:
        scores = steps.measure(subject, method=method, progress=bars)
    if to is not None:
        scores.save(to)
    if as_json:
        _answer(scores.to_json(), as_json=True)
        return
    console = answers()
    console.print(score_map(scores))
    console.print(ends_table(scores))
    console.print(str(scores.signature), style="dim", markup=False)
    if to is None:
        console.print("Not saved: add --to scores.json, then `headcount prune scores.json --rule negative`.")
    else:
        console.print(f"Scores in {to}. Next: headcount prune {to} --lowest 12 --to mask.json", markup=False)


@command(app, "prune", panel=WORK, example="headcount prune scores.json --lowest 12 --to mask.json")
def prune(
    *,
    scores: Annotated[Path, typer.Argument(help="Scores from `headcount measure`.", metavar="SCORES")],
    lowest: Annotated[int | None, typer.Option(help="Close so many heads, the lowest first.", metavar="N")] = None,
    keep: Annotated[float | None, typer.Option(help="Keep this share of the heads.", metavar="SHARE")] = None,
    rule: Annotated[str | None, typer.Option(help="negative: close what harms with confidence.")] = None,
    method: Annotated[str | None, typer.Option(help="Which scores, where the file holds several.")] = None,
    language: Annotated[str | None, typer.Option(help="Which scores, where the file holds several.")] = None,
    to: Annotated[Path | None, typer.Option(help="Write the mask here as JSON.", metavar="FILE")] = None,
    as_json: bool = False,
) -> None:
    """Scores to a mask: which heads shall leave."""
    from headcount.core.scores import HeadScores
    from headcount.pruning import strategies

    mask = strategies.prune(
        HeadScores.load(scores, method=method, language=language), lowest=lowest, keep=keep, rule=rule
    )
    if to is not None:
        mask.save(to)
    if as_json:
        _answer(mask.to_json(), as_json=True)
        return
    rows = [("closes", ", ".join(mask.closed) or "no head"), ("why", mask.why)]
    rows.append(("mask", str(to)) if to else ("not saved", "add --to mask.json"))
    answers().print(pairs(rows))


@command(
    app,
    "evaluate",
    panel=WORK,
    example="headcount evaluate MODEL --task pos --data de-test.conllu --mask mask.json",
    runs_model=True,
)
def evaluate(
    *,
    model: Model,
    data: Data,
    task: Task = "pos",
    mask: MaskFile = None,
    language: Language = None,
    examples: Examples = None,
    revision: Revision = None,
    dry_run: DryRun = False,
    as_json: bool = False,
    runtime: Runtime,
) -> None:
    """How good is the model, and what does a mask change? Paired, with interval and p."""
    from headcount.study import steps

    closed = HeadMask.load(mask) if mask is not None else None
    subject = steps.load(
        model, data=data, task=task, language=language, examples=examples, runtime=runtime, revision=revision
    )
    if dry_run:
        _answer(steps.outlook(subject, method=None, masks=0 if closed is None else 1), as_json=as_json)
        return
    found = steps.evaluate(subject, mask=closed)
    if as_json:
        _answer(found.to_json(), as_json=True)
        return
    answers().print(str(found), markup=False)


@command(app, "cut", panel=WORK, example="headcount cut MODEL --mask mask.json --to smaller/", runs_model=True)
def cut(
    *,
    model: Model,
    mask: Annotated[Path, typer.Option(help="A mask from `headcount prune`.", metavar="FILE")],
    to: Annotated[Path, typer.Option(help="A new folder for the smaller model.", metavar="FOLDER")],
    revision: Revision = None,
    as_json: bool = False,
    runtime: Runtime,
) -> None:
    """Take the closed heads out of the weights: same answers as with their gates closed, a smaller model."""
    from headcount.study import steps

    if runtime.dtype != "float32":
        raise BadInput("A model is cut in float32, so that nothing but the heads changes; leave --dtype out.")
    told = steps.cut_folder(model, HeadMask.load(mask), to, runtime=runtime, revision=revision)
    if as_json:
        _answer(told, as_json=True)
        return
    (heads, left), (before, after) = told["heads"], told["parameters"]
    rows = [
        ("heads", f"{heads} → {left}"),
        ("parameters", f"{before:,} → {after:,} ({100 * (after / before - 1):+.1f} %)"),
        ("folder", told["folder"]),
        ("next", f"headcount inspect {told['folder']}"),
    ]
    answers().print(pairs(rows))


def _answer(document: dict[str, Any], *, as_json: bool) -> None:
    """One JSON object on standard output, or its fields a line each."""
    if as_json:
        print(json.dumps(document, ensure_ascii=False, allow_nan=False))  # noqa: T201 the one place that answers machines
    else:
        answers().print(pairs((name.replace("_", " "), in_words(value)) for name, value in document.items()))


if __name__ == "__main__":
    main()
