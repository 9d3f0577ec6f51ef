"""The exam by hand: made-up scores and made-up truth, so that every mark is known before it is given."""

from typing import Any

import numpy as np
import pytest

from headcount.core.heads import Layout, row
from headcount.core.scores import HeadScores
from headcount.study.exam import examine, with_truth

LAYOUT = Layout((row("encoder", 0, 4), row("encoder", 1, 4)))
NAMES = LAYOUT.names


def says(*verdicts: str, language: str = "aa") -> HeadScores:
    """A method with verdicts; heads that are not named help."""
    words = (*verdicts, *["helps"] * (8 - len(verdicts)))
    return HeadScores(
        layout=LAYOUT,
        method="ablation",
        task="pos",
        language=language,
        unit="accuracy",
        signed=True,
        value=np.zeros(8),
        verdicts=words,
    )


def ranks(*order: int, language: str = "aa") -> HeadScores:
    """A method without verdicts: the places of the heads from the lowest to the highest."""
    return HeadScores(
        layout=LAYOUT,
        method="gradient",
        task="pos",
        language=language,
        unit="scaled gradient",
        signed=False,
        value=np.argsort(order).astype(float),
    )


def truth(*verdicts: str, language: str = "aa") -> dict[str, dict[str, dict[str, Any]]]:
    """What exact removal showed; heads that are not named help."""
    words = (*verdicts, *["helps"] * (8 - len(verdicts)))
    shown = [{"gain": place / 100, "low": 0.0, "high": 0.1, "verdict": word} for place, word in enumerate(words)]
    return {language: dict(zip(NAMES, shown, strict=True))}


def plant(kind: str, place: int = 0, *, language: str | None = None, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "head": NAMES[place], "language": language, **more}


def shown(**verdicts: str) -> dict[str, dict[str, Any]]:
    """The truth of the first head in several languages, in the form that a demo keeps it."""
    return {name: {"accuracy": {}, "heads": truth(word, language=name)[name]} for name, word in verdicts.items()}


def accused(scores: HeadScores, known: dict[str, Any]) -> list[str]:
    return [item["head"] for item in examine([scores], [], known)["accused"]]


@pytest.mark.parametrize(
    ("said", "is_so", "wrong"),
    [
        ("harms", "helps", True),
        ("harms", "idle", True),
        ("harms", "harms", False),
        ("harms", "needs more data", False),
        ("idle", "helps", False),
        ("needs more data", "helps", False),
    ],
)
def test_a_verdict_of_harm_is_wrong_where_the_head_helps_or_idles(said: str, is_so: str, wrong: bool) -> None:
    assert accused(says(said), truth(is_so)) == ([NAMES[0]] if wrong else [])


@pytest.mark.parametrize(
    ("is_so", "wrong"), [("helps", True), ("idle", False), ("harms", False), ("needs more data", False)]
)
def test_pruning_early_is_wrong_only_where_the_head_helps(is_so: str, wrong: bool) -> None:
    known = truth(is_so, *["idle"] * 7)
    assert accused(ranks(0, 1, 2, 3, 4, 5, 6, 7), known) == ([NAMES[0]] if wrong else [])


def test_without_verdicts_the_lowest_quarter_is_blamed() -> None:
    found = examine([ranks(5, 2, 0, 1, 3, 4, 6, 7)], [], truth())
    assert [item["head"] for item in found["accused"]] == [NAMES[5], NAMES[2]]
    assert found["checked"] == {"gradient": 2}
    assert {item["said"] for item in found["accused"]} == {"among the 2 it would prune first"}


@pytest.mark.parametrize(("heads", "quarter"), [(3, 1), (7, 1), (8, 2), (12, 3)])
def test_a_quarter_is_rounded_down_to_at_least_one_head(heads: int, quarter: int) -> None:
    layout = Layout((row("encoder", 0, heads),))
    scores = HeadScores(
        layout=layout,
        method="gradient",
        task="pos",
        language="aa",
        unit="scaled gradient",
        signed=False,
        value=np.arange(heads),
    )
    known = {"aa": {name: {"verdict": "helps"} for name in layout.names}}
    assert accused(scores, known) == list(layout.names[:quarter])


def test_an_accusation_is_told_with_what_was_shown() -> None:
    (item,) = examine([says("idle", "harms")], [], truth("idle", "idle"))["accused"]
    assert item == {
        "method": "ablation",
        "language": "aa",
        "head": NAMES[1],
        "said": "harms",
        "truth": {"gain": 0.01, "low": 0.0, "high": 0.1, "verdict": "idle"},
    }


def test_accusations_are_counted_over_languages_and_judged_by_their_own() -> None:
    known = {**truth("harms"), **truth("helps", language="bb")}
    found = examine([says("harms"), says("harms", language="bb"), says(language="aa")], [], known)
    assert found["checked"] == {"ablation": 2}
    assert [item["language"] for item in found["accused"]] == ["bb"]


