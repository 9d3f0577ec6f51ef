import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.drawn_layouts import layouts
from headcount.core.errors import BadInput, HeadcountError, LayoutMismatch, UnknownName
from headcount.core.heads import STACKS, Head, Layout, row

HEADS = st.builds(Head, st.sampled_from(STACKS), st.integers(0, 99_999), st.integers(0, 99_999))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
RAGGED = Layout((row("encoder", 0, 3), row("encoder", 2, [1, 4]), row("decoder", 0, 2), row("cross", 0, [1])))


@given(HEADS)
def test_a_head_is_read_as_it_is_written(head):
    assert Head.parse(str(head)) == head


@given(st.text(max_size=20))
def test_there_is_one_way_to_write_a_head(text):
    try:
        found = str(Head.parse(text))
    except UnknownName:
        return
    assert found == text


@pytest.mark.parametrize(
    "name",
    [
        *["", "encoder", "encoder.3", "encoder.3.7.1", "encoder.-1.0", "encoder.3.7 ", "encoder.3.7\n", "Encoder.3.7"],
        *["encoder.03.7", "encoder.3.٧", "encoder.3.x", "tower.3.7", "encoder.0." + "9" * 5000],
    ],
)
def test_what_is_no_head_is_refused_with_an_example(name):
    with pytest.raises(UnknownName, match=r"is no head.*as in encoder\.3\.7"):
        Head.parse(name)


def test_prose_counts_from_one_and_names_other_stacks():
    assert Head("encoder", 3, 7).prose == "layer 4, head 8 (encoder.3.7)"
    assert Head("cross", 0, 0).prose == "cross layer 1, head 1 (cross.0.0)"


def test_flat_order_goes_encoder_decoder_cross_and_keeps_original_indices():
    names = ["encoder.0.0", "encoder.0.1", "encoder.0.2", "encoder.2.1", "encoder.2.4"]
    assert list(RAGGED.names) == [*names, "decoder.0.0", "decoder.0.1", "cross.0.1"]
    assert [str(head) for head in RAGGED.heads] == list(RAGGED.names)
    assert len(RAGGED) == 8
    assert RAGGED.place("encoder.2.4") == RAGGED.place(Head("encoder", 2, 4)) == 4
    assert RAGGED.describe() == "8 heads: encoder 2 layers × 2–3, decoder 1 layers × 2, cross 1 layers × 1"
    assert repr(RAGGED) == f"Layout({RAGGED.describe()})"


@given(layouts())
def test_players_cover_every_head_exactly_once(layout):
    covered = [head for player in layout.members for head in player.heads]
    assert sorted(covered) == sorted(layout.heads)
    assert len(set(layout.names)) == len(layout.names) == len(layout)
    for head, owner in zip(layout.heads, layout.player_of_head, strict=True):
        assert head in layout.members[owner].heads
    assert [layout.place(name) for name in layout.names] == list(range(len(layout)))
    assert layout.with_players("heads").heads == layout.heads


def test_groups_are_named_by_their_span():
    layout = Layout((row("decoder", 1, 8, groups=2), row("decoder", 2, [0, 5], groups=2)), "groups")
    assert layout.names == ("decoder.1.0-3", "decoder.1.4-7", "decoder.2.0", "decoder.2.5")
    assert layout.player_of_head.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 3]
    assert layout.describe() == "4 players (groups): decoder 2 layers × 2–8"


def test_layers_are_players_and_empty_layers_are_none():
    layout = Layout((row("encoder", 0, 2), row("encoder", 1, 0), row("encoder", 2, 3)), "layers")
    assert layout.names == ("encoder.0", "encoder.2")
    assert layout.player_of_head.tolist() == [0, 0, 1, 1, 1]


def test_heads_shared_by_all_layers_are_one_player_each():
    layout = Layout(tuple(row("encoder", layer, 2, shared="encoder.0") for layer in range(3)), "shared")
    assert layout.names == ("encoder.*.0", "encoder.*.1")
    assert layout.player_of_head.tolist() == [0, 1, 0, 1, 0, 1]
    assert layout.with_players("heads").player_of_head.tolist() == [0, 1, 2, 3, 4, 5]


def test_two_sets_of_shared_layers_have_names_of_their_own():
    owners = ["encoder.0", "encoder.0", "encoder.2", "encoder.2", "encoder.4"]
    layout = Layout(tuple(row("encoder", layer, 1, shared=owner) for layer, owner in enumerate(owners)), "shared")
    assert layout.names == ("encoder.0+1.0", "encoder.2+3.0", "encoder.4.0")
    assert layout.player_of_head.tolist() == [0, 0, 1, 1, 2]


def test_the_owners_of_heads_cannot_be_changed_from_outside():
    RAGGED.player_of_head[:] = 7
    assert RAGGED.player_of_head.tolist() == list(range(8))


def test_an_unknown_head_is_told_with_its_neighbour_and_what_there_is():
    with pytest.raises(UnknownName, match=r"no head 'encoder\.2\.5'\. Did you mean 'encoder\.2\.\d'\? It has 8 heads"):
        RAGGED.place("encoder.2.5")
    with pytest.raises(UnknownName, match="Did you mean 'groups'"):
        RAGGED.with_players("group")
    with pytest.raises(UnknownName, match=r"'encodr'. Did you mean 'encoder'\?"):
        row("encodr", 0, 2)


def test_what_belongs_to_another_model_is_refused():
    RAGGED.require(Layout(RAGGED.rows), what="This mask")
    with pytest.raises(LayoutMismatch, match=r"This mask belongs to another model: it has 5 .*this model has 8 heads"):
        RAGGED.require(Layout((row("encoder", 0, 5),)), what="This mask")


