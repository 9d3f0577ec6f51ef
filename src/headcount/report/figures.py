"""One function per figure, each an Altair chart. Titles, legends and captions are HTML: `measured`."""

from collections.abc import Sequence
from typing import Any, Final

from headcount.core.errors import MissingExtra
from headcount.core.scores import HeadScores
from headcount.report import rows, words
from headcount.report.document import Curve, Evaluation, Planted
from headcount.report.palette import BLUE, GREY, INK, ORANGE, PURPLE, WHITE, line_of
from headcount.report.rows import Reach

try:
    import altair as alt
except ModuleNotFoundError as problem:
    raise MissingExtra("Drawing figures", package="altair", extra="report") from problem

# Above this many heads in a layer the numbers no longer fit into the tiles; the hover still tells them.
TILES_WITH_NUMBERS: Final = 8
_FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
_NAMES: Final = {
    "head": "head",
    "worth": "worth",
    "verdict": "verdict",
    "planted": "planted",
    "language": "language",
    "before": "before",
    "after": "after",
    "p": "chance",
    "gain_text": "gain",
    "accuracy_text": "accuracy",
    "title": "by",
    "removed": "heads removed",
}


def head_map(scores: HeadScores, *, planted: Sequence[Planted], limit: float) -> alt.LayerChart:
    """Layers down, heads across; a tile is coloured by its value, and small where it is not sure (`rows`)."""
    columns, lines = rows.columns_of(scores.layout), list(rows.line_names(scores.layout).values())
    roomy = len(columns) <= TILES_WITH_NUMBERS
    base = alt.Chart().encode(
        x=alt.X(
            "column:O", title="head", sort=columns, axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False)
        ),
        y=alt.Y("line:O", title="layer", sort=lines, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=_tips("head", "worth", "verdict", "planted"),
    )
    colour = alt.Color("value:Q", scale=_colours(scores, limit), legend=None)
    sure, unsure = base.transform_filter("datum.sure"), base.transform_filter("!datum.sure")
    layers = [
        # Every place has a frame, so that white (worth nothing) can be told from absent (no such head).
        base.mark_rect(fill=INK, fillOpacity=0.03, stroke=INK, strokeOpacity=0.2, width=_band(0.92), height=_band(0.9)),
        sure.mark_rect(width=_band(0.92), height=_band(0.9)).encode(color=colour),
        unsure.mark_rect(stroke=GREY, strokeWidth=1, width=_band(0.4), height=_band(0.4)).encode(color=colour),
        base.transform_filter("datum.marked").mark_rect(
            fillOpacity=0, stroke=INK, strokeWidth=2.5, width=_band(0.97), height=_band(0.96)
        ),
    ]
    if roomy:
        ink = alt.Color("ink:N", scale=None, legend=None)
        layers.append(sure.mark_text(fontSize=11).encode(text="label:N", color=ink))
    data = rows.map_rows(scores, planted=planted, limit=limit)
    chart = alt.layer(*layers, data=alt.Data(values=data)).resolve_scale(color="independent")
    return _finish(chart, height=(38 if roomy else 26) * len(lines), description=f"Head map: {_told(scores)}")


def method_against_method(
    across: HeadScores, up: HeadScores, *, planted: Sequence[Planted], reach: tuple[Reach, Reach]
) -> alt.LayerChart:
    """Each head as a point: its worth by one method against its worth by another; planted heads carry their kind."""
    base = alt.Chart().encode(
        x=_worth_axis(alt.X("across:Q"), across, reach[0]),
        y=_worth_axis(alt.Y("up:Q"), up, reach[1]),
        color=alt.Color("colour:N", scale=None, legend=None),
        tooltip=[
            *_tips("head"),
            alt.Tooltip("across_worth:N", title=across.method),
            alt.Tooltip("up_worth:N", title=up.method),
            *_tips("planted"),
        ],
    )
    marked = base.transform_filter("datum.marked")
    layers = [
        _zero("x"),
        base.transform_filter("!datum.marked").mark_circle(size=64, opacity=0.75),
        marked.mark_point(shape="diamond", size=170, filled=True, stroke=INK, strokeWidth=1.8, opacity=1),
        _kind_names(marked.transform_filter("datum.left"), left=True),
        _kind_names(marked.transform_filter("!datum.left"), left=False),
    ]
    data = rows.pair_rows(across, up, planted=planted, middle=sum(reach[0]) / 2)
    chart = alt.layer(*layers, data=alt.Data(values=data))
    return _finish(chart, height=260, description=f"{_told(across)}, against {_told(up)}")


