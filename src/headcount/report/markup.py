"""HTML that cannot be broken by what it shows: every text is escaped unless it is already Safe. No content here."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, final


@final
class Safe(str):
    """Text that is already HTML."""


def safe(text: str) -> Safe:
    """Escape what is not HTML yet."""
    return text if isinstance(text, Safe) else Safe(escape(text, quote=True))


def together(*parts: str) -> Safe:
    """Several pieces in a row."""
    return Safe("".join(safe(part) for part in parts))


def tag(name: str, *content: str, kind: str = "", attributes: Mapping[str, str] | None = None) -> Safe:
    """One element; `kind` is its class."""
    pairs = {**({"class": kind} if kind else {}), **(attributes or {})}
    inside = "".join(f' {key}="{safe(value)}"' for key, value in pairs.items())
    return Safe(f"<{name}{inside}>{together(*content)}</{name}>")


def paragraph(*content: str, kind: str = "") -> Safe:
    """One paragraph."""
    return tag("p", *content, kind=kind)


def section(key: str, title: str, *content: str) -> Safe:
    """A titled part of the page that can be linked to."""
    heading = tag("h2", title, attributes={"id": f"{key}-title"})
    return tag("section", heading, *content, attributes={"id": key, "aria-labelledby": f"{key}-title"})


def table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, kind: str = "", numeric: Sequence[int] = ()
) -> Safe:
    """A table in its own scroller, so that a narrow screen moves the table and not the page."""
    style = dict.fromkeys(numeric, "number")
    heads = [tag("th", cell, kind=style.get(place, ""), attributes={"scope": "col"}) for place, cell in enumerate(head)]
    lines = []
    for row in rows:
        first = tag("th", row[0], attributes={"scope": "row"})
        # On a narrow screen a row becomes a block, and each cell says its own column (page.css, .stack).
        rest = [
            tag("td", cell, kind=style.get(place, ""), attributes={"data-label": head[place]})
            for place, cell in enumerate(row[1:], start=1)
        ]
        lines.append(tag("tr", first, *rest))
    body = tag("table", tag("caption", caption), tag("thead", tag("tr", *heads)), tag("tbody", *lines), kind=kind)
    # Focusable, because what can be scrolled by finger must also scroll by keyboard.
    return tag("div", body, kind="scroll", attributes={"tabindex": "0", "role": "region", "aria-label": caption})


def badge(text: str, kind: str) -> Safe:
    """A word with a colour; the word alone says it all."""
    return tag("span", text, kind=f"badge {kind}")


def json_island(data: Any, *, key: str) -> Safe:
    """Data for the script of the page; no text in it can end the element it lies in."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return tag("script", Safe(text), attributes={"type": "application/json", "id": key})


def script(code: str) -> Safe:
    """Inline code of ours or of Vega; neither may hold the end of its own element."""
    return tag("script", Safe(code.replace("</script", "<\\/script").replace("<!--", "<\\!--")))
