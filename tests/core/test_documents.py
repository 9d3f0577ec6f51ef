import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.drawn_layouts import NUMBERS, TEXT
from headcount.core import documents
from headcount.core.errors import BadFile, BadInput, MissingExtra, UnknownName

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXT | st.sampled_from(["]", "[", "],", '"[', "{", "a\n]"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXT, VALUES, max_size=5))
def test_what_is_rendered_reads_back_the_same(document):
    text = documents.render(document)
    assert json.loads(text) == document
    assert text.endswith("\n")


def test_a_list_of_numbers_takes_one_line_and_a_table_one_per_field():
    text = documents.render(
        {"b": [1, 2.5, True], "a": [[1, 2], [3]], "c": [], "d": [{"e": ["x", "y"]}], "f": [{"g": 4}]}
    )
    lines = [
        *["{", '"b": [1, 2.5, true],', '"a": [', "[1, 2],", "[3]", "],", '"c": [],'],
        *['"d": [', "{", '"e": ["x", "y"]', "}", "],", '"f": [', "{", '"g": 4', "}", "]", "}"],
    ]
    assert [line.strip() for line in text.splitlines()] == lines


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "not a finite number"),
        ({1}, "Only text, numbers"),
        ({1: 2}, "must be text, not 1"),
        ("\ud800", "half"),
    ],
)
def test_what_json_cannot_hold_is_refused_before_anything_is_written(tmp_path, value, message):
    with pytest.raises(BadInput, match=message):
        documents.save({"value": value}, tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"a\.json: the file is empty; a thing was expected here"),
        (b" \n ", r"a\.json: the file is empty"),
        (b'{"a": 1,\n "b": [1, 2\n', r"a\.json:3: not valid JSON"),
        (b'{"a": 1}\n\n}', r"a\.json:3: not valid JSON"),
        (b'{"a": NaN}', r"a\.json: NaN stands where a finite number must be"),
        (b'{"a": [-Infinity]}', r"a\.json: -Infinity stands"),
        (b"[1]", r"a\.json: a JSON object was expected \(a thing\), not a list"),
        (b"5", r"not a int"),
        (b'"x"', r"not a str"),
        (b"null", r"not a NoneType"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', r"a\.json: the field 'c' stands twice"),
        (b'{"a": "\xff"}', r"a\.json: not UTF-8 text at byte 7; a thing was expected here"),
        (b'\xef\xbb\xbf{"a": 1}', r"a\.json:1: not valid JSON: Unexpected UTF-8 BOM"),
        (b'{"a": ' + b"9" * 5000 + b"}", r"a\.json: not a document of headcount: Exceeds the limit"),
        (b"[" * 100_000, r"a\.json: not a document of headcount"),
        (b"\x1f\x8b\x08\x00", r"a\.json: not UTF-8 text at byte 1"),
    ],
)
def test_a_broken_file_is_named(tmp_path, content, message):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(BadFile, match=message):
        documents.load(path, what="a thing")


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(BadFile, match=r"gone\.json: no such file; a thing was expected here"):
        documents.load(tmp_path / "gone.json", what="a thing")
    with pytest.raises(BadFile, match=r"cannot be read \(Is a directory\); a thing was expected here"):
        documents.load(tmp_path, what="a thing")
    (tmp_path / "file").touch()
    with pytest.raises(BadFile, match=r"cannot be read \(Not a directory\)"):
        documents.load(tmp_path / "file" / "a.json", what="a thing")


@given(st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
def test_arbitrary_bytes_give_a_table_or_a_bad_file(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "arbitrary.json"
    path.write_bytes(content)
    try:
        document = documents.load(path, what="a thing")
    except BadFile as problem:
        document = {"path": problem.path}
    assert isinstance(document, dict)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"format": "headcount.y", "version": 1}, "A headcount.x document was expected, not 'headcount.y'"),
        ({"version": 1}, "A headcount.x document was expected, not None"),
        ([], "A headcount.x document was expected"),
        ("text", "A headcount.x document was expected"),
        ({"format": "headcount.x", "version": 3}, r"version 3; this headcount reads version 2\. Upgrade headcount\.$"),
        ({"format": "headcount.x", "version": 1}, r"version 1; this headcount reads version 2\.$"),
        ({"format": "headcount.x", "version": "2"}, r"version '2'; this headcount reads version 2\.$"),
        ({"format": "headcount.x", "version": 2.0}, r"version 2.0; this headcount reads version 2\.$"),
        ({"format": "headcount.x"}, "version None"),
    ],
)
def test_another_kind_or_version_is_refused(document, message):
    with pytest.raises(BadInput, match=message):
        documents.check_format(document, name="headcount.x", version=2)


def test_true_is_no_version():
    with pytest.raises(BadInput, match="version True"):
        documents.check_format({"format": "headcount.x", "version": True}, name="headcount.x", version=1)
    documents.check_format({"format": "headcount.x", "version": 1}, name="headcount.x", version=1)


def test_unknown_and_lacking_fields_are_told():
    documents.fields({"value": 1}, what="A thing", required=["value"], optional=["why"])
    message = r"A thing has no field 'valu'\. Did you mean 'value'\? Known: value, why\."
    with pytest.raises(BadInput, match=message):
        documents.fields({"valu": 1}, what="A thing", required=["value"], optional=["why"])
    with pytest.raises(BadInput, match=r"A thing lacks the field 'value'\. Needed: value\."):
        documents.fields({"why": 1}, what="A thing", required=["value"], optional=["why"])
    with pytest.raises(BadInput, match="no field 5"):
        documents.fields({5: 1}, what="A thing", required=["value"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0], "must hold 2 numbers, one per head of the layout; got 1"),
        ("12", "must be a list of 2 numbers, not str"),
        (None, "must be a list of 2 numbers, not NoneType"),
        (5, "not int"),
        ([1, True], r"x\[1\] must be a finite number, not True"),
        ([1, "2"], r"x\[1\] must be a finite number, not '2'"),
        ([1, None], r"x\[1\]"),
        ([[1], [2]], r"x\[0\]"),
        ([float("nan"), 1], r"x\[0\] must be a finite number, not nan"),
        ([1, float("inf")], r"x\[1\] must be a finite number, not inf"),
        ([1, 10**400], r"x\[1\] must be a finite number"),
        (np.zeros((2, 1)), r"x\[0\]"),
        (np.array([True, False]), r"x\[0\]"),
        (np.array([1 + 2j, 0]), r"x\[0\]"),
        (np.float64(3), "must be a list of 2 numbers, not float"),
    ],
)
def test_numbers_are_finite_numbers_in_the_right_count(values, message):
    with pytest.raises(BadInput, match=message):
        documents.numbers(values, what="x", length=2)


def test_numbers_are_a_private_copy_that_cannot_be_changed():
    source = np.array([1, 2])
    kept = documents.numbers(source, what="x", length=2)
    source[0] = 9
    assert kept.tolist() == [1.0, 2.0]
    assert kept.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 5


def test_naming_adds_the_file_once():
    with pytest.raises(BadFile, match=r"^a\.json: No head\.$"), documents.naming("a.json"):
        raise UnknownName("No head.")
    with pytest.raises(BadFile, match=r"^b\.json:2: broken\.$"), documents.naming("a.json"):
        raise BadFile("broken.", path="b.json", line=2)
    with pytest.raises(ZeroDivisionError), documents.naming("a.json"):
        raise ZeroDivisionError


def test_a_frame_needs_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"pip install 'headcount\[frame\]'"):
        documents.frame([{"head": "encoder.0.0"}])
