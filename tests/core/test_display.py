from html.parser import HTMLParser

import pytest

from headcount.core.display import Cell, colour, head_table
from headcount.core.heads import Layout, row

LAYOUT = Layout((row("encoder", 0, 2), row("encoder", 3, [1]), row("cross", 0, 1)))


class Table(HTMLParser):
    """What a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tips, self.caption, self.tags, self.here = [], [], "", [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.here = tag
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
            self.tips.append(dict(attributes)["title"])
        if tag == "th":
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.here == "caption":
            self.caption += data
        else:
            self.rows[-1][-1] += data


def test_the_ends_are_blue_and_orange_and_nothing_is_white():
    assert colour(1.0) == "background:rgb(0,114,178);color:#fff"
    assert colour(-1.0) == "background:rgb(213,94,0);color:#000"
    assert colour(0.0) == "background:rgb(255,255,255);color:#000"
    assert colour(None) == "background:transparent"
    assert colour(7.0) == colour(1.0)
    assert colour(-0.5) == "background:rgb(234,174,128);color:#000"


@pytest.mark.parametrize("strength", [step / 40 for step in range(-40, 41)])
def test_the_text_can_be_read_on_every_colour(strength):
    style = colour(strength)
    parts = [int(part) / 255 for part in style[style.index("(") + 1 : style.index(")")].split(",")]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    contrast = 1.05 / (light + 0.05) if style.endswith("#fff") else (light + 0.05) / 0.05
    assert contrast >= 4.5  # WCAG 2.2, success criterion 1.4.3, for small text


def test_layers_go_down_heads_across_and_text_is_escaped():
    hostile = "<script>alert('x')</script>\"&"
    cells = {name: Cell(f"{hostile}{name}", 0.5, f"{hostile}{name}") for name in LAYOUT.names}
    seen = Table(head_table(LAYOUT, cells, caption=hostile))
    assert seen.caption == hostile
    assert [cells[0] for cells in seen.rows] == ["encoder.0", "encoder.3", "cross.0"]
    assert [text for cells in seen.rows for text in cells[1:]] == [hostile + name for name in LAYOUT.names]
    assert seen.tips == [hostile + name for name in LAYOUT.names]
    assert set(seen.tags) == {"table", "caption", "tr", "th", "td"}


def test_an_empty_layout_gives_an_empty_table():
    assert Table(head_table(Layout(()), {}, caption="none")).rows == []
