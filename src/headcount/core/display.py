"""A plain coloured HTML table of heads for notebooks, with nothing but text. Drawn figures are `report`."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import final

from headcount.core.heads import Layout

# Blue for what helps, orange for what harms: two ends that all common colour blindnesses keep apart (Okabe & Ito).
HELPS = (0, 114, 178)
HARMS = (213, 94, 0)
# Where black and white ink stand out equally, 4.6 : 1; WCAG asks for 4.5.
_MIDDLE = 0.179


@final
@dataclass(frozen=True)
class Cell:
    """What one head shows: a text, a strength in [−1, 1] that colours it (None: no colour), a tip."""

    text: str
    strength: float | None
    tip: str


def colour(strength: float | None) -> str:
    """Mix white with blue (positive) or orange (negative), with the ink that can be read on it."""
    if strength is None:
        return "background:transparent"
    share = min(1.0, abs(strength))
    target = HELPS if strength >= 0 else HARMS
    red, green, blue = (round(255 + (part - 255) * share) for part in target)
    ink = "#fff" if _luminance(red, green, blue) < _MIDDLE else "#000"
    return f"background:rgb({red},{green},{blue});color:{ink}"


def _luminance(*parts: int) -> float:
    """Relative luminance of a colour (WCAG 2.2), 0 black, 1 white."""
    linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def head_table(layout: Layout, cells: Mapping[str, Cell], *, caption: str) -> str:
    """Layers down, heads across, one cell per player."""
    lines = [f'<table style="border-collapse:collapse;font:12px sans-serif"><caption>{escape(caption)}</caption>']
    groups: dict[str, list[str]] = {}
    for player in layout.members:
        first = player.heads[0]
        groups.setdefault(f"{first.stack}.{first.layer}", []).append(player.name)
    for group, names in groups.items():
        boxes = "".join(_box(cells[name]) for name in names)
        lines.append(f'<tr><th style="text-align:left;padding-right:.6em">{escape(group)}</th>{boxes}</tr>')
    lines.append("</table>")
    return "".join(lines)


def _box(cell: Cell) -> str:
    style = f"min-width:3em;text-align:center;padding:3px;border:1px solid #ddd;{colour(cell.strength)}"
    return f'<td style="{style}" title="{escape(cell.tip, quote=True)}">{escape(cell.text)}</td>'
