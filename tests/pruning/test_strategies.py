"""Strategies: scores to masks, by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.core.errors import BadInput, NotSupported, UnknownName
from headcount.core.heads import Layout, row
from headcount.core.scores import HeadScores
from headcount.pruning.strategies import nested, prune

LAYOUT = Layout((row("encoder", 0, 3), row("encoder", 1, 3)))


def scores(values: list[float], *, signed: bool = True, error: float | None = 0.1) -> HeadScores:
    array = np.array(values)
    return HeadScores(
        layout=LAYOUT,
        method="ablation",
        task="pos",
        language="sw",
        unit="accuracy",
        signed=signed,
        value=array,
        low=None if error is None else array - error,
        high=None if error is None else array + error,
    )


VALUES = [0.3, -0.2, 0.0, -0.05, 0.5, 0.2]


def test_lowest_closes_the_lowest() -> None:
    assert prune(scores(VALUES), lowest=2).closed == ("encoder.0.1", "encoder.1.0")
    assert prune(scores(VALUES), lowest=0).closed == ()
    assert len(prune(scores(VALUES), lowest=6).closed) == 6


def test_keep_is_the_other_way_to_say_it() -> None:
    assert prune(scores(VALUES), keep=0.5).closed == prune(scores(VALUES), lowest=3).closed


def test_negative_needs_its_whole_interval_below_zero() -> None:
    assert prune(scores(VALUES), rule="negative").closed == ("encoder.0.1",)
    assert prune(scores(VALUES, error=0.01), rule="negative").closed == ("encoder.0.1", "encoder.1.0")


def test_the_mask_says_why_and_from_what() -> None:
    mask = prune(scores(VALUES), lowest=2)
    assert mask.why == "lowest 2 by ablation on pos/sw"
    assert mask.signature["prune"] == "lowest 2"


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=6))
def test_masks_of_a_curve_are_nested_and_exact(values: list[float]) -> None:
    masks = nested(scores(values))
    assert [len(mask.closed) for mask in masks] == list(range(7))
    for smaller, larger in pairwise(masks):
        assert set(smaller.closed) < set(larger.closed)
        assert max((values[LAYOUT.place(name)] for name in smaller.closed), default=-2) <= min(
            (values[place] for place, keep in enumerate(smaller.keep) if keep), default=2
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "exactly one of lowest, keep, rule; got none"),
        ({"lowest": 1, "keep": 0.5}, "got lowest, keep"),
        ({"lowest": 7}, "whole number of heads between 0 and 6 can be closed, not 7"),
        ({"lowest": -1}, "not -1"),
        ({"keep": 1.5}, "between 0 and 1, not 1.5"),
    ],
)
def test_wrong_choices_are_told(options: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        prune(scores(VALUES), **options)


def test_rules_that_cannot_be_followed_are_refused() -> None:
    with pytest.raises(UnknownName, match="No pruning rule is called 'negativ'. Did you mean 'negative'"):
        prune(scores(VALUES), rule="negativ")
    with pytest.raises(NotSupported, match="unsigned: it cannot say that a head harms"):
        prune(scores(VALUES, signed=False), rule="negative")
    with pytest.raises(NotSupported, match="no intervals"):
        prune(scores(VALUES, error=None), rule="negative")
