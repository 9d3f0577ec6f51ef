"""The verbs of the front door: load, measure, evaluate, cut, inspect. What is typed is what a study records."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import torch
from torch import nn

from headcount import __version__
from headcount.core.chance import generator
from headcount.core.errors import BadInput, pick
from headcount.core.heads import Layout
from headcount.core.mask import HeadMask
from headcount.core.progress import Progress, silent
from headcount.core.runtime import Runtime
from headcount.core.scores import HeadScores
from headcount.core.signature import Signature
from headcount.data.metrics import METRICS
from headcount.data.tasks import TASKS, read_examples
from headcount.importance import method as methods
from headcount.model import loading, surgery
from headcount.model.anatomy import anatomy_of
from headcount.model.gates import check_seam
from headcount.model.probe import plain_forward
from headcount.stats.resample import Difference, Estimate, bootstrap, paired_bootstrap
from headcount.training.objective import Payoff
from headcount.training.subject import Subject, subject_of

DEFAULT = Runtime()
# Names of files that tell a split and no language.
_SPLITS = ("train", "dev", "valid", "validation", "test", "data")
# Examples on which an outlook times a pass.
_TIMED = 64


@final
@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A figure on a text, and, where a mask was given, the paired difference it makes."""

    task: str
    language: str
    metric: str
    full: Estimate
    difference: Difference | None
    closed: tuple[str, ...]
    signature: Signature

    def to_json(self) -> dict[str, Any]:
        """Plain values for machines."""
        document: dict[str, Any] = {
            "task": self.task,
            "language": self.language,
            "metric": self.metric,
            "full": vars(self.full),
            "signature": self.signature.to_json(),
        }
        if self.difference is not None:
            document["closed"] = list(self.closed)
            document["difference"] = vars(self.difference)
        return document

    def __str__(self) -> str:
        scale = 100 if METRICS[self.metric].percent else 1
        if self.difference is None:
            full = self.full
            return f"{scale * full.value:.1f} [{scale * full.low:.1f}, {scale * full.high:.1f}] · {self.signature}"
        gain = self.difference
        return (
            f"{scale * gain.after:.1f} vs {scale * gain.before:.1f}: {scale * gain.gain:+.1f} "
            f"[{scale * gain.low:+.1f}, {scale * gain.high:+.1f}], p = {gain.p:.2g} · {self.signature}"
        )


@final
@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a model is, head by head, and whether its gates work."""

    name: str
    family: str
    layout: Layout
    attention: str
    parameters: int
    parameters_per_head: dict[str, int | None]
    silent_sites: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values for machines."""
        return {
            "name": self.name,
            "family": self.family,
            "layout": self.layout.to_json(),
            "heads": len(self.layout),
            "attention": self.attention,
            "parameters": self.parameters,
            "parameters_per_head": self.parameters_per_head,
            "self_check": "passed",
            "silent_sites": list(self.silent_sites),
        }


def load(
    model: str | Path,
    *,
    data: str | Path,
    task: str = "pos",
    language: str | None = None,
    examples: int | None = None,
    runtime: Runtime = DEFAULT,
    revision: str | None = None,
) -> Subject:
    """A checkpoint at a task on a text, ready to be measured; its gates are checked on the way."""
    found = pick(TASKS, task, kind="task")
    texts = read_examples(data, task=task, limit=examples)
    loaded = loading.load(model, head=found.head, runtime=runtime, revision=revision)
    return subject_of(loaded, task=found, language=language or language_of(data), examples=texts, where=str(data))


def language_of(path: str | Path) -> str:
    """The first word of a file's name (`svona.dev.conllu`), or of its folder's where that is a split (`zh_gsd/dev`)."""
    names = [Path(path).name, *(part.name for part in list(Path(path).parents)[:2])]
    for name in names:
        word = re.split(r"[._-]", name)[0]
        if word and word.lower() not in _SPLITS:
            return word
    return "unknown"


def measure(
    subject: Subject | nn.Module,
    *,
    method: str = "ablation",
    worth: Callable[[nn.Module], Any] | None = None,
    seed: int | None = None,
    confidence: float = 0.95,
    zone: float | None = None,
    progress: Progress = silent,
) -> HeadScores:
    """What every head is worth: of a loaded subject, or of any model in memory by your own `worth(model)`."""
    if isinstance(subject, Subject):
        if worth is not None:
            raise BadInput("A subject brings its own payoff; give `worth` together with a bare model.")
        seed = subject.loaded.runtime.seed if seed is None else seed
        asked: Subject | Payoff = subject
    elif isinstance(subject, nn.Module):
        if worth is None:
            raise BadInput("A bare model needs a payoff: measure(model, worth=my_function), or use hc.load(…, data=…).")
        if not callable(worth):
            raise BadInput(f"`worth` is a function that is called with the model, not {type(worth).__name__}.")
        asked = Payoff(subject, worth)
    else:
        raise BadInput(f"Measure a subject from hc.load or a torch model, not {type(subject).__name__}.")
    return methods.measure(asked, method=method, seed=seed or 0, confidence=confidence, zone=zone, progress=progress)


