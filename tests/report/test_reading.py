"""A demo document is read strictly: what is wrong is told by its name."""

from collections.abc import Callable
from typing import Any

import pytest

from headcount.core.errors import BadInput, HeadcountError, LayoutMismatch, UnknownName
from headcount.report.reading import read

Document = dict[str, Any]


def test_a_right_document_is_read_whole(document: Document) -> None:
    demo = read(document)
    assert demo.methods == ("ablation", "gradient")
    assert [item.language for item in demo.scores_of("gradient")] == ["svona", "kemi", "sovami"]
    assert demo.planted[2].truth["sovami"].sign == -1
    assert demo.planted[2].speaks("sovami")
    assert not demo.planted[2].speaks("kemi")


def _without(*path: Any) -> Callable[[Document], None]:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return change


def _with(value: Any, *path: Any) -> Callable[[Document], None]:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        (_with("headcount.scores", "format"), BadInput, "headcount.scores"),
        (_with(2, "version"), BadInput, "version 2"),
        (_without("curves"), BadInput, "'curves'"),
        (_with(1, "curve"), BadInput, "Did you mean 'curves'"),
        (_without("languages", 1, "order"), BadInput, r"languages\[1\] lacks the field 'order'"),
        (_with("yes", "languages", 0, "trained"), BadInput, r"languages\[0\].trained must be true or false"),
        (_with(["DET"], "languages", 0, "sample", "tags"), BadInput, "one tag per word"),
        (_with(float("nan"), "evaluations", 3, "p"), BadInput, r"evaluations\[3\].p must be a finite number"),
        (_with(True, "made", "seed"), BadInput, "made.seed"),
        (_with(9.0, "evaluations", 0, "low"), BadInput, "lies above its high"),
        (_with("dreaming", "planted", 0, "kind"), BadInput, r"planted\[0\].kind cannot be 'dreaming'"),
        (_with("half", "exam", "questions", 0, "result"), BadInput, "found, missed"),
        (_with("encoder.9.9", "planted", 0, "head"), UnknownName, "encoder.9.9"),
        (_with("encoder.9.9", "evaluations", 0, "closed", 0), UnknownName, "encoder.9.9"),
        (_with("klingon", "curves", 0, "language"), UnknownName, "No language is called 'klingon'"),
        (_with([1.0], "curves", 0, "low"), BadInput, r"curves\[0\].low needs one number per step"),
        (_with(3, "model", "layout", "rows", 0, "heads"), LayoutMismatch, "ablation map of svona"),
        (_with([], "scores"), BadInput, "nothing to show"),
        (_with(None, "exam", "accused"), BadInput, "exam.accused must be a list"),
    ],
)
def test_a_wrong_document_is_told_by_name(
    document: Document, change: Callable[[Document], None], error: type[HeadcountError], told: str
) -> None:
    change(document)
    with pytest.raises(error, match=told):
        read(document)


def test_something_else_entirely_is_refused() -> None:
    with pytest.raises(BadInput, match="must be a table, not list"):
        read([])
