"""Methods by name, and `measure`: ask a model through the protocol that the method needs, sign the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from headcount import __version__
from headcount.core.chance import generator
from headcount.core.errors import BadInput, NotSupported, pick
from headcount.core.progress import Progress, silent
from headcount.core.scores import HeadScores
from headcount.core.signature import Signature
from headcount.importance.ablation import ablation
from headcount.importance.gradient import gradient
from headcount.importance.result import Measured
from headcount.training.objective import Differentiable, Game

Run = Callable[..., Measured]


@final
@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to measure heads: what it asks, whether its sign means harm, and the function that does it."""

    name: str
    summary: str
    needs: type
    signed: bool
    run: Run
    passes: Callable[[int], float]  # heads → forward passes over all examples, for an outlook


METHODS = {
    "ablation": Method(
        name="ablation",
        summary="worth of all heads − worth without this one; signed, exact, one pass per head",
        needs=Game,
        signed=True,
        run=ablation,
        passes=lambda heads: 1.0 + heads,
    ),
    "gradient": Method(
        name="gradient",
        summary="mean |d loss / d gate| by layer, scaled to [0, 1] (Ma 2021); unsigned, one backward pass",
        needs=Differentiable,
        signed=False,
        run=gradient,
        passes=lambda heads: 3.0,  # a backward pass is about two forward ones
    ),
}


def measure(
    subject: Any,
    *,
    method: str = "ablation",
    seed: int = 0,
    confidence: float = 0.95,
    zone: float | None = None,
    progress: Progress = silent,
) -> HeadScores:
    """Ask every head of a subject what it is worth."""
    found = pick(METHODS, method, kind="importance method")
    if not isinstance(subject, found.needs):
        able = ", ".join(name for name, item in METHODS.items() if isinstance(subject, item.needs))
        raise NotSupported(
            f"{method!r} needs a {found.needs.__name__} subject, and this {type(subject).__name__} is none. "
            f"It can answer: {able or 'nothing'}."
        )
    if not 0 < confidence < 1:
        raise BadInput(f"A confidence lies between 0 and 1, not {confidence!r}.")
    if zone is not None and not zone >= 0:
        raise BadInput(f"A zone is a half-width from 0 upwards, not {zone!r}.")
    if seed < 0:
        raise BadInput(f"A seed is a whole number from 0, not {seed!r}.")
    if not len(subject.layout):
        raise BadInput("This model has no heads left, so there is nothing to measure.")
    settings = subject.settings()
    rng = generator(seed, "measure", method, str(settings["language"]))
    result = found.run(subject, rng=rng, confidence=confidence, zone=zone, progress=progress)
    signature = Signature.of(
        **{"method": method, **result.options, **settings, "confidence": confidence, "seed": seed, "v": __version__}
    )
    return HeadScores(
        layout=subject.layout,
        method=method,
        task=str(settings["task"]),
        language=str(settings["language"]),
        unit=result.unit,
        signed=found.signed,
        value=result.value,
        low=result.low,
        high=result.high,
        samples=(result.examples,) * len(subject.layout),
        verdicts=result.verdicts,
        confidence=confidence,
        signature=signature,
    )
