"""Paired bootstrap on tallies: how sure a difference is when other examples could have been drawn. No models here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from headcount.core.errors import BadInput

Floats = npt.NDArray[np.float64]
Metric = Callable[[Floats], Floats]  # sums of tallies [..., columns] → figure [...]

DRAWS = 2_000
# A single comparison can afford more: its p can then be told down to 0.0002.
PAIRED_DRAWS = 10_000
# Draws of weights are made in blocks, so that memory stays flat however many examples there are.
_BLOCK = 4_000_000
# Sums of thousands of tallies are exact to about 1e-13 of their size.
_ROUNDING = 1e-12


@final
@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One figure with its interval over examples."""

    value: float
    low: float
    high: float
    examples: int
    confidence: float


@final
@dataclass(frozen=True, kw_only=True)
class Difference:
    """The same examples before and after: both figures, the gain, its interval and a two-sided p."""

    before: float
    after: float
    gain: float
    low: float
    high: float
    p: float
    examples: int
    draws: int
    confidence: float


@final
@dataclass(frozen=True, kw_only=True)
class Bands:
    """Many figures at once, with an interval for each; simultaneous or one by one as asked."""

    value: Floats
    low: Floats
    high: Floats
    error: Floats


def bootstrap(tallies: Floats, metric: Metric, *, rng: np.random.Generator, confidence: float = 0.95) -> Estimate:
    """Percentile interval of one figure; tallies are [examples, columns]."""
    _require_examples(tallies.shape[0])
    tails = _tails(confidence)
    draws = resampled(tallies[None], metric, rng=rng)[:, 0]
    value = float(metric(tallies.sum(axis=0)))
    low, high = np.quantile(draws, tails)
    return Estimate(value=value, low=float(low), high=float(high), examples=tallies.shape[0], confidence=confidence)


def paired_bootstrap(
    before: Floats, after: Floats, metric: Metric, *, rng: np.random.Generator, confidence: float = 0.95
) -> Difference:
    """Gain of `after` over `before` on the same examples; tallies are [examples, columns].

    The interval is the percentile interval of the resampled gain; p doubles the smaller tail of the resampled gain on
    the other side of zero, with one draw added on either side, so that it is never 0 and ties count against a finding.
    """
    if before.shape != after.shape:
        raise BadInput(f"Paired tallies must have one shape, not {before.shape} and {after.shape}.")
    _require_examples(before.shape[0])
    tails = _tails(confidence)
    both = np.stack([before, after])
    draws = resampled(both, metric, rng=rng, draws=PAIRED_DRAWS)
    first, second = (float(figure) for figure in metric(both.sum(axis=1)))
    gains = draws[:, 1] - draws[:, 0]
    low, high = np.quantile(gains, tails)
    tail = min(np.count_nonzero(gains <= 0), np.count_nonzero(gains >= 0))
    return Difference(
        before=first,
        after=second,
        gain=second - first,
        low=float(low),
        high=float(high),
        p=min(1.0, 2 * (tail + 1) / (len(gains) + 1)),
        examples=before.shape[0],
        draws=len(gains),
        confidence=confidence,
    )


def simultaneous_gains(
    base: Floats, others: Floats, metric: Metric, *, rng: np.random.Generator, confidence: float = 0.95
) -> Bands:
    """base − other for many others at once, with intervals that hold for all of them together.

    The half-width is q × the bootstrap error, q the quantile of the largest studentised deviation over all others
    (max-t; Westfall and Young 1993): correlated figures pay less than Bonferroni. One that never moves has error 0.
    """
    if others.shape[1:] != base.shape:
        raise BadInput(f"Tallies to compare must have one shape, not {base.shape} and {others.shape[1:]}.")
    _require_examples(base.shape[0])
    _tails(confidence)
    together = np.concatenate([base[None], others])
    draws = resampled(together, metric, rng=rng)
    figures = metric(together.sum(axis=1))
    gains = draws[:, :1] - draws[:, 1:]
    # What is smaller than the rounding of the figures themselves is no effect and no error.
    rounding = _ROUNDING * np.maximum(np.abs(draws[:, :1]), np.abs(draws[:, 1:])).max(axis=0)
    value = _above(rounding, figures[0] - figures[1:])
    error = _above(rounding, gains.std(axis=0, ddof=1))
    moving = error > 0
    quantile = 0.0
    if moving.any():
        deviation = np.abs(gains[:, moving] - value[moving]) / error[moving]
        quantile = float(np.quantile(deviation.max(axis=1), confidence))
    return Bands(value=value, low=value - quantile * error, high=value + quantile * error, error=error)


def resampled(tallies: Floats, metric: Metric, *, rng: np.random.Generator, draws: int = DRAWS) -> Floats:
    """Figures [draws, figures] of several tallies [figures, examples, columns] in every draw of examples."""
    figures, examples, columns = tallies.shape
    flat = np.ascontiguousarray(tallies.transpose(1, 0, 2)).reshape(examples, figures * columns)
    chances = np.full(examples, 1 / examples)
    block = max(1, _BLOCK // examples)
    parts = []
    for start in range(0, draws, block):
        weights = rng.multinomial(examples, chances, size=min(block, draws - start)).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):  # told below, with what to do
            parts.append(metric((weights @ flat).reshape(-1, figures, columns)))
    found = np.concatenate(parts)
    if not np.isfinite(found).all():
        raise BadInput(
            "Some draws of examples hold nothing to score: give more examples, or leave out unlabelled ones."
        )
    # A matrix product may round equal columns unequally, by their place: what equals the first figure gets its draws.
    same = (tallies == tallies[:1]).all(axis=(1, 2))
    found[:, same] = found[:, :1]
    return found


def _above(rounding: Floats, values: Floats) -> Floats:
    return np.where(np.abs(values) > rounding, values, 0.0)


def _tails(confidence: float) -> tuple[float, float]:
    if not 0 < confidence < 1:
        raise BadInput(f"A confidence lies between 0 and 1, not {confidence!r}.")
    return (1 - confidence) / 2, (1 + confidence) / 2


def _require_examples(examples: int) -> None:
    if examples < 2:
        raise BadInput(f"An interval over examples needs at least 2 of them; got {examples}.")
