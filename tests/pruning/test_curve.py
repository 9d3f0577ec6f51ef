"""The removal curve against evaluations one by one."""

import numpy as np
import pytest

from builders import subject, tiny
from headcount.core.chance import generator
from headcount.core.errors import LayoutMismatch
from headcount.importance.method import measure
from headcount.pruning.curve import removal_curve
from headcount.pruning.strategies import prune
from headcount.study.steps import evaluate


def test_every_point_is_an_evaluation_with_that_mask() -> None:
    asked = subject(tiny())
    scores = measure(asked)
    curve = removal_curve(asked, scores, rng=generator(0, "curve"))
    slow = [evaluate(asked, mask=prune(scores, lowest=count)).difference.after for count in range(13)]
    np.testing.assert_allclose(curve.figure, slow, atol=1e-12)
    assert all(low <= value <= high for low, value, high in zip(curve.low, curve.figure, curve.high, strict=True))
    assert curve.to_json()["removed"] == list(range(13))


def test_a_ranking_of_another_model_is_refused() -> None:
    scores = measure(subject(tiny(layers=2)))
    with pytest.raises(LayoutMismatch, match="The ranking belongs to another model"):
        removal_curve(subject(tiny()), scores, rng=generator(0, "curve"))
