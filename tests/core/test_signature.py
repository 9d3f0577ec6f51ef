import dataclasses
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.drawn_layouts import SETTINGS, SIGNATURES, TEXT
from headcount.core.errors import BadInput
from headcount.core.signature import Signature, canonical_json, stable_key

DOCUMENTS = st.recursive(
    st.none() | SETTINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)


def shuffled(value, draw):
    """The same value with every table in another order."""
    if isinstance(value, dict):
        return {name: shuffled(value[name], draw) for name in draw(st.permutations(list(value)))}
    if isinstance(value, list):
        return [shuffled(item, draw) for item in value]
    return value


def same(one, other):
    """Equal in value and type, all the way down; the order of tables does not count."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


@given(DOCUMENTS, st.data())
def test_the_order_of_a_table_does_not_matter(document, data):
    assert canonical_json(shuffled(document, data.draw)) == canonical_json(document)


@given(DOCUMENTS, DOCUMENTS)
def test_one_text_for_one_value_and_types_count(one, other):
    assert (canonical_json(one) == canonical_json(other)) is same(one, other)
    assert same(json.loads(canonical_json(one)), one)


def test_types_have_keys_of_their_own():
    values = [1, 1.0, True, "1", None, "", 0, False, [], {}, [1], "true", "null"]
    assert len({stable_key({"n": value}) for value in values}) == len(values)


def test_the_key_is_twenty_digits_of_a_published_hash():
    # printf '{"a":1,"b":"é"}' | sha256sum | cut -c-20   (GNU coreutils 9)
    assert canonical_json({"b": "é", "a": 1}) == '{"a":1,"b":"é"}'
    assert stable_key({"b": "é", "a": 1}) == "09ad9fd2fb648cb2f621"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "not a finite number"),
        (float("inf"), "not a finite number"),
        ([-float("inf")], "not a finite number"),
        ({1, 2}, "Only text, numbers, lists and tables"),
        (np.int64(3), "Only text, numbers, lists and tables"),
        ("\ud800", "half a character"),
        ({"\udfff": 1}, "half a character"),
        ({1: "a"}, "must be text, not 1"),
        ({"a": [{True: 1}]}, "must be text, not True"),
        ({None: 1}, "must be text, not None"),
        ({"a": 1, 2: 3}, "Only text, numbers, lists and tables"),
    ],
)
def test_what_would_not_come_back_the_same_is_refused(value, message):
    with pytest.raises(BadInput, match=message):
        canonical_json(value)


def test_it_prints_in_reading_order():
    signature = Signature.of(method="ablation", task="pos/de", n=512, seed=0, limit=None, signed=True)
    assert str(signature) == "method:ablation|task:pos/de|n:512|seed:0|signed:True"
    assert list(signature) == ["method", "task", "n", "seed", "signed"]
    assert dict(signature) == signature.to_json()
    assert signature["n"] == 512
    assert len(signature) == 5
    assert str(Signature()) == ""


def parsed(line):
    """Read a printed signature back: what a separator is, and what a part, must be beyond doubt."""
    pairs = []
    for part in re.findall(r"(?:[^|\\]|\\.)+", line):
        name, value = re.fullmatch(r"((?:[^:\\]|\\.)*):(.*)", part).groups()
        plain = [re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), text) for text in (name, value)]
        pairs.append(tuple(plain))
    return pairs


@given(st.dictionaries(st.text("ab:|\\n\n", max_size=4), st.text("ab:|\\n\n", max_size=6), max_size=4))
def test_the_printed_line_is_one_line_and_can_be_read(table):
    line = str(Signature(tuple(table.items())))
    assert "\n" not in line
    assert parsed(line) == list(table.items())


@given(SIGNATURES)
def test_json_round_trip(signature):
    back = Signature.from_json(json.loads(json.dumps(signature.to_json())))
    assert back == signature
    assert hash(back) == hash(signature)
    assert back.key == signature.key
    assert str(back) == str(signature)


@given(SIGNATURES)
def test_the_key_does_not_know_the_order(signature):
    assert Signature(signature.settings[::-1]).key == signature.key


def test_settings_are_added_or_changed_in_a_copy():
    first = Signature.of(method="ablation", seed=0)
    second = first.with_settings(seed=1, lang="sw", self="kept", cls="kept")
    assert str(first) == "method:ablation|seed:0"
    assert str(second) == "method:ablation|seed:1|lang:sw|self:kept|cls:kept"
    assert first.with_settings(seed=None).to_json() == {"method": "ablation"}
    assert first.key != second.key


def test_it_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Signature.of(a=1).settings = ()
    with pytest.raises(TypeError):
        Signature.of(a=1)["a"] = 2
    with pytest.raises(KeyError):
        Signature.of(a=1)["b"]


@pytest.mark.parametrize("document", [None, 5, "n:5", ["n"], [["n", 5]]])
def test_a_signature_is_read_from_a_table_only(document):
    with pytest.raises(BadInput, match="must be a table of settings"):
        Signature.from_json(document)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": [1]}, "'n' must be text, a number, true or false"),
        ({"n": {}}, "'n' must be text"),
        ({"n": np.int64(4)}, "'n' must be text"),
        ({"n": float("nan")}, "'n' must be a finite number"),
        ({"n": float("inf")}, "'n' must be a finite number"),
        ({5: 1}, "name of a setting must be text, not 5"),
    ],
)
def test_a_setting_is_a_plain_value(settings, message):
    with pytest.raises(BadInput, match=message):
        Signature.from_json(settings)


def test_a_setting_stands_once():
    with pytest.raises(BadInput, match="names a setting twice: a, a"):
        Signature((("a", 1), ("a", 2)))
