"""Gradient: a closed form, finite differences, and the slow twin that asks one example at a time."""

import numpy as np
import pytest
import torch

from builders import subject, tiny
from headcount.core.errors import BadInput
from headcount.core.heads import Layout, row
from headcount.data.batches import IGNORED
from headcount.importance.gradient import scaled
from headcount.importance.method import measure
from headcount.model.gates import gated
from headcount.training.subject import Subject


class Fixed:
    """Gate gradients that are known."""

    layout = Layout((row("encoder", 0, 2), row("encoder", 1, 2)))

    def gate_gradients(self) -> np.ndarray:
        return np.array([[3.0, -4.0, 0.0, 1.0], [-3.0, 4.0, 0.0, -1.0]])

    def settings(self) -> dict[str, object]:
        return {"task": "toy", "language": "none", "metric": "loss"}


def test_the_closed_form_is_met() -> None:
    scores = measure(Fixed(), method="gradient")
    # |g| = 3 4 | 0 1; layer norms 5 and 1 give .6 .8 | 0 1, which already span [0, 1]
    np.testing.assert_allclose(scores.value, [0.6, 0.8, 0.0, 1.0], atol=1e-12)
    assert not scores.signed
    assert scores.verdicts is None


def test_signs_of_examples_do_not_cancel() -> None:
    assert Fixed().gate_gradients().mean(axis=0).tolist() == [0, 0, 0, 0]
    assert measure(Fixed(), method="gradient").value.max() == 1


def test_scaling_by_hand() -> None:
    layout = Layout((row("encoder", 0, 2), row("encoder", 2, 1)))
    np.testing.assert_allclose(scaled(np.array([6.0, 8.0, 5.0]), layout), [0.0, 0.5, 1.0], atol=1e-12)
    np.testing.assert_allclose(scaled(np.zeros(3), layout), [0, 0, 0])
    several = scaled(np.array([[6.0, 8.0, 5.0], [0.0, 2.0, 9.0]]), layout)
    np.testing.assert_allclose(several, [[0.0, 0.5, 1.0], [0.0, 1.0, 1.0]], atol=1e-12)


def loss_of(asked: Subject, place: int, gates: torch.Tensor) -> torch.Tensor:
    """The plain way: one sentence, its own forward pass, the mean loss over its labelled words."""
    total, count = torch.zeros((), dtype=gates.dtype), 0
    for window in (item for item in asked.windows if item.example == place):
        with gated(asked.model, gates):
            logits = asked.model(input_ids=torch.tensor([window.pieces])).logits[0]
        for position, label in enumerate(window.labels):
            if label != IGNORED:
                total = total - logits[position].log_softmax(-1)[label]
                count += 1
    return total / count


def test_equal_to_the_slow_twin() -> None:
    asked = subject(tiny(), count=8)
    found = asked.gate_gradients()
    for place in range(8):
        gates = torch.ones(12, requires_grad=True)
        (slow,) = torch.autograd.grad(loss_of(asked, place, gates), gates)
        np.testing.assert_allclose(found[place], slow.numpy(), atol=1e-5)


def test_equal_to_finite_differences() -> None:
    asked = subject(tiny().double(), count=3)
    found, step = asked.gate_gradients(), 1e-4
    for place in range(3):
        for head in range(12):
            nudge = torch.zeros(12, dtype=torch.float64)
            nudge[head] = step
            ones = torch.ones(12, dtype=torch.float64)
            with torch.no_grad():
                up, down = (loss_of(asked, place, ones + sign * nudge) for sign in (1, -1))
            # 1e-5: our gates are float32, whatever the model is
            assert found[place, head] == pytest.approx(float(up - down) / (2 * step), abs=1e-5)


def test_a_zone_means_nothing_here() -> None:
    with pytest.raises(BadInput, match="A gradient has no zone"):
        measure(Fixed(), method="gradient", zone=0.1)
