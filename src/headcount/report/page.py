"""One HTML page that needs nothing but itself: no network, no server. What it tells is in the files beside."""

from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from headcount.core.errors import MissingExtra
from headcount.core.files import write_file
from headcount.report import closing, opening
from headcount.report.document import Demo
from headcount.report.markup import Safe, json_island, paragraph, script, tag, together
from headcount.report.reading import read

# The browser itself refuses every outside request: the promise "offline" does not rest on our care alone.
# Vega compiles its expressions, hence 'unsafe-eval'; everything else that runs is in the file.
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"
_PARTS = (
    ("languages", "Languages"),
    ("planted", "Planted heads"),
    ("maps", "Head maps"),
    ("against", "Method against method"),
    ("closing", "Closing heads"),
    ("curves", "Removal curves"),
    ("exam", "Exam"),
    ("commands", "Commands"),
    ("reading", "How to read"),
)


def require() -> None:
    """Refuse now, before hours of measuring, if a package that pages need is not installed."""
    for package, distribution in (("altair", "altair"), ("vl_convert", "vl-convert-python")):
        try:
            import_module(package)
        except ModuleNotFoundError as problem:
            raise MissingExtra("The page", package=distribution, extra="report") from problem


def render(document: Mapping[str, Any]) -> str:
    """The whole page of a demo document as one text; a wrong document or a missing package is told by name."""
    demo = read(document)
    bundle = _vega()
    # Only now: the module draws with Altair, and this one must be importable without it.
    from headcount.report import measured

    wall = measured.Wall()
    body = [
        opening.header(demo),
        opening.contents(_PARTS),
        tag("noscript", paragraph("The figures need JavaScript; their numbers are in the tables too.", kind="card")),
        opening.languages(demo),
        opening.planted(demo),
        measured.head_maps(demo, wall),
        measured.against(demo, wall),
        measured.closing(demo, wall),
        measured.curves(demo, wall),
        closing.exam(demo),
        closing.commands(demo),
        closing.how_to_read(demo),
        closing.footer(demo),
    ]
    scripts = [json_island(wall.charts, key="charts"), script(bundle), script(_beside("page.js"))]
    return _whole(demo, together(tag("main", *body), *scripts))


def write(document: Mapping[str, Any], path: Path | str) -> Path:
    """Write the page, whole or not at all."""
    return write_file(path, render(document))


def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as installed, in the very version that Altair writes for; no download."""
    require()
    import altair
    import vl_convert

    version = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # In a function of its own: the bundle names many things by one letter.
    return f"(function(){{{vl_convert.javascript_bundle(vl_version=version)}\n}})();"


def _whole(demo: Demo, body: Safe) -> str:
    languages = ", ".join(item.name for item in demo.languages)
    title = tag("title", f"headcount: {demo.model.heads} heads, {languages}")
    head = together(
        Safe('<meta charset="utf-8">'),
        Safe(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        Safe('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Safe('<meta name="color-scheme" content="light dark">'),
        # An empty icon in place: else a browser asks the server for one.
        Safe('<link rel="icon" href="data:,">'),
        title,
        tag("style", Safe(_beside("page.css"))),
    )
    page = tag("html", tag("head", head), tag("body", body), attributes={"lang": "en"})
    return f"<!doctype html>\n{page}\n"


def _beside(name: str) -> str:
    return files("headcount.report").joinpath(name).read_text(encoding="utf-8")
