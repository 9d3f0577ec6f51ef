"""What was measured, as figures with legends and tables: maps, comparison, closing, curves. Charts are `figures`."""

from collections.abc import Sequence
from typing import Any, Final, final

from headcount.core.scores import HeadScores
from headcount.report import figures, rows, words
from headcount.report.document import Demo, Evaluation
from headcount.report.markup import Safe, paragraph, section, table, tag
from headcount.report.palette import BLUE, GREY, ORANGE, PURPLE, WHITE, line_of

# The one method whose intervals hold for all heads of a map together; those of others hold one by one.
TOGETHER: Final = "ablation"


@final
class Wall:
    """Charts hung on a page: each gets a place in the HTML and a key under which the script finds its drawing."""

    def __init__(self) -> None:
        self.charts: dict[str, dict[str, Any]] = {}

    def hang(self, title: str, chart: Any, *notes: str) -> Safe:
        """A titled figure with room for its chart."""
        key = f"chart-{len(self.charts) + 1}"
        self.charts[key] = chart.to_dict()
        place = tag("div", kind="chart", attributes={"id": key})
        return tag("figure", tag("figcaption", tag("strong", title), *notes), place)


def head_maps(demo: Demo, wall: Wall) -> Safe:
    """One row of maps per method, one map per language, one scale for the row."""
    intro = "Each tile is one head: layers go down, heads go across. Touch or hover over a tile for its numbers."
    return section(
        "maps", "What each head is worth", paragraph(intro), *(_maps_of(demo, m, wall) for m in demo.methods)
    )


def _maps_of(demo: Demo, method: str, wall: Wall) -> Safe:
    scores = demo.scores_of(method)
    limit = rows.largest(scores)
    maps = [wall.hang(item.language, figures.head_map(item, planted=demo.planted, limit=limit)) for item in scores]
    wide = len(rows.columns_of(demo.model.layout)) > figures.TILES_WITH_NUMBERS
    return tag(
        "div",
        tag("h3", words.title_of(method)),
        paragraph(words.story_of(method)) if words.story_of(method) else "",
        _map_legend(scores[0], limit),
        tag("div", *maps, kind="grid wide" if wide else "grid"),
        _numbers(demo, scores),
        kind="method",
    )


def _map_legend(scores: HeadScores, limit: float) -> Safe:
    """The colour bar, and what small and outlined tiles mean."""
    unit = " points" if scores.unit == "accuracy" else ""
    top = words.number(limit, unit=scores.unit, signed=scores.signed) + unit
    if scores.signed:
        bottom = words.number(-limit, unit=scores.unit, signed=True) + unit
        bar = _bar(f"harms, {bottom}", f"helps, {top}", (ORANGE, WHITE, BLUE), middle="0")
    else:
        bar = _bar("lowest, 0", f"highest, {top}", (WHITE, PURPLE), middle="")
    small = "small: its interval reaches zero, it may be worth nothing"
    keys = [_key("swatch planted", "outlined: planted")]
    if scores.signed and scores.low is not None:
        keys.insert(0, _key("swatch unsure", small))
    return tag("div", bar, *keys, kind="legend")


def _bar(left: str, right: str, colours: Sequence[str], *, middle: str) -> Safe:
    paint = {"style": f"background:linear-gradient(to right,{','.join(colours)})", "aria-hidden": "true"}
    bar = tag("span", tag("span", middle), kind="bar", attributes=paint)
    return tag("span", left, bar, right, kind="key scale")


def _key(kind: str, meaning: str, *, style: str = "") -> Safe:
    swatch = tag("span", kind=kind, attributes={"aria-hidden": "true", **({"style": style} if style else {})})
    return tag("span", swatch, meaning, kind="key")


def _numbers(demo: Demo, scores: Sequence[HeadScores]) -> Safe:
    """Every number of the maps as a table, for those who cannot or will not hover."""
    lines = []
    for place, name in enumerate(demo.model.layout.names):
        found = [rows.estimate_of(item, place) for item in scores]
        cells = [rows.worth(one, item) for one, item in zip(found, scores, strict=True)]
        lines.append([words.head(demo.model.layout, name), *cells])
    caption = f"{words.title_of(scores[0].method)}: every head in every language"
    body = table(caption, ["Head", *(item.language for item in scores)], lines, kind="small")
    return tag("details", tag("summary", "The same in numbers"), body)


def against(demo: Demo, wall: Wall) -> Safe:
    """The first two methods of the document, head by head."""
    title = "Method against method"
    if len(demo.methods) < 2:
        return section("against", title, paragraph("Only one method was run, so there is nothing to compare."))
    across, up = (demo.scores_of(method) for method in demo.methods[:2])
    reach = rows.scores_reach(across), rows.scores_reach(up)
    partners = {item.language: item for item in up}
    charts = [
        wall.hang(
            one.language, figures.method_against_method(one, partners[one.language], planted=demo.planted, reach=reach)
        )
        for one in across
        if one.language in partners
    ]
    first, second = across[0], up[0]
    intro = (
        f"Each point is a head. To the right: worth more by {words.title_of(first.method).lower()}. "
        f"Further up: worth more by {words.title_of(second.method).lower()}. "
        "Where two methods agree, the points rise from left to right."
    )
    if first.signed and not second.signed:
        intro += (
            " A harmful head stands left of the line; a method without a sign can still place it high, "
            "as if it were worth keeping."
        )
    return section(
        "against", title, paragraph(intro), _sign_legend(f"by {first.method}"), tag("div", *charts, kind="grid")
    )


