import numpy as np
import pytest

from headcount.data.metrics import COLUMNS, METRICS, mean

SUMS = np.array([6.0, 8, -2])


def test_figures_of_one_sum():
    assert COLUMNS == ("correct", "total", "log_likelihood")
    assert METRICS["accuracy"].figure(SUMS) == 0.75
    assert METRICS["log-likelihood"].figure(SUMS) == -0.25
    assert mean(np.array([3.0, 4])) == 0.75


@pytest.mark.parametrize("name", METRICS)
def test_figures_of_many_sums_keep_their_shape_and_are_higher_when_better(name):
    metric = METRICS[name]
    assert metric.name == name
    table = np.stack([SUMS, SUMS + np.array([1, 0, 1]), SUMS * 2]).reshape(1, 3, 3)
    found = metric.figure(table)
    assert found.shape == (1, 3)
    assert isinstance(metric.figure(SUMS), np.ndarray)
    assert found[0, 1] > found[0, 0] == found[0, 2] == metric.figure(SUMS)


def test_only_a_share_is_shown_in_percent():
    assert METRICS["accuracy"].percent
    assert not METRICS["log-likelihood"].percent