def outlook(subject: Subject, *, method: str | None, masks: int = 0) -> dict[str, Any]:
    """What a measurement or an evaluation would run, and how long: one pass over a few batches is timed now."""
    passes = float(1 + masks)
    if method is not None:
        passes = pick(methods.METHODS, method, kind="importance method").passes(len(subject.layout))
    sample = replace(subject, examples=subject.examples[:_TIMED], windows=_first_windows(subject, _TIMED))
    pieces, all_pieces = (sum(len(window.pieces) for window in part.windows) for part in (sample, subject))
    sample.worth(torch.ones(1, len(subject.layout)))
    started = time.perf_counter()
    sample.worth(torch.ones(1, len(subject.layout)))
    seconds = (time.perf_counter() - started) * all_pieces / pieces
    return {
        "heads": len(subject.layout),
        "examples": len(subject.examples),
        "pieces": all_pieces,
        "passes": passes,
        "seconds": round(passes * seconds, 1),
        "nothing_was_run": True,
    }


def _first_windows(subject: Subject, examples: int) -> tuple[Any, ...]:
    return tuple(window for window in subject.windows if window.example < examples)


def evaluate(subject: Subject, *, mask: HeadMask | None = None, confidence: float = 0.95) -> Evaluation:
    """The task's figure with an interval; with a mask, also what closing its heads does to the same examples."""
    if not isinstance(subject, Subject):
        raise BadInput(f"Evaluate a subject from hc.load, not {type(subject).__name__}.")
    if mask is not None and not isinstance(mask, HeadMask):
        raise BadInput(f"A mask is a HeadMask, not {type(mask).__name__}; HeadMask.load reads one from a file.")
    if len(subject.examples) < 2:
        raise BadInput("An evaluation needs at least 2 examples for its interval.")
    gates = torch.ones(1, len(subject.layout))
    if mask is not None:
        subject.layout.require(mask.layout, what="The mask")
        gates = torch.cat([gates, torch.tensor(mask.keep, dtype=torch.float32)[None]])
    tallies = subject.worth(gates)
    seed = subject.loaded.runtime.seed
    rng = generator(seed, "evaluate", subject.language)
    full = bootstrap(tallies[0], subject.figure, rng=rng, confidence=confidence)
    difference = None
    if mask is not None:
        difference = paired_bootstrap(tallies[0], tallies[1], subject.figure, rng=rng, confidence=confidence)
    settings = {**subject.settings(), "mask": mask.key if mask else None, "test": "paired-bootstrap", "v": __version__}
    return Evaluation(
        task=subject.task.name,
        language=subject.language,
        metric=subject.task.metric,
        full=full,
        difference=difference,
        closed=mask.closed if mask else (),
        signature=Signature.of(**settings),
    )


def cut(subject: Subject | nn.Module, mask: HeadMask) -> Any:
    """A copy without the closed heads; a subject gives a subject, a model gives a model."""
    if isinstance(subject, Subject):
        smaller = surgery.cut(subject.model, mask, anatomy=subject.anatomy)
        return subject.with_model(smaller, change=f"cut:{mask.key[:8]}")
    return surgery.cut(subject, mask)


def cut_folder(
    model: str | Path, mask: HeadMask, folder: str | Path, *, runtime: Runtime = DEFAULT, revision: str | None = None
) -> dict[str, Any]:
    """Cut a checkpoint on disk into another folder; what it was and what it is now."""
    loaded = loading.load(model, head=None, runtime=runtime, revision=revision)
    smaller = surgery.cut(loaded.model, mask)
    # what was stored in half precision is stored so again: float32 held every value exactly
    loading.save(smaller.to(loaded.stored), loaded.tokenizer, folder)
    before, after = (sum(part.numel() for part in item.parameters()) for item in (loaded.model, smaller))
    return {
        "folder": str(folder),
        "heads": [len(mask.layout), len(mask.layout) - len(mask.closed)],
        "parameters": [before, after],
        "closed": list(mask.closed),
    }


def inspect(model: str | Path | nn.Module, *, runtime: Runtime = DEFAULT, revision: str | None = None) -> Inspection:
    """Layout, family, attention kernel, parameters per head, and the self-check of the gates."""
    if isinstance(model, nn.Module):
        found, name = model, type(model).__name__
    else:
        loaded = loading.load(model, head=None, runtime=runtime, revision=revision)
        found, name = loaded.model, str(model)
    anatomy = anatomy_of(found)
    was_training = found.training
    found.eval()
    try:
        silent_sites = check_seam(found, plain_forward(found), anatomy=anatomy)
    finally:
        found.train(was_training)
    config = getattr(found, "config", None)
    return Inspection(
        name=name,
        family=anatomy.family,
        layout=anatomy.layout,
        attention=getattr(config, "_attn_implementation", None) or "unknown",
        parameters=sum(part.numel() for part in found.parameters()),
        parameters_per_head={site.row.name: site.parameters_per_head for site in anatomy.sites},
        silent_sites=silent_sites,
    )
