import dataclasses
import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.drawn_layouts import head_scores
from headcount.core.errors import BadFile, BadInput, HeadcountError, MissingExtra, UnknownName
from headcount.core.heads import Head, Layout, row
from headcount.core.scores import HeadScores, choose, load_scores, save_scores
from headcount.core.signature import Signature

LAYOUT = Layout((row("encoder", 0, 2), row("encoder", 1, [0, 3])))
FULL = {
    "value": [0.5, -0.25, 0.0, 0.5],
    "low": [0.25, -0.5, -0.1, 0.2],
    "high": [0.75, -0.125, 0.1, 0.8],
    "compute_low": [0.4, -0.3, 0, 0.5],
    "compute_high": [0.6, -0.2, 0, 0.5],
    "samples": [5, 6, 7, 8],
    "verdicts": ["helps", "harms", "idle", "helps"],
}


def scores(**changes):
    known = {"method": "ablation", "task": "pos", "language": "sw", "unit": "accuracy", "signed": True}
    signature = Signature.of(method="ablation", n=512, seed=0)
    return HeadScores(**{"layout": LAYOUT, "value": FULL["value"], "signature": signature, **known, **changes})


def plain(item):
    """Every field as plain values, read without the help of `to_json`."""
    fields = {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    return {name: part.tolist() if isinstance(part, np.ndarray) else part for name, part in fields.items()}


@given(head_scores())
def test_json_round_trip(item):
    back = HeadScores.from_json(json.loads(json.dumps(item.to_json())))
    assert back == item
    assert hash(back) == hash(item)
    assert back.key == item.key
    assert plain(back) == plain(item)


@given(st.lists(head_scores(), min_size=1, max_size=3))
def test_file_round_trip(tmp_path_factory, items):
    path = tmp_path_factory.getbasetemp() / "drawn.json"
    save_scores(items, path)
    assert [plain(item) for item in load_scores(path)] == [plain(item) for item in items]


def test_one_set_is_saved_and_loaded(tmp_path):
    item = scores(**FULL)
    path = item.save(tmp_path / "scores.json")
    assert HeadScores.load(path) == item
    assert path.read_text().count("\n") < 60  # a list of numbers takes one line: files can be compared by eye


BROKEN = [
    ({"value": [0.1, 0.2, 0.3]}, r"Scores.value must hold 4 numbers, one per head of the layout; got 3"),
    ({"value": [0.1, 0.2, 0.3, None]}, r"Scores.value\[3\] must be a finite number, not None"),
    ({"value": [0.1, 0.2, 0.3, True]}, r"Scores.value\[3\] must be a finite number, not True"),
    ({"value": [0.1, 0.2, 0.3, "4"]}, r"Scores.value\[3\] must be a finite number, not '4'"),
    ({"value": [[0.1, 0.2, 0.3, 1]]}, r"Scores.value must hold 4 numbers"),
    ({"value": None}, r"need a value for every head"),
    ({"value": 10**400}, r"Scores.value must be a list of 4 numbers, not int"),
    ({"value": [10**400, 0, 0, 0]}, r"Scores.value\[0\] must be a finite number"),
    ({"low": [0, 0, 0]}, r"Scores.low must hold 4 numbers"),
    ({"high": [0, 0, 0, 0]}, r"both low and high, or neither"),
    ({"compute_low": [0, 0, 0, 0]}, r"both compute_low and compute_high, or neither"),
    ({"low": [0, 0, 0, 1], "high": [0, 0, 0, 0.5]}, r"low lies above its high"),
    ({"compute_low": [0, 0, 0, 1], "compute_high": [0] * 4}, r"compute_low lies above its compute_high"),
    (
        {"verdicts": ["helps", "helps", "helps", "help"]},
        r"No verdict is called 'help'\. Did you mean 'helps'\? Known: ",
    ),
    ({"verdicts": ["helps"]}, r"need 4 verdicts, one per head; got 1"),
    ({"verdicts": "helps"}, r"Scores.verdicts must be a list of 4 words, not 'helps'"),
    ({"verdicts": 5}, r"Scores.verdicts must be a list"),
    ({"verdicts": [1, 2, 3, 4]}, r"No verdict is called 1"),
    ({"verdicts": [["helps"], "idle", "idle", "idle"]}, r"No verdict is called \['helps'\]"),
    ({"samples": [1, 2, 3]}, r"Scores.samples must be a list of 4 whole numbers"),
    ({"samples": [1, 2, 3, 4.0]}, r"Scores.samples\[3\] must be a whole number from 0, not 4.0"),
    ({"samples": [1, 2, 3, -1]}, r"Scores.samples\[3\] must be a whole number from 0, not -1"),
    ({"samples": [1, 2, 3, True]}, r"Scores.samples\[3\] must be a whole number"),
    ({"samples": 4}, r"Scores.samples must be a list"),
    ({"confidence": 1}, r"confidence lies between 0 and 1, not 1"),
    ({"confidence": 0.0}, r"confidence lies between 0 and 1, not 0.0"),
]
UNREADABLE = [
    ({"confidence": "0.95"}, r"Scores.confidence must be a number, not '0.95'"),
    ({"confidence": True}, r"Scores.confidence must be a number, not True"),
    ({"confidence": 10**400}, r"confidence lies between 0 and 1"),
    ({"signed": 1}, r"Scores.signed must be true or false, not 1"),
    ({"method": 5}, r"Scores.method must be text, not 5"),
    ({"language": None}, r"Scores.language must be text, not None"),
    ({"signature": 5}, r"A signature must be a table of settings, not 5"),
    ({"signature": {"n": [1]}}, r"setting 'n' must be text"),
    (
        {"layout": {"players": "heads", "rows": []}},
        r"Scores.value must hold 0 numbers, one per head of the layout; got 4",
    ),
    ({"layout": 5}, r"A layout must be a table, not 5"),
    ({"valeu": [1]}, r"Scores has no field 'valeu'\. Did you mean 'value'\? Known: "),
]


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_what_cannot_be_scores_is_refused(change, message):
    with pytest.raises(BadInput, match=message):
        scores(**change)


@pytest.mark.parametrize(("change", "message"), BROKEN + UNREADABLE)
def test_a_broken_file_is_told_with_its_name(tmp_path, change, message):
    path = scores().save(tmp_path / "scores.json")
    document = json.loads(path.read_text())
    document["scores"][0].update(change)
    path.write_text(json.dumps(document))
    for read in (load_scores, HeadScores.load):
        with pytest.raises(BadFile, match=r"scores\.json: .*" + message):
            read(path)


@pytest.mark.parametrize("name", sorted(set(scores().to_json())))
def test_a_lacking_field_is_told(tmp_path, name):
    path = scores().save(tmp_path / "scores.json")
    document = json.loads(path.read_text())
    del document["scores"][0][name]
    path.write_text(json.dumps(document))
    with pytest.raises(BadFile, match=rf"scores\.json: Scores lacks the field '{name}'\. Needed: "):
        load_scores(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": []}, "at least one set of scores"),
        ({"scores": {}}, "at least one set of scores"),
        ({"scores": [5]}, "Scores must be a table, not 5"),
        ({"format": "headcount.mask"}, "A headcount.scores document was expected, not 'headcount.mask'"),
        ({"version": 2}, "headcount.scores version 2; this headcount reads version 1. Upgrade headcount"),
        ({"score": []}, "A scores file has no field 'score'. Did you mean 'scores'"),
    ],
)
def test_another_file_is_told_with_its_name(tmp_path, change, message):
    path = scores().save(tmp_path / "scores.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(BadFile, match=r"scores\.json: .*" + message):
        load_scores(path)


@pytest.mark.parametrize("cut", [0, 1, 100, 300, -3])
def test_a_truncated_file_is_told_with_its_line(tmp_path, cut):
    path = scores().save(tmp_path / "scores.json")
    whole = path.read_text()
    path.write_text(whole[:cut])
    line = (
        r"scores\.json: the file is empty" if cut == 0 else rf"scores\.json:{whole[:cut].count(chr(10)) + 1}: not valid"
    )
    with pytest.raises(BadFile, match=line):
        load_scores(path)


def test_nan_in_a_file_is_told(tmp_path):
    path = scores().save(tmp_path / "scores.json")
    path.write_text(path.read_text().replace("-0.25", "NaN"))
    with pytest.raises(BadFile, match=r"scores\.json: NaN stands where a finite number must be"):
        load_scores(path)
    path.write_text(path.read_text().replace("NaN", "1e999"))
    with pytest.raises(BadFile, match=r"scores\.json: Scores.value\[1\] must be a finite number, not inf"):
        load_scores(path)


@pytest.mark.parametrize("document", [None, [], "x", 5, {1: 2}])
def test_only_a_table_is_read(document):
    with pytest.raises(BadInput):
        HeadScores.from_json(document)


def test_it_is_frozen_and_keeps_its_own_copy():
    source = np.array(FULL["value"])
    item = scores(**{**FULL, "value": source})
    source[0] = 9
    assert item.value[0] == 0.5
    for name in ("value", "low", "high", "compute_low", "compute_high"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(item, name)[0] = 1
    assert isinstance(item.samples, tuple)
    assert isinstance(item.verdicts, tuple)
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.value = source


def test_equal_by_value():
    assert scores(**FULL) == scores(**{name: np.array(item).tolist() for name, item in FULL.items()})
    assert scores() != scores(value=[0.5, -0.25, 0.0, 0.25])
    assert scores() != "scores"
    for change in ({"method": "x"}, {"language": "de"}, {"signed": False}, {"confidence": 0.9}, {"unit": "x"}):
        assert scores() != scores(**change)
        assert scores().key != scores(**change).key
    assert len({scores(**FULL), scores(**FULL), scores()}) == 2


def test_what_is_equal_has_one_key():
    zero, minus = scores(value=[0.0] * 4), scores(value=[-0.0] * 4)
    assert zero == minus
    assert hash(zero) == hash(minus)
    assert scores(signature=Signature.of(seed=1)) != scores(signature=Signature.of(seed=True))


def test_the_repr_tells_the_ends_and_the_settings():
    expected = "HeadScores(ablation of pos/sw: lowest encoder.0.1, highest encoder.1.3; method:ablation|n:512|seed:0)"
    assert repr(scores()) == expected
    assert "no heads" in repr(scores(layout=Layout(()), value=[]))


def test_ties_keep_layout_order():
    assert scores().ranking == ("encoder.0.1", "encoder.1.0", "encoder.0.0", "encoder.1.3")
    wide = Layout((row("encoder", 0, 40),))
    assert scores(layout=wide, value=[0.25] * 40).ranking == wide.names
    assert scores(layout=wide, value=[1.0] * 20 + [-1.0] * 20).ranking == wide.names[20:] + wide.names[:20]


def test_heads_with_a_verdict():
    assert scores(**FULL).with_verdict("helps") == ("encoder.0.0", "encoder.1.3")
    assert scores(**FULL).with_verdict("needs more data") == ()
    assert scores().with_verdict("helps") == ()
    with pytest.raises(UnknownName, match="No verdict is called 'help'. Did you mean 'helps'"):
        scores().with_verdict("help")


def test_a_head_has_its_place():
    assert scores().place(Head("encoder", 1, 3)) == scores().place("encoder.1.3") == 3
    with pytest.raises(UnknownName, match="no head 'encoder.1.1'"):
        scores().place("encoder.1.1")


def test_one_of_several_is_chosen_by_method_and_language(tmp_path):
    several = [scores(), scores(language="de"), scores(method="gradient")]
    path = save_scores(several, tmp_path / "scores.json")
    assert HeadScores.load(path, method="gradient") == several[2]
    assert HeadScores.load(path, language="de") == several[1]
    assert HeadScores.load(path, method="ablation", language="sw") == several[0]
    there = r"\(ablation/sw, ablation/de, gradient/sw\)"
    with pytest.raises(BadInput, match=rf"holds several scores {there}: choose with a method and a language"):
        HeadScores.load(path, language="sw")
    with pytest.raises(UnknownName, match="no scores of method 'shapley' in language 'de'; it holds ablation/sw, abl"):
        HeadScores.load(path, method="shapley", language="de")
    assert choose(several, method=None, language="de", path=path) == several[1]


def test_the_notebook_table_shows_every_head():
    text = scores(**FULL)._repr_html_()
    for name in LAYOUT.names:
        assert text.count(f'title="{name}: ') == 1
    assert "encoder.0.1: -0.2500 accuracy [-0.5000, -0.1250], harms" in text
    assert "method:ablation|n:512|seed:0" in text
    assert text.count("rgb(0,114,178)") == 2  # the largest value has the full colour
    hostile = scores(unit="<b>\"'", signature=Signature.of(note="<script>"))._repr_html_()
    assert "<script>" not in hostile
    assert "<b>" not in hostile
    assert "&lt;b&gt;&quot;&#x27;" in hostile
    assert "rgb(255,255,255)" in scores(value=[0] * 4)._repr_html_()


def test_rows_and_frame_hold_every_head():
    frame = scores(**FULL).to_frame()
    assert frame["head"].tolist() == list(LAYOUT.names)
    assert frame["value"].tolist() == FULL["value"]
    assert frame["verdict"].tolist() == FULL["verdicts"]
    assert frame["samples"].tolist() == FULL["samples"]
    assert set(frame["language"]) == {"sw"}
    assert set(scores().rows()[0]) == {"head", "language", "method", "value"}


def test_a_frame_without_pandas_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"A data frame needs the package pandas: pip install 'headcount\[frame\]'"):
        scores().to_frame()
    with pytest.raises(HeadcountError):
        scores().to_frame()
