"""Layouts, settings and scores drawn by hypothesis, for all tests of the hall."""

from hypothesis import strategies as st

from headcount.core.heads import STACKS, Layout, row
from headcount.core.scores import VERDICTS, HeadScores
from headcount.core.signature import Signature

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SETTINGS = st.one_of(TEXT, st.integers(-(2**60), 2**60), st.booleans(), NUMBERS)
SIGNATURES = st.dictionaries(TEXT, SETTINGS, max_size=5).map(lambda table: Signature(tuple(table.items())))


@st.composite
def rows_of(draw, stack, players):
    layers = sorted(draw(st.sets(st.integers(0, 30), max_size=4)))
    if players == "shared" and layers and draw(st.booleans()):
        heads, owner = draw(st.integers(1, 6)), layers[0]
        return [row(stack, layer, heads, shared=f"{stack}.{owner}") for layer in layers]
    rows = []
    for layer in layers:
        heads = draw(st.one_of(st.integers(0, 8), st.sets(st.integers(0, 20), max_size=6).map(sorted)))
        count = heads if isinstance(heads, int) else len(heads)
        groups = draw(st.sampled_from([None, *(part for part in range(1, count + 1) if count % part == 0)]))
        rows.append(row(stack, layer, heads, groups=groups))
    return rows


@st.composite
def layouts(draw, players=None):
    players = players or draw(st.sampled_from(["heads", "groups", "shared", "layers"]))
    rows = [item for stack in STACKS for item in draw(rows_of(stack, players))]
    return Layout(tuple(rows), players)


@st.composite
def head_scores(draw):
    layout = draw(layouts())
    size = len(layout)

    def column():
        return draw(st.lists(NUMBERS, min_size=size, max_size=size))

    parts = {"value": column()}
    for low, high in (("low", "high"), ("compute_low", "compute_high")):
        if draw(st.booleans()):
            pairs = [sorted(pair) for pair in zip(column(), column(), strict=True)]
            parts[low], parts[high] = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if draw(st.booleans()):
        parts["samples"] = draw(st.lists(st.integers(0, 2**40), min_size=size, max_size=size))
    if draw(st.booleans()):
        parts["verdicts"] = draw(st.lists(st.sampled_from(VERDICTS), min_size=size, max_size=size))
    return HeadScores(
        layout=layout,
        method=draw(TEXT),
        task=draw(TEXT),
        language=draw(TEXT),
        unit=draw(TEXT),
        signed=draw(st.booleans()),
        confidence=draw(st.floats(0.001, 0.999)),
        signature=draw(SIGNATURES),
        **parts,
    )
