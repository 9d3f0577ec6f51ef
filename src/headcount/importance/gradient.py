"""Gradient: how much the loss of each example leans on each gate. Unsigned: it cannot tell help from harm."""

import numpy as np
import numpy.typing as npt

from headcount.core.errors import BadInput
from headcount.core.heads import Layout
from headcount.core.progress import Progress
from headcount.importance.result import Measured
from headcount.training.objective import Differentiable

Floats = npt.NDArray[np.float64]
_DRAWS = 1_000


def gradient(
    subject: Differentiable, *, rng: np.random.Generator, confidence: float, zone: float | None, progress: Progress
) -> Measured:
    """Mean over examples of |d loss / d gate|, over its layer's L2 norm, then scaled to [0, 1] (Ma et al. 2021)."""
    if zone is not None:
        raise BadInput("A gradient has no zone: it is unsigned and gives no verdicts. Use --method ablation.")
    progress("gate gradients", 0, 1)
    # per example before the mean: signs would cancel (tests/importance/test_gradient.py)
    sizes = np.abs(subject.gate_gradients())
    progress("gate gradients", 1, 1)
    examples = len(sizes)
    if examples < 1:
        raise BadInput("A gradient ranking needs at least one example.")
    value = scaled(sizes.mean(axis=0), subject.layout)
    low = high = None
    if examples > 1:
        weights = rng.multinomial(examples, np.full(examples, 1 / examples), size=_DRAWS) / examples
        drawn = scaled(weights @ sizes, subject.layout)
        low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
        low, high = np.minimum(low, value), np.maximum(high, value)
    return Measured(
        value=value,
        low=low,
        high=high,
        verdicts=None,
        unit="scaled gradient",
        examples=examples,
        options={"of": "gate", "abs": "example", "layer_norm": "l2", "scale": "0-1", "interval": "single"},
    )


def scaled(sizes: Floats, layout: Layout) -> Floats:
    """Layer by layer to L2 norm 1, then all heads together to [0, 1]; `sizes` are [..., players]."""
    normed = np.array(sizes, dtype=np.float64)
    rows = [(player.heads[0].stack, player.heads[0].layer) for player in layout.members]
    for name in dict.fromkeys(rows):
        places = [place for place, found in enumerate(rows) if found == name]
        length = np.linalg.norm(normed[..., places], axis=-1, keepdims=True)
        normed[..., places] /= np.where(length > 0, length, 1.0)
    lowest = normed.min(axis=-1, keepdims=True)
    spread = normed.max(axis=-1, keepdims=True) - lowest
    return np.asarray((normed - lowest) / np.where(spread > 0, spread, 1.0))
