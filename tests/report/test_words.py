"""Numbers in words."""

import pytest

from headcount.report import words
from headcount.report.document import Estimate


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (Estimate(value=0.051, low=0.042, high=0.06), "+5.1 points [4.2, 6.0]"),
        (Estimate(value=-0.105, low=-0.113, high=-0.097), "−10.5 points [−11.3, −9.7]"),
        (Estimate(value=-0.0001, low=-0.0002, high=0.0), "0.0 points [0.0, 0.0]"),
    ],
)
def test_gains_are_told_in_points_with_their_interval(estimate: Estimate, expected: str) -> None:
    assert plain(words.points(estimate)) == expected


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.0, "p < 0.001"),
        (0.00099, "p < 0.001"),
        (0.001, "p = 0.001"),
        (0.004, "p = 0.004"),
        (0.03, "p = 0.03"),
        (1, "p = 1.00"),
    ],
)
def test_small_p_values_are_not_told_as_zero(p: float, expected: str) -> None:
    assert plain(words.p_value(p)) == expected


def test_units_other_than_accuracy_keep_three_figures() -> None:
    assert words.number(0.01234, unit="gradient", signed=False) == "0.0123"
    assert words.number(-1.5e-7, unit="loss", signed=True) == "−1.5e-07".replace("e-", "e−")


def test_lists_and_counts_read_like_sentences() -> None:
    assert words.listing(["a"]) == "a"
    assert words.listing(["a", "b", "c"]) == "a, b and c"
    assert words.plural(1, "head", "heads") == "one head"
    assert words.plural(24, "head", "heads") == "24 heads"
    assert words.duration(61.2) == "1 min 1 s"


def test_an_interval_never_breaks_over_two_lines() -> None:
    assert " " not in words.interval(-0.01, 0.02, unit="accuracy")
