"""What a method hands back before it is signed, and how an interval becomes a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt

from headcount.core.signature import Setting

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """Values per player with intervals over examples, where examples allow any."""

    value: Floats
    low: Floats | None
    high: Floats | None
    verdicts: tuple[str, ...] | None
    unit: str
    examples: int
    options: Mapping[str, Setting] = field(default_factory=dict)


# Fewer examples than this give no verdict: resampling a handful finds effects everywhere (with 144 heads that do
# nothing, some head "helps" or "harms" in 25 % of texts of 10 sentences, 5 % of 30, 3 % of 100).
LEAST_EXAMPLES = 30


def verdicts_of(low: Floats, high: Floats, *, zone: float, examples: int) -> tuple[str, ...]:
    """Idle inside the indifference zone, else helps or harms where the interval leaves 0 out, else more data."""
    if examples < LEAST_EXAMPLES:
        return ("needs more data",) * len(low)
    words = []
    for bottom, top in zip(low, high, strict=True):
        if -zone <= bottom and top <= zone:
            words.append("idle")
        elif bottom > 0:
            words.append("helps")
        elif top < 0:
            words.append("harms")
        else:
            words.append("needs more data")
    return tuple(words)
