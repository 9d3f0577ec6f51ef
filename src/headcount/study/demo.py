"""The demo: small languages, a tiny model with planted heads, two methods, an exam. All of it measured in this run."""

import platform
import shlex
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from headcount import __version__
from headcount.core import documents
from headcount.core.chance import generator
from headcount.core.errors import BadInput
from headcount.core.files import make_folder
from headcount.core.mask import HeadMask
from headcount.core.progress import Progress, silent
from headcount.core.runtime import Runtime
from headcount.core.scores import HeadScores, save_scores
from headcount.importance.ablation import ZONES
from headcount.importance.result import verdicts_of
from headcount.lab import nursery
from headcount.lab.truth import removals
from headcount.model.loading import settle
from headcount.pruning.curve import removal_curve
from headcount.pruning.strategies import prune
from headcount.stats.resample import simultaneous_gains
from headcount.study import planting, steps
from headcount.study.exam import examine, with_truth
from headcount.study.stages import Stages
from headcount.training.subject import Subject

FORMAT = "headcount.demo"
VERSION = 1
SIZES = {"train": 1500, "dev": 400, "test": 400, "truth": 800}
LANGUAGES = ("svona", "sovami", "vsoru")
TRAINED = ("svona", "sovami")
VICTIM = "sovami"
METHODS = ("ablation", "gradient")
# Every stage with what its record depends on beside the settings of the demo.
STEPS: tuple[tuple[str, dict[str, str]], ...] = (
    ("text", {}),
    ("model", {}),
    *(("truth", {"language": name}) for name in LANGUAGES),
    *(("scores", {"method": method, "language": name}) for method in METHODS for name in LANGUAGES),
    ("evaluations", {}),
    ("curves", {}),
)
# Random orders beside the rankings in the curves; sentences a curve is drawn on; heads closed by each ranking.
ORDERS, CURVE_EXAMPLES, LOWEST = 3, 200, 6
HARMFUL = "heads that harm"


def run(folder: str | Path, *, runtime: Runtime, progress: Progress = silent) -> dict[str, Any]:
    """Go through all stages, skip what is there, and write text, model, scores, mask and what the page tells."""
    folder = Path(folder)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "records").is_dir():
        raise BadInput(f"{folder} holds something else than a demo; name another folder with --to.")
    make_folder(folder / "records")  # from now on the folder is known as a demo's, whatever interrupts it
    demo = _stages(folder, runtime, progress)
    progress("all stages", 0, len(STEPS))
    text = _text(demo)
    model = _model(demo)
    truth = {name: demo.step("truth", lambda name=name: _truth(demo, name), language=name) for name in LANGUAGES}
    scores = [
        HeadScores.from_json(
            demo.step("scores", lambda m=method, n=name: _scores(demo, m, n), method=method, language=name)
        )
        for method in METHODS
        for name in LANGUAGES
    ]
    save_scores(scores, folder / "scores.json")
    planted = [with_truth(plant, truth) for plant in model["planted"]]
    masks = _masks(scores, planted)
    masks[HARMFUL].save(folder / "mask.json")
    document = {
        "format": FORMAT,
        "version": VERSION,
        "made": _made(demo, folder),
        "model": model["model"],
        "languages": _languages(text["languages"], truth),
        "scores": [item.to_json() for item in scores],
        "planted": planted,
        "exam": examine(scores, planted, {name: item["heads"] for name, item in truth.items()}),
        "evaluations": demo.step("evaluations", lambda: _evaluations(demo, masks)),
        "curves": demo.step("curves", lambda: _curves(demo, scores)),
        "commands": commands(folder, demo.runtime),
    }
    document["made"]["seconds"] = round(sum(demo.seconds), 1)
    documents.save(document, folder / "demo.json")
    return document


def outlook(folder: str | Path, *, runtime: Runtime) -> dict[str, Any]:
    """What a run would make, what is there already, and how long the rest would take on this machine now."""
    demo = _stages(Path(folder), runtime, silent)
    missing = []
    for name, settings in STEPS:
        files = _files(demo.folder, name)
        known = demo.known(name, files=files, **settings)
        if known is None:
            missing.append((name, settings))
        elif files:
            demo.sources[name] = known["files"]
    sentences = sum(_sentences(name, settings) for name, settings in missing)
    return {
        "folder": str(folder),
        "languages": list(LANGUAGES),
        "sentences": dict(SIZES),
        "methods": list(METHODS),
        "stages": len(STEPS),
        "there_already": len(STEPS) - len(missing),
        "sentences_to_run": sentences,
        "seconds": round(sentences * planting.seconds_per_sentence() + len(missing), 1),
    }


