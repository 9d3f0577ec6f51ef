"""Intervals and the zone: how sure a method is, and what it calls no effect."""

import numpy as np
import pytest

from builders import subject, tiny
from headcount.core.chance import generator
from headcount.core.heads import Layout, row
from headcount.core.scores import HeadScores
from headcount.importance.gradient import scaled
from headcount.importance.method import measure
from headcount.importance.result import verdicts_of


class Leaning:
    """Gate gradients of 40 examples, drawn once."""

    layout = Layout((row("encoder", 0, 3), row("encoder", 1, 3)))
    sizes = generator(0, "leaning").gamma(2.0, size=(40, 6))

    def gate_gradients(self) -> np.ndarray:
        return self.sizes

    def settings(self) -> dict[str, object]:
        return {"task": "toy", "language": "none", "metric": "loss"}


def asked(confidence: float) -> HeadScores:
    return measure(Leaning(), method="gradient", confidence=confidence)


def test_no_effect_on_accuracy_is_a_fifth_of_a_point() -> None:
    scores = measure(subject(tiny(), count=6))
    assert scores.unit == "accuracy"
    assert scores.signature["zone"] == 0.002


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.0, 0.01, "needs more data"),
        (-0.01, 0.0, "needs more data"),
        (1e-9, 0.01, "helps"),
        (-0.01, -1e-9, "harms"),
        (-0.002, 0.002, "idle"),
        (-0.0021, 0.002, "needs more data"),
        (-0.002, 0.0021, "needs more data"),
    ],
)
def test_an_interval_that_touches_zero_decides_nothing(low: float, high: float, verdict: str) -> None:
    assert verdicts_of(np.array([low]), np.array([high]), zone=0.002, examples=1_000) == (verdict,)


def test_more_confidence_is_a_wider_interval_of_a_gradient() -> None:
    narrow, wide = asked(0.8), asked(0.99)
    assert (wide.low <= narrow.low).all()
    assert (wide.high >= narrow.high).all()
    assert (wide.low < narrow.low).any()
    assert (wide.high > narrow.high).any()


def test_both_tails_of_a_gradient_are_those_of_a_slow_bootstrap() -> None:
    rng, sizes = generator(1, "slow"), Leaning.sizes
    drawn = [scaled(sizes[rng.integers(0, 40, size=40)].mean(axis=0), Leaning.layout) for _ in range(2_000)]
    low, high = np.quantile(drawn, [0.1, 0.9], axis=0)
    found = asked(0.8)
    np.testing.assert_allclose(found.low, np.minimum(low, found.value), atol=0.05)
    np.testing.assert_allclose(found.high, np.maximum(high, found.value), atol=0.05)
