"""The numbers behind each figure: one row per mark, with the words of its hover. Drawing them is `figures`."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from headcount.core.heads import Layout
from headcount.core.scores import HeadScores
from headcount.report import words
from headcount.report.document import Curve, Estimate, Evaluation, Planted
from headcount.report.palette import GREY, colour_of, ink_on

Rows = list[dict[str, Any]]
Reach = tuple[float, float]


def estimate_of(scores: HeadScores, place: int) -> Estimate:
    """One head's value and interval; a method without intervals gives the bare value."""
    value = float(scores.value[place])
    low = value if scores.low is None else float(scores.low[place])
    high = value if scores.high is None else float(scores.high[place])
    return Estimate(value=value, low=low, high=high, verdict=scores.verdicts[place] if scores.verdicts else "")


def worth(found: Estimate, scores: HeadScores) -> str:
    """'+5.1 points [4.2, 6.0]', or without an interval where the method gives none."""
    text = words.number(found.value, unit=scores.unit, signed=scores.signed)
    text += " points" if scores.unit == "accuracy" else ""
    return text if scores.low is None else f"{text} {words.interval(found.low, found.high, unit=scores.unit)}"


def kinds_in(planted: Sequence[Planted], language: str) -> dict[str, str]:
    """Head → kind, for what was planted in this language."""
    return {item.head: item.kind for item in planted if item.speaks(language)}


def columns_of(layout: Layout) -> list[int]:
    """Numbers of heads across the map, from 1; a cut model keeps its gaps, ragged layers share one ruler."""
    return sorted({player.heads[0].index + 1 for player in layout.members})


def line_names(layout: Layout) -> dict[str, str]:
    """Row of the layout → its label: '3', or 'decoder 3' where there are several stacks."""
    firsts = [player.heads[0] for player in layout.members]
    several = len({head.stack for head in firsts}) > 1
    names = {
        (head.stack, head.layer): f"{head.stack} {head.layer + 1}" if several else str(head.layer + 1)
        for head in firsts
    }
    return {f"{stack}.{layer}": name for (stack, layer), name in names.items()}


def map_rows(scores: HeadScores, *, planted: Sequence[Planted], limit: float) -> Rows:
    """One row per head: where it stands, what it is worth; `sure` unless an interval with a sign reaches zero."""
    marked, lines = kinds_in(planted, scores.language), line_names(scores.layout)
    rows = []
    for place, player in enumerate(scores.layout.members):
        found, first = estimate_of(scores, place), player.heads[0]
        strength = found.value / limit if limit else 0.0
        rows.append(
            {
                "name": player.name,
                "line": lines[f"{first.stack}.{first.layer}"],
                "column": first.index + 1,
                "head": words.head(scores.layout, player.name),
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "worth": worth(found, scores),
                "verdict": found.verdict or "none: this method gives no verdicts",
                "marked": player.name in marked,
                "planted": marked.get(player.name, "no"),
                # Without a sign, zero is only the low end of a scale: reaching it says nothing.
                "sure": not scores.signed or scores.low is None or found.sign != 0,
                "label": tile_label(found.value, scores, limit),
                "ink": ink_on(strength, signed=scores.signed),
            }
        )
    return rows


def tile_label(value: float, scores: HeadScores, limit: float) -> str:
    """The number in a tile: as many decimals as the strongest tile needs; nothing where that would not fit."""
    if scores.unit == "accuracy":
        return words.number(value, unit=scores.unit, signed=scores.signed)
    if limit < 0.005:
        return ""
    decimals = min(3, max(0, 2 - math.floor(math.log10(limit))))
    return words.typographic(f"{value:+.{decimals}f}" if scores.signed else f"{value:.{decimals}f}")


def factor(scores: HeadScores) -> float:
    """Accuracy is drawn in points, anything else as it is."""
    return 100.0 if scores.unit == "accuracy" else 1.0


def pair_rows(across: HeadScores, up: HeadScores, *, planted: Sequence[Planted], middle: float) -> Rows:
    """One row per head with both values; `left` where its name has more room on the left of its point."""
    marked = kinds_in(planted, across.language)
    rows = []
    for place, name in enumerate(across.layout.names):
        one, other = estimate_of(across, place), estimate_of(up, place)
        rows.append(
            {
                "name": name,
                "head": words.head(across.layout, name),
                "across": one.value * factor(across),
                "up": other.value * factor(up),
                "across_worth": worth(one, across),
                "up_worth": worth(other, up),
                "marked": name in marked,
                "planted": marked.get(name, "no"),
                "left": one.value * factor(across) > middle,
                "colour": colour_of(one) if across.signed else GREY,
            }
        )
    return rows


def gain_rows(evaluations: Sequence[Evaluation]) -> Rows:
    """One row per language, in points."""
    return [
        {
            "language": item.language,
            "gain": 100 * item.gain.value,
            "low": 100 * item.gain.low,
            "high": 100 * item.gain.high,
            "gain_text": words.points(item.gain),
            "before": words.percent(item.before),
            "after": words.percent(item.after),
            "p": words.p_value(item.p),
            "colour": colour_of(item.gain),
        }
        for item in evaluations
    ]


def curve_rows(curves: Sequence[Curve]) -> Rows:
    """One row per method and step, in percent."""
    return [
        {
            "method": curve.method,
            "title": words.title_of(curve.method),
            "removed": removed,
            "accuracy": 100 * value,
            "low": 100 * low,
            "high": 100 * high,
            "accuracy_text": words.accuracy(Estimate(value=value, low=low, high=high)),
        }
        for curve in curves
        for removed, value, low, high in zip(curve.removed, curve.accuracy, curve.low, curve.high, strict=True)
    ]


def reach_of(*values: float, margin: float = 0.05) -> Reach:
    """The span all small multiples of one figure share, with a little air at both ends."""
    low, high = min(values), max(values)
    air = margin * (high - low or 1.0)
    return low - air, high + air


def scores_reach(scores: Sequence[HeadScores]) -> Reach:
    """The span of one method over all languages, in the unit it is drawn in."""
    return reach_of(*(float(value) * factor(item) for item in scores for value in item.value))


def largest(scores: Sequence[HeadScores]) -> float:
    """The strongest value of one method over all languages: where its colour is full."""
    return max(float(abs(item.value).max(initial=0.0)) for item in scores)


def by_language(items: Sequence[Any], order: Sequence[str]) -> Mapping[str, list[Any]]:
    """What belongs to each language, in the order of the document; languages without any are left out."""
    groups = {name: [item for item in items if item.language == name] for name in order}
    return {name: group for name, group in groups.items() if group}