@pytest.mark.parametrize(
    ("kind", "verdict", "right"),
    [
        ("dead", "idle", True),
        ("dead", "needs more data", False),
        ("positional", "helps", True),
        ("positional", "idle", False),
        ("harmful", "harms", True),
        ("harmful", "idle", False),
    ],
)
def test_a_verdict_answers_a_question(kind: str, verdict: str, right: bool) -> None:
    (question,) = examine([says(verdict)], [plant(kind, confirmed=True)], truth())["questions"]
    assert question["result"] == ("found" if right else "missed")
    assert question["said"] == verdict
    assert question["kind"] == kind


@pytest.mark.parametrize("kind", ["dead", "harmful"])
@pytest.mark.parametrize(
    ("place", "right", "said"),
    [
        (0, True, "rank 1 of 8, among the first it would prune"),
        (1, True, "rank 2 of 8, among the first it would prune"),
        (2, False, "rank 3 of 8, in between"),
        (7, False, "rank 8 of 8, among those it keeps longest"),
    ],
)
def test_by_rank_what_does_not_help_is_in_the_lowest_quarter(kind: str, place: int, right: bool, said: str) -> None:
    planted = [plant(kind, place, confirmed=True)]
    (question,) = examine([ranks(*range(8))], planted, truth())["questions"]
    assert (question["result"], question["said"]) == ("found" if right else "missed", said)


@pytest.mark.parametrize(
    ("place", "right", "said"),
    [
        (7, True, "rank 8 of 8, among those it keeps longest"),
        (6, True, "rank 7 of 8, among those it keeps longest"),
        (5, False, "rank 6 of 8, in between"),
        (0, False, "rank 1 of 8, among the first it would prune"),
    ],
)
def test_by_rank_what_helps_is_on_top(place: int, right: bool, said: str) -> None:
    planted = [plant("positional", place, confirmed=True)]
    (question,) = examine([ranks(*range(8))], planted, truth())["questions"]
    assert (question["result"], question["said"]) == ("found" if right else "missed", said)


def test_what_was_not_confirmed_is_not_asked() -> None:
    planted = [plant("dead", 0, confirmed=False), plant("dead", 1, confirmed=True)]
    found = examine([says("idle", "idle")], planted, truth())
    assert [item["head"] for item in found["questions"]] == [NAMES[1]]


def test_a_head_of_one_language_is_asked_for_there_alone() -> None:
    planted = [plant("harmful", language="bb", confirmed=True), plant("dead", 1, confirmed=True)]
    known = {**truth(), **truth(language="bb")}
    found = examine([says("harms"), says("harms", language="bb")], planted, known)["questions"]
    assert [(item["language"], item["kind"]) for item in found] == [("aa", "dead"), ("bb", "harmful"), ("bb", "dead")]


@pytest.mark.parametrize(
    ("verdicts", "confirmed"),
    [
        ({"aa": "helps", "bb": "harms"}, True),
        ({"aa": "idle", "bb": "harms"}, True),
        ({"aa": "harms", "bb": "harms"}, False),
        ({"aa": "helps", "bb": "idle"}, False),
        ({"aa": "harms", "bb": "helps"}, False),
        ({"aa": "helps", "bb": "harms", "cc": "harms"}, False),
    ],
)
def test_harm_is_confirmed_in_its_language_and_nowhere_else(verdicts: dict[str, str], confirmed: bool) -> None:
    assert with_truth(plant("harmful", language="bb"), shown(**verdicts))["confirmed"] is confirmed


@pytest.mark.parametrize(("share", "confirmed"), [(0.89, False), (0.9, True), (1.0, True)])
def test_a_positional_head_must_look_at_its_place(share: float, confirmed: bool) -> None:
    told = with_truth(plant("positional", share=share), shown(aa="helps", bb="helps"))
    assert told["confirmed"] is confirmed
    assert "share" not in told


@pytest.mark.parametrize(("kind", "expected"), [("positional", "helps"), ("dead", "idle")])
@pytest.mark.parametrize("other", ["harms", "needs more data"])
def test_the_others_are_confirmed_in_every_language_alike(kind: str, expected: str, other: str) -> None:
    item = plant(kind, share=1.0)
    assert with_truth(item, shown(aa=expected, bb=expected))["confirmed"]
    assert not with_truth(item, shown(aa=expected, bb=other))["confirmed"]
    assert not with_truth(item, shown(aa=other, bb=other))["confirmed"]


def test_the_truth_of_the_planted_head_is_shown() -> None:
    told = with_truth(plant("dead", 2, offset=3), shown(aa="idle"))
    assert told["truth"] == {"aa": {"gain": 0.02, "low": 0.0, "high": 0.1, "verdict": "helps"}}
    assert told["offset"] == 3
    assert told["confirmed"] is False
