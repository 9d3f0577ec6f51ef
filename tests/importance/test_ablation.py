"""Ablation: closed forms on toy games, and a slow twin that cuts heads out one by one."""

import numpy as np
import pytest
import torch

from builders import subject, tiny
from headcount.core.chance import generator
from headcount.core.errors import NotSupported, UnknownName
from headcount.core.heads import Layout, row
from headcount.core.mask import HeadMask
from headcount.importance.method import measure
from headcount.importance.result import verdicts_of
from headcount.study import steps


class Additive:
    """A game whose worth is the sum of its open heads' weights, a little different in every example."""

    def __init__(self, weights: list[float], *, examples: int = 50) -> None:
        self.layout = Layout((row("encoder", 0, len(weights)),))
        self.weights = np.asarray(weights)
        self.shifts = generator(0, "shifts").normal(0, 0.1, size=(examples, len(weights)))
        self.asked = 0

    def worth(self, gates: torch.Tensor) -> np.ndarray:
        self.asked += len(gates)
        values = gates.double().numpy() @ (self.weights + self.shifts).T
        return np.stack([values, np.ones_like(values)], axis=-1)

    def figure(self, sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] / sums[..., 1]

    def settings(self) -> dict[str, object]:
        return {"task": "toy", "language": "none", "metric": "mean"}


def test_the_closed_form_is_met() -> None:
    game = Additive([0.5, 0.0, -0.3])
    scores = measure(game)
    np.testing.assert_allclose(scores.value, game.weights + game.shifts.mean(axis=0), atol=1e-12)
    assert scores.verdicts == ("helps", "needs more data", "harms")
    assert scores.unit == "mean"


def test_every_head_is_closed_once() -> None:
    game = Additive([0.1] * 19)
    measure(game)
    assert game.asked == 20


def test_a_game_without_examples_has_no_intervals() -> None:
    scores = measure(Additive([0.5, -0.5], examples=1))
    assert scores.low is None
    assert scores.verdicts is None


def test_the_zone_is_stated_and_used() -> None:
    game = Additive([0.5, 0.001])
    wide = measure(game, zone=2.0)
    assert wide.verdicts == ("idle", "idle")
    assert wide.signature["zone"] == 2.0
    assert measure(game).signature["zone"] == 0.0


def test_verdicts_by_hand() -> None:
    low = np.array([0.01, -0.05, -0.001, -0.01, 0.0, 0.001])
    high = np.array([0.02, -0.03, 0.001, 0.01, 0.0, 0.0015])
    expected = ("helps", "harms", "idle", "needs more data", "idle", "idle")
    assert verdicts_of(low, high, zone=0.002, examples=30) == expected
    assert set(verdicts_of(low, high, zone=0.002, examples=29)) == {"needs more data"}


def test_gated_scores_equal_those_of_heads_cut_out() -> None:
    whole = subject(tiny())
    scores = measure(whole)
    full = steps.evaluate(whole).full.value
    for name in whole.layout.names:
        without = steps.evaluate(steps.cut(whole, HeadMask.closing(whole.layout, [name]))).full.value
        assert scores.value[scores.place(name)] == pytest.approx(full - without, abs=1e-12)


def test_more_confidence_is_a_wider_interval() -> None:
    game = Additive([0.2, 0.1])
    narrow, wide = (measure(game, confidence=confidence) for confidence in (0.8, 0.99))
    assert (wide.high - wide.low > narrow.high - narrow.low).all()


def test_an_unknown_method_is_told_with_its_neighbour() -> None:
    with pytest.raises(UnknownName, match="No importance method is called 'ablaton'. Did you mean 'ablation'"):
        measure(Additive([1.0]), method="ablaton")


def test_a_game_cannot_be_differentiated() -> None:
    with pytest.raises(NotSupported, match="'gradient' needs a Differentiable subject.*It can answer: ablation"):
        measure(Additive([1.0]), method="gradient")
