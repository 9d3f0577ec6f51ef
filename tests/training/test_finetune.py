"""Fine-tuning: it learns, repeats itself, tells its progress, and leaves the caller's chance alone."""

import random
import sys

import numpy as np
import pytest
import torch

from builders import subject, tiny
from headcount.core.errors import MissingExtra
from headcount.core.mask import HeadMask
from headcount.core.runtime import Runtime
from headcount.model.anatomy import anatomy_of
from headcount.model.surgery import cut
from headcount.training.finetune import Plan, fine_tune

PLAN = Plan(epochs=120, learning_rate=1e-2, batch_size=8)


def trained(model: torch.nn.Module, *, seed: int = 0, plan: Plan = PLAN) -> torch.nn.Module:
    windows = subject(model).windows
    return fine_tune(model, windows, plan=plan, padding=0, runtime=Runtime(device="cpu", threads=1, seed=seed))


def accuracy(model: torch.nn.Module) -> float:
    asked = subject(model)
    return float(asked.figure(asked.worth(torch.ones(1, len(asked.layout)))[0].sum(axis=0)))


def test_it_learns_its_text() -> None:
    model = tiny()
    before = accuracy(model)
    assert accuracy(trained(model)) > before + 0.3
    assert not model.training


def test_a_cut_model_is_trained_like_any_other() -> None:
    model = tiny()
    smaller = cut(model, HeadMask.closing(anatomy_of(model).layout, ["encoder.0.0", "encoder.1.1"]))
    before = accuracy(smaller)
    assert accuracy(trained(smaller)) > before + 0.3
    assert len(anatomy_of(smaller).layout) == 10


def test_the_seed_decides_the_weights() -> None:
    short = Plan(epochs=1, learning_rate=1e-3, batch_size=8)
    first, again, other = (trained(tiny(), seed=seed, plan=short).classifier.weight for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_chance_and_progress() -> None:
    told: list[tuple[str, int, int]] = []
    torch.manual_seed(3)
    random.seed(3)
    np.random.seed(3)
    before = torch.random.get_rng_state(), random.getstate(), str(np.random.get_state())
    model = tiny()
    fine_tune(
        model,
        subject(model).windows,
        plan=Plan(epochs=2, learning_rate=1e-3, batch_size=8),
        padding=0,
        runtime=Runtime(device="cpu", threads=1),
        progress=lambda *step: told.append(step),
    )
    assert told == [("training", step, 6) for step in range(7)]
    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert (random.getstate(), str(np.random.get_state())) == before[1:]


def test_without_accelerate_the_cure_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "accelerate", None)
    with pytest.raises(MissingExtra, match=r"Training needs the package accelerate: pip install 'headcount\[train\]'"):
        trained(tiny())