def _sentences(stage: str, settings: Mapping[str, str]) -> int:
    """How many sentences pass through the model in one stage, a backward pass counted as two more."""
    heads = nursery.LAYERS * nursery.HEADS
    if stage == "model":
        training = 3 * int(nursery.RECIPE.epochs) * len(TRAINED) * SIZES["train"]
        return training + len(LANGUAGES) * (SIZES["train"] + (heads + 8) * planting.TUNING)
    if stage == "truth":
        return (heads + 2) * SIZES["truth"]
    if stage == "scores":
        return (heads + 1 if settings["method"] == "ablation" else 3) * SIZES["dev"]
    if stage == "evaluations":
        return len(LANGUAGES) * 8 * SIZES["test"]
    return (len(METHODS) + ORDERS) * len(LANGUAGES) * (heads + 1) * CURVE_EXAMPLES if stage == "curves" else 0


def _stages(folder: Path, runtime: Runtime, progress: Progress) -> Stages:
    """One thread unless more are asked for: in so small a model threads only wait for each other."""
    runtime = settle(replace(runtime, threads=runtime.threads or 1))
    fixed = {"demo": VERSION, "headcount": __version__, "sizes": SIZES}
    return Stages(folder=folder, runtime=runtime, progress=progress, fixed=fixed, total=len(STEPS))


def _files(folder: Path, stage: str) -> tuple[Path, ...]:
    """The files that a stage leaves beside its record."""
    if stage == "text":
        return tuple(planting.text_path(folder, name, split) for name in LANGUAGES for split in SIZES)
    if stage == "model":
        return tuple(folder / "model" / name for name in ("config.json", "model.safetensors", "tokenizer.json"))
    return ()


def _subject(demo: Stages, language: str, split: str, *, examples: int | None = None) -> Subject:
    """The planted model at one split of one language."""
    path = planting.text_path(demo.folder, language, split)
    return steps.load(demo.folder / "model", data=path, language=language, examples=examples, runtime=demo.runtime)


def commands(folder: Path, runtime: Runtime) -> list[str]:
    """The commands that make the same by hand, from the demo's own files; they can be pasted into a shell."""
    model, dev, test = (
        shlex.quote(str(path))
        for path in (folder / "model", *(planting.text_path(folder, VICTIM, split) for split in ("dev", "test")))
    )
    how = f"--threads {runtime.threads} --dtype {runtime.dtype} --seed {runtime.seed}"
    return [
        f"headcount demo --to {shlex.quote(str(folder))} {how}",
        f"headcount inspect {model}",
        f"headcount measure {model} --task pos --data {dev} --method ablation --to scores.json {how}",
        "headcount prune scores.json --rule negative --to mask.json",
        f"headcount evaluate {model} --task pos --data {test} --mask mask.json {how}",
        f"headcount cut {model} --mask mask.json --to smaller",
    ]


def _text(demo: Stages) -> dict[str, Any]:
    seed = demo.runtime.seed
    return demo.step(
        "text",
        lambda: planting.write_text(demo.folder, sizes=SIZES, languages=LANGUAGES, seed=seed),
        files=_files(demo.folder, "text"),
    )


def _model(demo: Stages) -> dict[str, Any]:
    return demo.step(
        "model",
        lambda: planting.grow(
            demo.folder,
            languages=LANGUAGES,
            trained=TRAINED,
            victim=VICTIM,
            runtime=demo.runtime,
            progress=demo.progress,
        ),
        files=_files(demo.folder, "model"),
    )


