"""Treebanks drawn by hypothesis: any Unicode that CoNLL-U can hold."""

import gzip

from hypothesis import strategies as st

from headcount.data.formats import Sentence, Word

# Zero-width joiners, combining marks (Devanagari virama, Hebrew points), right-to-left, no-break and ideographic
# spaces, line separators of other scripts, a byte-order mark, an emoji of several characters, private use, NUL.
ODD = (
    "a b\u200c\u200d\u094d\u0915\u0937\u05d0\u05b8\u0627\u0651\u00a0\u3000\u2028\u0085\ufeff\u0301"
    "\U0001f469\U0001f52c\ue000\x00_-.#\\\"'"
)
_ANY = st.characters(codec="utf-8")
_CELLS = st.text(ODD, max_size=6) | st.text(_ANY, max_size=6) | st.sampled_from("_ -#.")
CELLS = _CELLS.filter(lambda cell: cell.strip() and not set(cell) & set("\t\n\r"))
NAMES = CELLS.map(str.strip).filter(bool)


@st.composite
def sentences(draw):
    count = draw(st.integers(1, 6))
    heads = st.none() | st.integers(0, count)
    words = [Word(draw(CELLS), draw(CELLS), draw(heads), draw(CELLS)) for _ in range(count)]
    return Sentence(draw(NAMES), tuple(words))


TREEBANKS = st.lists(sentences(), min_size=1, max_size=4)


def line(place, form="word", upos="NOUN", head="0", relation="dep"):
    """One word line."""
    return "\t".join([str(place), form, "_", upos, "_", "_", str(head), relation, "_", "_"])


def written(path, text, *, zipped=False):
    """A file with this text or these bytes."""
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if zipped else data)
    return path


def with_extras(text, draw):
    """The same words with ranges before and empty nodes after some of them, and with more comments."""
    lines = []
    for item in text.split("\n"):
        place = item.partition("\t")[0]
        if not place.isdecimal():
            lines += ["# more = 1"] * (item.startswith("# text") and draw(st.booleans())) + [item]
            continue
        if draw(st.booleans()):
            lines.append(line(f"{place}-{int(place) + draw(st.integers(0, 2))}", head="_"))
        lines.append(item)
        lines += [line(f"{place}.{part}", head="_") for part in range(1, draw(st.integers(1, 3)))]
    return "\n".join(lines)
