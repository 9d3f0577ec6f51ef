"""Metrics as functions of summed tallies: what happened in each example first, then one figure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# What is counted in every example of a labelling task, in this order.
COLUMNS = ("correct", "total", "log_likelihood")


@final
@dataclass(frozen=True, kw_only=True)
class Metric:
    """A figure from sums of tallies [..., columns]; higher is better."""

    name: str
    figure: Callable[[Floats], Floats]
    percent: bool


def _accuracy(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


def _log_likelihood(sums: Floats) -> Floats:
    return np.asarray(sums[..., 2] / sums[..., 1])


METRICS = {
    "accuracy": Metric(name="accuracy", figure=_accuracy, percent=True),
    "log-likelihood": Metric(name="log-likelihood", figure=_log_likelihood, percent=False),
}


def mean(sums: Floats) -> Floats:
    """For a user's own payoff: tallies are [value, 1]."""
    return np.asarray(sums[..., 0] / sums[..., 1])
