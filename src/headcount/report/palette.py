"""Colours of the gallery, and what each of them means. Where they are painted is `figures` and `page.css`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from headcount.core.display import HARMS, HELPS
from headcount.report.document import Estimate


def hexadecimal(colour: tuple[int, int, int]) -> str:
    """(0, 114, 178) → '#0072b2'."""
    return "#" + "".join(f"{part:02x}" for part in colour)


BLUE: Final = hexadecimal(HELPS)
ORANGE: Final = hexadecimal(HARMS)
WHITE: Final = "#ffffff"
# Unsigned methods get a colour of their own, so that nobody reads "helps" into a strength without direction.
_PURPLE: Final = (75, 42, 133)
PURPLE: Final = hexadecimal(_PURPLE)
GREY: Final = "#868d96"
DARK: Final = "#16202a"
# The text colour of the page around the figure: legible in light and in dark mode, and black in print.
INK: Final = "currentColor"


@final
@dataclass(frozen=True)
class Line:
    """How the curve of one method is drawn; colour and dash both tell it, for print and for colour-blind readers."""

    colour: str
    dash: tuple[int, ...]


_LINES: Final = (
    Line("#00966e", (1, 0)),
    Line("#b0569a", (7, 3)),
    Line("#b8860b", (10, 3, 2, 3)),
    Line("#3d8fd1", (3, 2)),
)
CHANCE: Final = Line(GREY, (2, 3))


def line_of(method: str, methods: Sequence[str]) -> Line:
    """The same line for a method in every figure of a page; random is always the grey one."""
    if method == "random":
        return CHANCE
    judged = [name for name in methods if name != "random"]
    return _LINES[judged.index(method) % len(_LINES)]


def ink_on(strength: float, *, signed: bool) -> str:
    """White or dark, whichever reads better on a tile of this strength in [−1, 1]."""
    full = (HELPS if strength >= 0 else HARMS) if signed else _PURPLE
    share = min(1.0, abs(strength))
    tile = _light([255 + (part - 255) * share for part in full])
    # On a middling blue both are near 4:1, and white is the calmer one to read.
    return WHITE if 1.05 / (tile + 0.05) > 3.6 else DARK


def _light(colour: Sequence[float]) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def colour_of(estimate: Estimate) -> str:
    """Blue helps, orange harms, grey cannot be told from zero."""
    return (ORANGE, GREY, BLUE)[estimate.sign + 1]
