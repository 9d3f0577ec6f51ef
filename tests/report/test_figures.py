"""Every figure is a valid chart, and its marks carry the numbers of the document."""

from typing import Any

import pytest

from headcount.core.heads import Layout, row
from headcount.core.scores import HeadScores
from headcount.report import figures, rows
from headcount.report.document import Demo
from headcount.report.palette import BLUE, CHANCE, GREY, INK, ORANGE, WHITE, ink_on, line_of
from headcount.report.reading import read
from report import invented_demo


def scores_of(demo: Demo, method: str, language: str) -> HeadScores:
    return next(item for item in demo.scores if (item.method, item.language) == (method, language))


def data_of(chart: Any) -> list[dict[str, Any]]:
    """The rows behind a chart; `to_dict` also checks the chart against the schema of Vega-Lite."""
    spec = chart.to_dict()
    return spec["data"]["values"] if "values" in spec["data"] else spec["datasets"][spec["data"]["name"]]


def head_map(demo: Demo, scores: HeadScores) -> Any:
    return figures.head_map(scores, planted=demo.planted, limit=rows.largest(demo.scores_of(scores.method)))


@pytest.mark.parametrize("method", ["ablation", "gradient"])
@pytest.mark.parametrize("language", invented_demo.LANGUAGES)
def test_head_maps_show_every_head_with_its_numbers(demo: Demo, method: str, language: str) -> None:
    scores = scores_of(demo, method, language)
    tiles = {tile["name"]: tile for tile in data_of(head_map(demo, scores))}
    assert list(tiles) == list(scores.layout.names)
    for place, name in enumerate(scores.layout.names):
        low, high = float(scores.low[place]), float(scores.high[place])  # type: ignore[index]
        assert (tiles[name]["value"], tiles[name]["low"], tiles[name]["high"]) == (scores.value[place], low, high)
        assert tiles[name]["sure"] == (method == "gradient" or low > 0 or high < 0)
    assert tiles["encoder.3.5"]["head"] == "layer 4, head 6 (encoder.3.5)"


def test_hover_tells_worth_interval_and_verdict(demo: Demo) -> None:
    tiles = data_of(head_map(demo, scores_of(demo, "ablation", "sovami")))
    harmful = next(tile for tile in tiles if tile["name"] == invented_demo.HARMFUL)
    assert harmful["worth"].startswith("−5.1 points [−5.")
    assert harmful["verdict"] == "harms"


def test_planted_heads_are_marked_only_where_they_were_planted(demo: Demo) -> None:
    def marked(language: str) -> dict[str, str]:
        tiles = data_of(head_map(demo, scores_of(demo, "ablation", language)))
        return {tile["name"]: tile["planted"] for tile in tiles if tile["marked"]}

    assert marked("sovami") == invented_demo.KINDS
    assert marked("svona") == {head: kind for head, kind in invented_demo.KINDS.items() if kind != "harmful"}


def test_signed_maps_diverge_around_white_and_unsigned_ones_do_not(demo: Demo) -> None:
    def scale(method: str) -> dict[str, Any]:
        spec = head_map(demo, scores_of(demo, method, "sovami")).to_dict()
        return next(layer["encoding"]["color"]["scale"] for layer in spec["layer"] if "color" in layer["encoding"])

    limit = rows.largest(demo.scores_of("ablation"))
    assert scale("ablation")["domain"] == [-limit, 0, limit]
    assert scale("ablation")["range"] == [ORANGE, WHITE, BLUE]
    assert scale("gradient")["domain"][0] == 0
    assert BLUE not in scale("gradient")["range"]
    assert ORANGE not in scale("gradient")["range"]


def test_a_method_without_intervals_is_not_drawn_as_unsure(demo: Demo) -> None:
    scores = scores_of(demo, "ablation", "svona")
    bare = HeadScores.from_json({k: v for k, v in scores.to_json().items() if k not in ("low", "high", "verdicts")})
    tiles = data_of(figures.head_map(bare, planted=(), limit=0.1))
    assert all(tile["sure"] for tile in tiles)
    assert all("[" not in tile["worth"] for tile in tiles)


def test_no_tile_of_an_unsigned_method_is_small(demo: Demo) -> None:
    for scores in demo.scores_of("gradient"):
        tiles = data_of(head_map(demo, scores))
        assert min(tile["low"] for tile in tiles) == 0  # its lowest head is 0 by scaling, whatever it is worth
        assert all(tile["sure"] for tile in tiles)