def _sign_legend(by: str) -> Safe:
    parts = [("helps", BLUE), ("harms", ORANGE), ("cannot be told from zero", GREY)]
    keys = [_key("swatch dot", f"{name} {by}", style=f"background:{colour}") for name, colour in parts]
    return tag("div", *keys, _key("swatch diamond", "a planted head"), kind="legend")


def closing(demo: Demo, wall: Wall) -> Safe:
    """Accuracy before and after closing heads, on text nobody chose them on."""
    if not demo.evaluations:
        return section("closing", "Closing heads", paragraph("In this run no heads were closed."))
    groups: dict[str, list[Evaluation]] = {}
    for item in demo.evaluations:
        groups.setdefault(item.mask, []).append(item)
    spans = [value for item in demo.evaluations for value in (100 * item.gain.low, 100 * item.gain.high)]
    reach = rows.reach_of(0.0, *spans)
    charts = [
        wall.hang(mask, figures.gain_forest(items, reach=reach), paragraph(_why(demo, items[0]), kind="quiet"))
        for mask, items in groups.items()
    ]
    intro = (
        "Now the heads are closed and the model is tested on held-out sentences: the same sentences before "
        "and after, so that the gain can be told from luck. Right of the line is better; "
        "a bar that crosses the line proves nothing."
    )
    keys = [("gain", BLUE), ("loss", ORANGE), ("cannot be told from no change", GREY)]
    legend = tag(
        "div", *(_key("swatch dot", name, style=f"background:{colour}") for name, colour in keys), kind="legend"
    )
    grid = tag("div", *charts, kind="grid")
    note = paragraph(_one_by_one(demo), kind="quiet")
    return section("closing", "Closing heads", paragraph(intro), legend, grid, _closing_table(demo, groups), note)


def _why(demo: Demo, item: Evaluation) -> str:
    closed = words.heads(demo.model.layout, item.closed) if len(item.closed) <= 2 else f"{len(item.closed)} heads"
    return f"{words.full_sentence(item.why)} Closed: {closed}."


def _one_by_one(demo: Demo) -> str:
    """What the p-values and intervals of the page hold for: one alone, or all of them together."""
    number = words.count(len(demo.evaluations))
    text = f"The p-values are one by one, not corrected for their number: this table holds {number}."
    if TOGETHER not in demo.methods:
        return text
    name = words.title_of(TOGETHER).lower()
    return f"{text} In the head maps, the intervals of {name} hold for all heads of a map together."


def _closing_table(demo: Demo, groups: dict[str, list[Evaluation]]) -> Safe:
    lines = [
        [
            item.mask,
            item.language,
            str(len(item.closed)),
            words.percent(item.before),
            words.percent(item.after),
            words.points(item.gain),
            words.p_value(item.p),
            f"{item.examples:,}",
        ]
        for items in groups.values()
        for item in items
    ]
    head = ["Mask", "Language", "Closed", "Before", "After", "Gain", "Chance", "Sentences"]
    caption = f"Before and after, on held-out text, with paired {words.level(demo.confidence)} intervals"
    return table(caption, head, lines, kind="stack", numeric=range(2, 8))


def curves(demo: Demo, wall: Wall) -> Safe:
    """How far accuracy falls as more and more heads leave, by whose advice they leave."""
    if not demo.curves:
        return section("curves", "Removing more and more", paragraph("In this run no removal curve was measured."))
    reach = rows.reach_of(*(100 * value for item in demo.curves for value in (*item.low, *item.high)), margin=0.03)
    reach = reach[0], min(100.0, reach[1])
    methods = tuple(dict.fromkeys(item.method for item in demo.curves))
    groups = rows.by_language(demo.curves, [item.name for item in demo.languages])
    charts = [
        wall.hang(name, figures.removal_curves(items, methods=methods, reach=reach)) for name, items in groups.items()
    ]
    intro = (
        "Heads leave one after another, the least important first. A method that knows the heads keeps its line "
        "up longest; a line that starts by rising has let a harmful head go. Bands are intervals; around "
        "the random order they show the lowest and highest of the orders drawn."
    )
    keys = [tag("span", _line_swatch(name, methods), words.title_of(name), kind="key") for name in methods]
    legend = tag("div", *keys, kind="legend")
    return section("curves", "Removing more and more", paragraph(intro), legend, tag("div", *charts, kind="grid"))


def _line_swatch(method: str, methods: Sequence[str]) -> Safe:
    line = line_of(method, methods)
    stroke = {"x1": "0", "x2": "34", "y1": "5", "y2": "5", "stroke": line.colour, "stroke-width": "2.5"}
    dash = {"stroke-dasharray": " ".join(map(str, line.dash))}
    return tag(
        "svg",
        tag("line", attributes={**stroke, **dash}),
        attributes={"width": "34", "height": "10", "aria-hidden": "true"},
    )