def _truth(demo: Stages, language: str) -> dict[str, Any]:
    """Exact removal of every head on text that no method sees, with intervals for all of them together."""
    subject = _subject(demo, language, "truth")
    whole, others = removals(subject, progress=demo.progress)
    rng = generator(demo.runtime.seed, "truth", language)
    bands = simultaneous_gains(whole, others, subject.figure, rng=rng)
    verdicts = verdicts_of(bands.low, bands.high, zone=ZONES["accuracy"], examples=len(subject.examples))
    accuracy = steps.evaluate(subject).full
    return {
        "accuracy": {"value": accuracy.value, "low": accuracy.low, "high": accuracy.high},
        "heads": {
            name: {"gain": float(gain), "low": float(low), "high": float(high), "verdict": verdict}
            for name, gain, low, high, verdict in zip(
                subject.layout.names, bands.value, bands.low, bands.high, verdicts, strict=True
            )
        },
    }


def _scores(demo: Stages, method: str, language: str) -> dict[str, Any]:
    return steps.measure(_subject(demo, language, "dev"), method=method, progress=demo.progress).to_json()


def _masks(scores: list[HeadScores], planted: list[dict[str, Any]]) -> dict[str, HeadMask]:
    """What is tried on held-out text: the heads that harm the victim, and each method's lowest quarter there."""
    by_method = {item.method: item for item in scores if item.language == VICTIM}
    masks = {HARMFUL: prune(by_method["ablation"], rule="negative")}
    for plant in planted:
        if plant["kind"] == "harmful":
            layout = by_method["ablation"].layout
            masks["the planted harmful head"] = HeadMask.closing(layout, [plant["head"]], why="planted to harm")
    for method, item in by_method.items():
        masks[f"lowest {LOWEST} by {method}"] = prune(item, lowest=LOWEST)
    return masks


def _evaluations(demo: Stages, masks: Mapping[str, HeadMask]) -> list[dict[str, Any]]:
    rows = []
    for name in LANGUAGES:
        subject = _subject(demo, name, "test")
        for label, mask in masks.items():
            gain = steps.evaluate(subject, mask=mask).difference
            assert gain is not None  # a mask was given
            row = {key: getattr(gain, key) for key in ("before", "after", "gain", "low", "high", "p", "examples")}
            rows.append({"mask": label, "why": mask.why, "closed": list(mask.closed), "language": name, **row})
    return rows


def _curves(demo: Stages, scores: list[HeadScores]) -> list[dict[str, Any]]:
    """Removal curves of every ranking, and of some random orders taken together."""
    rows = []
    for name in LANGUAGES:
        subject = _subject(demo, name, "test", examples=CURVE_EXAMPLES)
        rng = generator(demo.runtime.seed, "curves", name)
        for item in (item for item in scores if item.language == name):
            rows.append(removal_curve(subject, item, rng=rng, progress=demo.progress).to_json())
        rows.append(_random_curve(demo, subject, scores[0], rng=rng))
    return rows


def _random_curve(demo: Stages, subject: Subject, like: HeadScores, *, rng: np.random.Generator) -> dict[str, Any]:
    """Mean, lowest and highest of a few random orders: what a ranking must beat."""
    drawn = []
    for _ in range(ORDERS):
        order = HeadScores(
            layout=like.layout,
            method="random",
            task=like.task,
            language=subject.language,
            unit="order",
            signed=False,
            value=rng.permutation(len(like.layout)).astype(np.float64),
        )
        drawn.append(removal_curve(subject, order, rng=rng, progress=demo.progress).figure)
    figures = np.asarray(drawn)
    return {
        "method": "random",
        "language": subject.language,
        "removed": list(range(figures.shape[1])),
        "accuracy": figures.mean(axis=0).tolist(),
        "low": figures.min(axis=0).tolist(),
        "high": figures.max(axis=0).tolist(),
    }


def _languages(told: list[dict[str, Any]], truth: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{**item, "trained": item["name"] in TRAINED, "accuracy": truth[item["name"]]["accuracy"]} for item in told]


def _made(demo: Stages, folder: Path) -> dict[str, Any]:
    settings = "|".join(f"{name}:{value}" for name, value in demo.runtime.settings().items())
    return {
        "command": commands(folder, demo.runtime)[0],
        "headcount": __version__,
        "seed": demo.runtime.seed,
        "settings": settings,
        "versions": {
            "python": platform.python_version(),
            "torch": version("torch"),
            "transformers": version("transformers"),
        },
    }
