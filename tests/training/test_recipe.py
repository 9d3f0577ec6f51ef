"""The plan reaches the optimizer: what the weights look like afterwards says so."""

from dataclasses import replace

import pytest
import torch

from builders import subject, tiny
from headcount.core.runtime import Runtime
from headcount.training.finetune import Plan, fine_tune

PLAN = Plan(epochs=2, learning_rate=1e-2, batch_size=8)


def trained(**changes: float) -> torch.Tensor:
    """A weight matrix after 6 steps."""
    model = tiny()
    plan = replace(PLAN, **changes)
    fine_tune(model, subject(model).windows, plan=plan, padding=0, runtime=Runtime(device="cpu", threads=1))
    return model.bert.encoder.layer[1].output.dense.weight.detach()


def moved(weights: torch.Tensor) -> float:
    return float((weights - tiny().bert.encoder.layer[1].output.dense.weight).detach().norm())


@pytest.fixture(scope="module")
def plain() -> torch.Tensor:
    return trained()


def test_warm_up_holds_the_first_steps_back(plain: torch.Tensor) -> None:
    assert moved(trained(warmup_steps=100)) < moved(plain) / 5


def test_weight_decay_shrinks_the_weights(plain: torch.Tensor) -> None:
    # six steps of a rate that falls from 0.01: lr × decay sums to 0.35 of the weights at a decay of 10
    assert float(trained(weight_decay=10.0).norm()) < 0.8 * float(plain.norm())


def test_without_a_rate_nothing_moves() -> None:
    assert moved(trained(learning_rate=0.0)) == 0


def test_more_epochs_go_further(plain: torch.Tensor) -> None:
    assert moved(trained(epochs=6)) > 1.2 * moved(plain)