def test_wide_maps_leave_the_numbers_to_the_hover() -> None:
    demo = read(invented_demo.demo(layout=invented_demo.layout_of(12, 12)))
    spec = head_map(demo, demo.scores[0]).to_dict()
    assert not any(layer["mark"]["type"] == "text" for layer in spec["layer"])
    assert spec["height"] == 12 * 26


def test_ragged_and_stacked_layouts_keep_their_gaps_and_names() -> None:
    layout = Layout(
        (
            row("encoder", 0, 6),
            row("encoder", 1, [0, 1]),
            row("encoder", 2, [4]),
            row("encoder", 3, 6),
            row("decoder", 0, 2),
            row("cross", 0, 3),
        )
    )
    demo = read(invented_demo.demo(layout=layout))
    tiles = data_of(head_map(demo, demo.scores[0]))
    assert {tile["line"] for tile in tiles} == {
        "encoder 1",
        "encoder 2",
        "encoder 3",
        "encoder 4",
        "decoder 1",
        "cross 1",
    }
    assert [tile["column"] for tile in tiles if tile["line"] == "encoder 3"] == [5]
    assert rows.columns_of(layout) == [1, 2, 3, 4, 5, 6]


def test_a_model_whose_heads_are_all_worth_nothing_can_be_drawn(document: dict[str, Any]) -> None:
    for scores in document["scores"]:
        for name in ("value", "low", "high"):
            scores[name] = [0.0] * len(scores["value"])
    demo = read(document)
    for scores in demo.scores:
        assert all(tile["sure"] != scores.signed for tile in data_of(head_map(demo, scores)))


def test_method_against_method_pairs_each_head_with_itself(demo: Demo) -> None:
    across, up = scores_of(demo, "ablation", "sovami"), scores_of(demo, "gradient", "sovami")
    points = data_of(figures.method_against_method(across, up, planted=demo.planted, reach=((-7.0, 7.0), (0.0, 0.2))))
    for place, point in enumerate(points):
        assert point["name"] == across.layout.names[place]
        assert point["across"] == pytest.approx(100 * across.value[place])
        assert point["up"] == up.value[place]
    colours = {point["name"]: point["colour"] for point in points}
    assert colours[invented_demo.HARMFUL] == ORANGE
    assert colours[invented_demo.POSITIONAL] == BLUE
    assert colours[invented_demo.DEAD] == GREY


def test_forests_carry_the_paired_gains(demo: Demo) -> None:
    harmful = [item for item in demo.evaluations if item.mask == "harmful closed"]
    bars = data_of(figures.gain_forest(harmful, reach=(-12.0, 8.0)))
    assert [bar["language"] for bar in bars] == ["svona", "kemi", "sovami"]
    assert [bar["gain"] for bar in bars] == pytest.approx([-0.2, 0.1, 5.1])
    assert [bar["colour"] for bar in bars] == [GREY, GREY, BLUE]
    assert bars[2]["low"] == pytest.approx(100 * harmful[2].gain.low)
    assert bars[2]["high"] == pytest.approx(100 * harmful[2].gain.high)


def test_removal_curves_carry_every_step_of_every_method(demo: Demo) -> None:
    curves = [item for item in demo.curves if item.language == "kemi"]
    chart = figures.removal_curves(curves, methods=("ablation", "gradient", "random"), reach=(20.0, 100.0))
    points = data_of(chart)
    assert len(points) == 3 * 25
    for curve in curves:
        drawn = [point["accuracy"] for point in points if point["method"] == curve.method]
        assert drawn == pytest.approx([100 * value for value in curve.accuracy])


def test_a_method_keeps_its_line_and_chance_is_grey() -> None:
    methods = ("random", "ablation", "gradient")
    assert line_of("random", methods) == CHANCE
    assert line_of("ablation", methods) == line_of("ablation", ("ablation", "gradient", "random"))
    assert line_of("ablation", methods) != line_of("gradient", methods)


def test_tile_numbers_can_be_read_on_every_colour() -> None:
    assert ink_on(1.0, signed=True) == WHITE
    assert ink_on(0.1, signed=True) != WHITE
    assert ink_on(1.0, signed=False) == WHITE


def test_figures_take_the_ink_of_the_page(demo: Demo) -> None:
    config = head_map(demo, demo.scores[0]).to_dict()["config"]
    assert config["axis"]["labelColor"] == INK