def gain_forest(evaluations: Sequence[Evaluation], *, reach: Reach) -> alt.LayerChart:
    """The paired gain of one mask in every language, with its interval and the line of no change."""
    data = rows.gain_rows(evaluations)
    order = [row["language"] for row in data]
    scale = alt.Scale(domain=list(reach), nice=True)
    base = alt.Chart().encode(
        y=alt.Y(
            "language:N",
            title=None,
            sort=order,
            axis=alt.Axis(labelFontSize=13, labelLimit=130, ticks=False, labelPadding=8, domain=False),
        ),
        color=alt.Color("colour:N", scale=None, legend=None),
        tooltip=_tips("language", "gain_text", "before", "after", "p"),
    )
    low = alt.X("low:Q", title="gain in points of accuracy", scale=scale, axis=alt.Axis(grid=True, tickCount=6))
    layers = [
        _zero("x"),
        base.mark_rule(strokeWidth=3, opacity=0.75).encode(x=low, x2="high:Q"),
        base.mark_point(size=90, filled=True, opacity=1).encode(x=alt.X("gain:Q", scale=scale)),
    ]
    chart = alt.layer(*layers, data=alt.Data(values=data))
    told = f"Gain and interval in each language for the mask {evaluations[0].mask}"
    return _finish(chart, height=36 * len(order) + 12, description=told)


def removal_curves(curves: Sequence[Curve], *, methods: Sequence[str], reach: Reach) -> alt.LayerChart:
    """Accuracy against the number of heads removed in one language: a line and a band per method."""
    names = [curve.method for curve in curves]
    lines = [line_of(name, methods) for name in names]
    colours = alt.Scale(domain=names, range=[line.colour for line in lines])
    dashes = alt.Scale(domain=names, range=[list(line.dash) for line in lines])
    scale = alt.Scale(domain=list(reach), zero=False, nice=True)
    base = alt.Chart().encode(
        x=alt.X(
            "removed:Q", title="heads removed", axis=alt.Axis(tickMinStep=1, tickCount=6), scale=alt.Scale(nice=False)
        ),
        color=alt.Color("method:N", scale=colours, legend=None),
        tooltip=_tips("title", "removed", "accuracy_text"),
    )
    low = alt.Y("low:Q", title="accuracy in %", scale=scale, axis=alt.Axis(grid=True, tickCount=6))
    height = alt.Y("accuracy:Q", scale=scale)
    layers = [
        base.mark_area(opacity=0.16).encode(y=low, y2="high:Q"),
        base.mark_line(strokeWidth=2.2).encode(
            y=height, strokeDash=alt.StrokeDash("method:N", scale=dashes, legend=None)
        ),
        base.mark_circle(size=20, opacity=1).encode(y=height),
    ]
    chart = alt.layer(*layers, data=alt.Data(values=rows.curve_rows(curves)))
    return _finish(chart, height=250, description=f"Accuracy in {curves[0].language} as heads are removed")


def _told(scores: HeadScores) -> str:
    return f"{words.title_of(scores.method)} in {scores.language}"


def _tips(*names: str) -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{name}:N", title=_NAMES[name]) for name in names]


def _band(share: float) -> alt.RelativeBandSize:
    return alt.RelativeBandSize(band=share)


def _colours(scores: HeadScores, limit: float) -> alt.Scale:
    """Orange – white – blue around zero for signed methods, white to purple for strengths without direction."""
    top = limit or 1.0
    if scores.signed:
        return alt.Scale(domain=[-top, 0, top], range=[ORANGE, WHITE, BLUE], interpolate="rgb", clamp=True)
    return alt.Scale(domain=[0, top], range=[WHITE, PURPLE], interpolate="rgb", clamp=True)


def _worth_axis(direction: Any, scores: HeadScores, reach: Reach) -> Any:
    unit = "points of accuracy" if scores.unit == "accuracy" else scores.unit
    scale = alt.Scale(domain=list(reach), nice=True, zero=False)
    title = scores.method if unit == scores.method else f"{scores.method} ({unit})"
    return direction.title(title).scale(scale).axis(alt.Axis(grid=True, tickCount=6))


def _kind_names(base: alt.Chart, *, left: bool) -> alt.Chart:
    side = base.mark_text(align="right" if left else "left", dx=-12 if left else 12, fontWeight="bold", fontSize=12)
    side = side.encode(text="planted:N", color=alt.value(INK))
    return side.properties(name=f"planted_kinds_{'left' if left else 'right'}")


def _zero(direction: str) -> alt.Chart:
    """The line of no change, on data of its own: one line, not one per row."""
    rule = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=INK, strokeWidth=1.4, opacity=0.55)
    return rule.encode(x="zero:Q") if direction == "x" else rule.encode(y="zero:Q")


def _finish(chart: alt.LayerChart, *, height: int, description: str) -> alt.LayerChart:
    """As wide as its place on the page, in the ink and the font of the page."""
    axis = alt.AxisConfig(
        labelColor=INK, titleColor=INK, tickColor=INK, domainColor=INK, gridColor=INK,
        grid=False, gridOpacity=0.12, domainOpacity=0.35, tickOpacity=0.35,
        labelFontSize=12, titleFontSize=12, titleFontWeight="normal", titlePadding=8,
    )  # fmt: skip
    chart = chart.properties(width="container", height=height, description=description, background="transparent")
    return chart.configure(font=_FONT, axis=axis, view=alt.ViewConfig(stroke=None))
