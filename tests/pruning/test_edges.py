"""Where a choice of heads tips: halves, zeros and the ends of an interval."""

import numpy as np
import pytest

from builders import subject, tiny
from headcount.core.chance import generator
from headcount.core.heads import Layout, row
from headcount.core.scores import HeadScores
from headcount.importance.method import measure
from headcount.pruning.curve import removal_curve
from headcount.pruning.strategies import prune

LAYOUT = Layout((row("encoder", 0, 6), row("encoder", 1, 6)))


def scores(high: list[float] | None = None) -> HeadScores:
    value = np.arange(12) / 100 - 0.2
    return HeadScores(
        layout=LAYOUT,
        method="ablation",
        task="pos",
        language="sw",
        unit="accuracy",
        signed=True,
        value=value,
        low=value - 1,
        high=value + 1 if high is None else np.array(high),
    )


@pytest.mark.parametrize(
    ("keep", "closed"), [(0.0, 12), (0.04, 12), (0.05, 11), (0.6, 5), (0.65, 4), (0.95, 1), (0.96, 0), (1.0, 0)]
)
def test_a_share_is_rounded_to_the_nearest_head(keep: float, closed: int) -> None:
    mask = prune(scores(), keep=keep)
    assert mask.closed == LAYOUT.names[:closed]


def test_an_interval_that_ends_at_zero_is_not_negative() -> None:
    high = [-0.1, 0.0, -1e-9, 0.1] + [0.0] * 8
    assert prune(scores(high), rule="negative").closed == ("encoder.0.0", "encoder.0.2")


def test_a_curve_has_room_on_both_sides() -> None:
    asked = subject(tiny())
    curve = removal_curve(asked, measure(asked), rng=generator(0, "curve"))
    assert any(low < value < high for low, value, high in zip(curve.low, curve.figure, curve.high, strict=True))
    assert curve.method == "ablation"
    assert curve.language == "svona"
