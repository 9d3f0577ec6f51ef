import copy
import pickle

import pytest

from headcount.core import errors
from headcount.core.errors import BadFile, BadInput, HeadcountError, MissingExtra, UnknownName, pick, suggestion

FAMILY = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, HeadcountError)]


def test_every_error_is_of_one_family_and_no_python_error():
    assert len(FAMILY) >= 10
    for kind in FAMILY:
        assert not issubclass(kind, ValueError | OSError | KeyError | ImportError)


def test_a_bad_file_names_file_and_line():
    assert str(BadFile("the file is empty.", path="a.json")) == "a.json: the file is empty."
    problem = BadFile("broken.", path="a.json", line=3)
    assert str(problem) == "a.json:3: broken."
    assert (problem.path, problem.line) == ("a.json", 3)
    assert isinstance(problem, BadInput)


def test_a_missing_extra_says_what_to_install():
    problem = MissingExtra("A data frame", package="pandas", extra="frame")
    assert str(problem) == "A data frame needs the package pandas: pip install 'headcount[frame]'."


@pytest.mark.parametrize(
    "problem",
    [
        UnknownName("No."),
        BadFile("broken.", path="a.json"),
        BadFile("broken.", path="a.json", line=3),
        MissingExtra("A figure", package="altair", extra="report"),
    ],
)
def test_errors_come_back_whole_from_another_process(problem):
    for back in (pickle.loads(pickle.dumps(problem)), copy.copy(problem)):
        assert type(back) is type(problem)
        assert str(back) == str(problem)
        assert vars(back) == vars(problem)


def test_a_near_name_is_suggested_and_a_far_one_is_not():
    assert suggestion("shaply", ["ablation", "shapley"]) == " Did you mean 'shapley'?"
    assert suggestion("xyz", ["ablation", "shapley"]) == ""
    assert suggestion(5, ["ablation"]) == ""


def test_pick_finds_or_tells_all_that_is_known():
    table = {"shapley": 1, "ablation": 2}
    assert pick(table, "ablation", kind="importance method") == 2
    expected = "No importance method is called 'shaply'. Did you mean 'shapley'? Known: ablation, shapley."
    with pytest.raises(UnknownName) as caught:
        pick(table, "shaply", kind="importance method")
    assert str(caught.value) == expected
