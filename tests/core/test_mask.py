import dataclasses
import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.drawn_layouts import SIGNATURES, TEXT, layouts
from headcount.core.errors import BadFile, BadInput, MissingExtra, UnknownName
from headcount.core.heads import Head, Layout, row
from headcount.core.mask import HeadMask
from headcount.core.signature import Signature

LAYOUT = Layout((row("encoder", 0, 2), row("encoder", 1, [0, 3])))
MASK = HeadMask.closing(LAYOUT, ["encoder.1.3", Head("encoder", 0, 0)], why="harms", signature=Signature.of(seed=1))


@st.composite
def masks(draw):
    layout = draw(layouts())
    keep = draw(st.lists(st.booleans(), min_size=len(layout), max_size=len(layout)))
    return HeadMask(layout=layout, keep=np.array(keep, bool), why=draw(TEXT), signature=draw(SIGNATURES))


@given(masks())
def test_json_and_file_round_trip(tmp_path_factory, mask):
    back = HeadMask.from_json(json.loads(json.dumps(mask.to_json())))
    path = mask.save(tmp_path_factory.getbasetemp() / "drawn_mask.json")
    for other in (back, HeadMask.load(path)):
        assert other == mask
        assert hash(other) == hash(mask)
        assert other.keep.tolist() == mask.keep.tolist()
        assert (other.why, other.signature, other.layout) == (mask.why, mask.signature, mask.layout)


def test_closed_heads_are_named_in_layout_order():
    assert MASK.closed == ("encoder.0.0", "encoder.1.3")
    assert MASK.keep.tolist() == [False, True, True, False]
    assert HeadMask.open(LAYOUT).closed == ()
    assert HeadMask.open(LAYOUT).why == "all heads open"
    with pytest.raises(UnknownName, match="no head 'encoder.1.1'"):
        HeadMask.closing(LAYOUT, ["encoder.1.1"])


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ([1, 0, 1, 0], "keeps by True and closes by False; got values of type int64"),
        ([1.0, 0, 1, 0], "got values of type float64"),
        (["True"] * 4, "got values of type"),
        ([True] * 3, r"needs 4 values, not an array of shape \(3,\)"),
        ([[True] * 4], r"needs 4 values, not an array of shape \(1, 4\)"),
        (True, r"not an array of shape \(\)"),
    ],
)
def test_a_mask_is_one_true_or_false_per_head(keep, message):
    with pytest.raises(BadInput, match=message):
        HeadMask(layout=LAYOUT, keep=keep)


def test_it_is_frozen_and_keeps_its_own_copy():
    source = np.ones(4, dtype=bool)
    mask = HeadMask(layout=LAYOUT, keep=source)
    source[0] = False
    assert mask.keep.all()
    with pytest.raises(ValueError, match="read-only"):
        mask.keep[0] = False
    with pytest.raises(dataclasses.FrozenInstanceError):
        mask.keep = source


def test_equal_by_value_and_the_key_is_what_is_closed():
    again = HeadMask.closing(LAYOUT, ["encoder.0.0", "encoder.1.3"], why="harms", signature=Signature.of(seed=1))
    other_reason = HeadMask.closing(LAYOUT, MASK.closed, why="idle")
    assert again == MASK
    assert hash(again) == hash(MASK)
    assert other_reason != MASK
    assert other_reason.key == MASK.key
    assert HeadMask.closing(LAYOUT, ["encoder.0.0"]).key != MASK.key
    wider = Layout((row("encoder", 0, 3), row("encoder", 1, [0, 3])))
    assert HeadMask.closing(wider, MASK.closed).key != MASK.key
    assert MASK != "mask"
    assert len({MASK, again, other_reason}) == 2


def test_the_repr_names_what_leaves():
    assert repr(MASK) == "HeadMask(closes 2 of 4: encoder.0.0, encoder.1.3; harms)"
    assert repr(HeadMask(layout=LAYOUT, keep=np.ones(4, bool))) == "HeadMask(closes 0 of 4: none)"
    wide = Layout((row("encoder", 0, 9),))
    assert repr(HeadMask.closing(wide, wide.names)).endswith("encoder.0.5, …)")
    assert repr(HeadMask.closing(wide, wide.names[:6])).endswith("encoder.0.5)")