def test_two_layouts_of_one_description_are_told_apart_by_their_first_other_row():
    one = Layout((row("encoder", 0, 2), row("encoder", 1, [0, 3])))
    other = Layout((row("encoder", 0, 2), row("encoder", 1, [0, 2])))
    assert one.describe() == other.describe()
    with pytest.raises(LayoutMismatch, match=r"first differ in .*\[0, 3\].* against .*\[0, 2\]"):
        one.require(other, what="These scores")


@given(layouts())
def test_json_round_trip(layout):
    text = json.dumps(layout.to_json())
    back = Layout.from_json(json.loads(text))
    assert back == layout
    assert hash(back) == hash(layout)
    assert back.key == layout.key
    assert back.names == layout.names


@given(layouts(), layouts())
def test_equal_by_value_and_only_then(one, other):
    same = (one.rows, one.players) == (other.rows, other.players)
    assert (one == other) is same
    assert (one.key == other.key) is same


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heads": -1}, "whole numbers from 0"),
        ({"heads": True}, "whole numbers from 0"),
        ({"heads": 2.0}, "whole numbers from 0"),
        ({"heads": "2"}, "whole numbers from 0"),
        ({"heads": None}, "empty field"),
        ({"heads": 10**12}, "whole numbers from 0 to 99999"),
        ({"heads": [0, True]}, "whole numbers from 0"),
        ({"heads": [1, 0]}, "rise without repeats"),
        ({"heads": [1, 1]}, "rise without repeats"),
        ({"heads": {"0": 1}}, "whole numbers from 0"),
        ({"layer": -1}, "whole numbers from 0"),
        ({"layer": "0"}, "whole numbers from 0"),
        ({"layer": False}, "whole numbers from 0"),
        ({"groups": 3}, "4 heads cannot share 3 key groups"),
        ({"groups": 0}, "4 heads cannot share 0 key groups"),
        ({"groups": -2}, "whole numbers from 0"),
        ({"groups": None}, "empty field"),
        ({"heads": 0, "groups": 2}, "0 heads cannot share 2 key groups"),
        ({"stack": "tower"}, "No stack is called 'tower'"),
        ({"stack": 5}, "No stack is called 5"),
        ({"stack": ["encoder"]}, "No stack is called"),
        ({"shared": 5}, "by name, not 5"),
        ({"shared": "encoder.9"}, "no such row has the same heads"),
        ({"head": 4}, "no field 'head'. Did you mean 'heads'"),
    ],
)
def test_a_row_is_read_strictly(change, message):
    document = {"players": "heads", "rows": [{"stack": "encoder", "layer": 0, "heads": 4, **change}]}
    with pytest.raises(HeadcountError, match=message):
        Layout.from_json(document)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "must be a table, not None"),
        ([], "must be a table"),
        ({"rows": []}, "lacks the field 'players'"),
        ({"players": "heads"}, "lacks the field 'rows'"),
        ({"players": "heads", "rows": {}}, "rows must be a list"),
        ({"players": "heads", "rows": [5]}, "row of a layout must be a table, not 5"),
        ({"players": "heads", "rows": [{"stack": "encoder", "layer": 0}]}, "lacks the field 'heads'"),
        ({"players": 5, "rows": []}, "No kind of player is called 5"),
        ({"players": ["heads"], "rows": []}, "No kind of player is called"),
        ({"players": "heads", "rows": [], "colour": 1}, "no field 'colour'"),
    ],
)
def test_a_layout_is_read_strictly(document, message):
    with pytest.raises(HeadcountError, match=message):
        Layout.from_json(document)


@given(ANYTHING, st.sampled_from(["players", "rows", "stack", "layer", "heads", "groups", "shared"]))
def test_nothing_but_named_errors_comes_from_reading(value, place):
    document = {"players": "heads", "rows": [{"stack": "encoder", "layer": 0, "heads": 4}]}
    (document if place in document else document["rows"][0])[place] = value
    try:
        layout = Layout.from_json(document)
    except HeadcountError:
        return
    assert Layout.from_json(layout.to_json()) == layout
    assert sorted(head for player in layout.members for head in player.heads) == sorted(layout.heads)


@pytest.mark.parametrize(
    "rows",
    [
        [row("decoder", 0, 1), row("encoder", 0, 1)],
        [row("encoder", 1, 1), row("encoder", 0, 1)],
        [row("encoder", 0, 1), row("encoder", 0, 2)],
    ],
)
def test_rows_stand_in_order_and_once(rows):
    with pytest.raises(BadInput, match="encoder, decoder, cross, and upwards by layer, each once"):
        Layout(tuple(rows))


def test_shared_heads_must_be_the_same_heads():
    with pytest.raises(BadInput, match=r"encoder\.1 cannot share the heads of 'encoder\.0'"):
        Layout((row("encoder", 0, 3), row("encoder", 1, 2, shared="encoder.0")))
    with pytest.raises(BadInput, match=r"encoder\.2 cannot share the heads of 'encoder\.1'"):
        Layout(tuple(row("encoder", layer, 1, shared=f"encoder.{max(0, layer - 1)}") for layer in range(3)))


def test_a_model_without_attention_has_an_empty_layout():
    empty = Layout(())
    assert len(empty) == 0
    assert empty.describe() == "0 heads: no attention"
    assert empty.player_of_head.dtype == np.int64
    assert Layout.from_json(empty.to_json()) == empty


def test_heads_sort_in_layout_order() -> None:
    layout = Layout((row("encoder", 0, 12), row("decoder", 1, 2), row("cross", 0, 2)))
    shuffled = layout.heads[::-1]
    assert sorted(shuffled) == list(layout.heads)
