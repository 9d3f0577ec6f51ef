"""The page in a real browser: every chart is drawn, a hover answers, and no width makes the page scroll sideways."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from headcount.core.heads import Layout
from headcount.report.page import render
from report import invented_demo

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium browser on the PATH: apt-get install chromium"),
]

# Written into the test's copy of the page only: tells its frame what a reader at this width would see.
# A desktop browser gives no window narrower than about 500 px, so the page lies in a frame of the wanted width.
FRAME = """<!doctype html><title></title><body style="margin:0">
<script>addEventListener("message", (event) => { document.title = event.data; });</script>
<iframe src="page.html" style="border:0;width:WIDTHpx;height:1200px"></iframe>"""
PROBE = """<script>
addEventListener("load", () => setTimeout(() => {
  const charts = [...document.querySelectorAll(".chart")];
  const tile = document.querySelector(".chart .mark-rect path").getBoundingClientRect();
  const target = document.querySelector(".chart .mark-rect path");
  for (const kind of ["pointerover", "mouseover", "pointermove", "mousemove"])
    target.dispatchEvent(new MouseEvent(kind, {bubbles: true, clientX: tile.x + tile.width / 2, clientY: tile.y + 9}));
  setTimeout(() => parent.postMessage(JSON.stringify({
    width: innerWidth,
    page: document.documentElement.scrollWidth,
    drawn: charts.filter((chart) => chart.querySelector("svg path")).length,
    charts: charts.length,
    wide: charts.filter((chart) => chart.scrollWidth > chart.clientWidth + 1).length,
    ready: document.documentElement.dataset.charts,
    actions: document.querySelectorAll(".vega-actions, .has-actions").length,
    outside: performance.getEntriesByType("resource").map((entry) => entry.name),
    hover: document.querySelector("#vg-tooltip-element")?.textContent ?? "",
  }), "*"), 400);
}, 1500));
</script>"""


def seen(page: str, folder: Path, *, width: int) -> dict[str, Any]:
    """What the page tells about itself in a window of this width."""
    start, end, rest = page.rpartition("</body>")
    (folder / "page.html").write_text(start + PROBE + end + rest, encoding="utf-8")
    (folder / "frame.html").write_text(FRAME.replace("WIDTH", str(width)), encoding="utf-8")
    flags = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update"
    more = (
        "--disable-sync --no-first-run --hide-scrollbars --virtual-time-budget=8000 --window-size=1400,1300 --dump-dom"
    )
    command = [str(CHROMIUM), *flags.split(), *more.split(), f"--user-data-dir={folder / 'profile'}"]
    done = subprocess.run(
        [*command, (folder / "frame.html").as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r"<title>(\{.*?\})</title>", done.stdout, flags=re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    return json.loads(found[1])


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("layout", [invented_demo.layout_of(), invented_demo.layout_of(12, 12)], ids=["tiny", "large"])
def test_every_chart_is_drawn_and_nothing_overflows(width: int, layout: Layout, tmp_path: Path) -> None:
    view = seen(render(invented_demo.demo(layout=layout)), tmp_path, width=width)
    assert view["width"] == width
    assert view["ready"] == "drawn"
    assert view["drawn"] == view["charts"] == 15
    assert view["page"] <= width
    assert view["wide"] == 0
    assert view["actions"] == 0
    assert view["outside"] == []
    assert "layer 1, head 1 (encoder.0.0)" in view["hover"]
