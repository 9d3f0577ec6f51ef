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


def verdicts_of(low: Floats, high: Floats, *, zone: float) -> tuple[str, ...]:
    """Idle inside the indifference zone, else helps or harms where the interval leaves 0 out, else more data."""
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