def test_the_notebook_table_shows_every_head():
    text = MASK._repr_html_()
    for name, keep in zip(LAYOUT.names, MASK.keep, strict=True):
        assert text.count(f'title="{name}: {"stays" if keep else "closed"}"') == 1
    assert text.count("rgb(213,94,0)") == text.count(">closed<") == 2
    hostile = HeadMask.closing(LAYOUT, [], why="<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in hostile
    assert "&lt;script&gt;" in hostile


def test_the_frame_and_the_missing_pandas(monkeypatch):
    frame = MASK.to_frame()
    assert frame["head"].tolist() == list(LAYOUT.names)
    assert frame["keep"].tolist() == MASK.keep.tolist()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"pip install 'headcount\[frame\]'"):
        MASK.to_frame()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"closed": ["encoder.1.1"]}, "This model has no head 'encoder.1.1'"),
        ({"closed": ["encoder.0.0", "encoder.0.0"]}, "names a closed head twice"),
        ({"closed": "encoder.0.0"}, "must be a list of names like encoder.3.7, not 'encoder.0.0'"),
        ({"closed": [0, 3]}, r"must be a list of names like encoder.3.7, not \[0, 3\]"),
        ({"closed": None}, "must be a list of names"),
        ({"closed": {"encoder.0.0": 1}}, "must be a list of names"),
        ({"layout": {"players": "layers", "rows": []}}, "no head 'encoder.0.0'"),
        ({"layout": None}, "A layout must be a table, not None"),
        ({"why": 5}, "A mask.why must be text, not 5"),
        ({"signature": None}, "A signature must be a table of settings, not None"),
        ({"signature": [1]}, "A signature must be a table of settings"),
        ({"format": "headcount.scores"}, "A headcount.mask document was expected, not 'headcount.scores'"),
        ({"format": None}, "A headcount.mask document was expected, not None"),
        ({"version": 2}, "version 2; this headcount reads version 1. Upgrade headcount"),
        ({"version": True}, "version True"),
        ({"colsed": []}, "A mask has no field 'colsed'. Did you mean 'closed'"),
    ],
)
def test_a_broken_file_is_told_with_its_name(tmp_path, change, message):
    path = tmp_path / "mask.json"
    path.write_text(json.dumps({**MASK.to_json(), **change}))
    with pytest.raises(BadFile, match=r"mask\.json: .*" + message):
        HeadMask.load(path)


@pytest.mark.parametrize("name", ["format", "version", "layout", "closed"])
def test_a_lacking_field_is_told(tmp_path, name):
    document = MASK.to_json()
    del document[name]
    path = tmp_path / "mask.json"
    path.write_text(json.dumps(document))
    message = "lacks the field" if name in ("layout", "closed") else "document was expected|version None"
    with pytest.raises(BadFile, match=message):
        HeadMask.load(path)


def test_why_and_signature_may_be_left_out_by_hand(tmp_path):
    document = MASK.to_json()
    del document["why"], document["signature"]
    assert HeadMask.from_json(document) == HeadMask.closing(LAYOUT, MASK.closed)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"mask\.json: the file is empty; a head mask was expected here"),
        (b'{"format":\n "headcount.mask",\n', r"mask\.json:3: not valid JSON"),
        (b'{"format": NaN}', r"mask\.json: NaN stands"),
        (b"\xff\xfe{", r"mask\.json: not UTF-8 text at byte 0; a head mask"),
        (b"[]", r"mask\.json: a JSON object was expected \(a head mask\), not a list"),
    ],
)
def test_what_is_no_document_is_told_with_its_name(tmp_path, content, message):
    path = tmp_path / "mask.json"
    path.write_bytes(content)
    with pytest.raises(BadFile, match=message):
        HeadMask.load(path)


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(BadFile, match="no such file; a head mask was expected here"):
        HeadMask.load(tmp_path / "mask.json")
    with pytest.raises(BadFile, match="Is a directory"):
        HeadMask.load(tmp_path)


@pytest.mark.parametrize("document", [None, [], "x", 5])
def test_only_a_table_is_read(document):
    with pytest.raises(BadInput, match="A headcount.mask document was expected"):
        HeadMask.from_json(document)
