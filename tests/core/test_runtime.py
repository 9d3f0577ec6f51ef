import dataclasses

import pytest

from headcount.core.errors import BadInput
from headcount.core.runtime import Runtime


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_tokens": 0}, "--batch-tokens must be at least 1, not 0"),
        ({"threads": 0}, "--threads must be at least 1, not 0"),
        ({"threads": -2}, "--threads must be at least 1, not -2"),
        ({"seed": -1}, "--seed must lie between 0 and 4294967295, not -1"),
    ],
)
def test_impossible_options_are_refused_by_their_name(options, message):
    with pytest.raises(BadInput, match=message):
        Runtime(**options)


def test_the_smallest_options_are_allowed():
    runtime = Runtime(batch_tokens=1, threads=1, seed=0)
    assert runtime.settings() == {"device": "auto", "dtype": "float32", "threads": 1, "batch_tokens": 1, "seed": 0}


def test_every_option_is_in_the_settings():
    assert set(Runtime().settings()) == {field.name for field in dataclasses.fields(Runtime)}
    with pytest.raises(dataclasses.FrozenInstanceError):
        Runtime().seed = 1
