"""The exam: what each method said of planted heads, against what exact removal showed. It marks, not measures."""

from collections.abc import Mapping, Sequence
from typing import Any

from headcount.core.scores import HeadScores

Truth = Mapping[str, Mapping[str, Mapping[str, Any]]]  # language → head → gain, low, high, verdict
EXPECTED = {"dead": "idle", "positional": "helps", "harmful": "harms"}


# Share of pieces at which a positional head must look at its offset to be called one.
_SHARE = 0.9


def with_truth(plant: Mapping[str, Any], truth: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A planted head with what exact removal showed of it, and whether that is what was claimed."""
    shown = {language: item["heads"][plant["head"]] for language, item in truth.items()}
    told = {name: value for name, value in plant.items() if name != "share"}
    return {**told, "truth": shown, "confirmed": _confirmed(plant, shown)}


def _confirmed(plant: Mapping[str, Any], shown: Mapping[str, Mapping[str, Any]]) -> bool:
    """As claimed in every language: harm in its own language and no harm elsewhere; the others everywhere alike."""
    verdicts = {language: item["verdict"] for language, item in shown.items()}
    if plant["kind"] == "harmful":
        return all((verdict == "harms") == (language == plant["language"]) for language, verdict in verdicts.items())
    looks = plant["kind"] != "positional" or plant["share"] >= _SHARE
    return looks and set(verdicts.values()) == {EXPECTED[plant["kind"]]}


def examine(scores: Sequence[HeadScores], planted: Sequence[Mapping[str, Any]], truth: Truth) -> dict[str, Any]:
    """Questions on every confirmed head, and every accusation that exact removal contradicts."""
    questions, accused = [], []
    checked: dict[str, int] = {}
    for item in scores:
        for plant in planted:
            if plant["confirmed"] and plant["language"] in (None, item.language):
                questions.append(_question(item, plant))
        blamed = _blamed(item)
        checked[item.method] = checked.get(item.method, 0) + len(blamed)
        for head, said in blamed.items():
            shown = truth[item.language][head]
            if _contradicts(item, shown["verdict"]):
                accused.append(
                    {"method": item.method, "language": item.language, "head": head, "said": said, "truth": dict(shown)}
                )
    return {"questions": questions, "accused": accused, "checked": checked}


def _question(scores: HeadScores, plant: Mapping[str, Any]) -> dict[str, Any]:
    expected = EXPECTED[plant["kind"]]
    if scores.verdicts is not None:
        said = scores.verdicts[scores.place(plant["head"])]
        found = said == expected
    else:
        found, said = _by_rank(scores, plant["head"], expected)
    return {
        "method": scores.method,
        "head": plant["head"],
        "kind": plant["kind"],
        "language": scores.language,
        "expected": expected,
        "said": said,
        "result": "found" if found else "missed",
    }


def _by_rank(scores: HeadScores, head: str, expected: str) -> tuple[bool, str]:
    """Without verdicts the rank answers: what does not help must be in the lowest quarter, what helps on top."""
    order, quarter = scores.ranking, _quarter(scores)
    rank = order.index(head) + 1
    lowest, highest = rank <= quarter, rank > len(order) - quarter
    place = "among the first it would prune" if lowest else "among those it keeps longest" if highest else "in between"
    return (highest if expected == "helps" else lowest), f"rank {rank} of {len(order)}, {place}"


def _quarter(scores: HeadScores) -> int:
    return max(1, len(scores.layout) // 4)


def _blamed(scores: HeadScores) -> dict[str, str]:
    """Heads a method says harm; for a method without verdicts, the quarter that it would prune first."""
    if scores.verdicts is not None:
        return dict.fromkeys(scores.with_verdict("harms"), "harms")
    quarter = _quarter(scores)
    return dict.fromkeys(scores.ranking[:quarter], f"among the {quarter} it would prune first")


def _contradicts(scores: HeadScores, verdict: str) -> bool:
    """Saying that a head harms is wrong where it helps or idles; pruning it early is wrong where it helps."""
    return verdict == "helps" or (scores.verdicts is not None and verdict == "idle")
