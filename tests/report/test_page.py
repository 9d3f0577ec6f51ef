"""The page: offline, escaped, honest; wrong documents and missing packages are told by name."""

import json
import re
import subprocess
import sys
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from headcount.core.errors import BadInput, CannotWrite, MissingExtra
from headcount.core.heads import Layout, row
from headcount.importance.ablation import ZONES
from headcount.report.page import render, require, write
from report import invented_demo

HOSTILE = "</script><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>\"'&<!--"


def without_scripts(page: str) -> str:
    """All that is ours in HTML and CSS, without the code of Vega and the data."""
    return re.sub(r"<script\b[^>]*>.*?</script>", "", page, flags=re.DOTALL)


def text_of(page: str) -> str:
    visible = re.sub(r"<style>.*?</style>", "", without_scripts(page), flags=re.DOTALL)
    words = unescape(re.sub(r"<[^>]+>", " ", visible)).replace("\u00a0", " ")
    return re.sub(r"\s+", " ", words)


def part(page: str, key: str) -> str:
    found = re.search(rf'<section id="{key}".*?</section>', without_scripts(page), flags=re.DOTALL)
    assert found is not None
    return text_of(found[0])


def charts_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="charts">(.*?)</script>', page, flags=re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_nothing_is_fetched_from_outside(page: str) -> None:
    ours = without_scripts(page)
    links = re.findall(r'(?:src|href|action|poster|srcset|data)\s*=\s*"([^"]*)"', ours)
    assert links
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not re.search(r"url\(|@import|@font-face|https?:|//cdn", ours)
    assert "src=" not in "".join(re.findall(r"<script\b[^>]*>", page))


def test_the_browser_is_told_to_refuse_outside_requests(page: str) -> None:
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    assert found[1].startswith("default-src 'none'")
    assert "http" not in found[1]
    assert "*" not in found[1]


def test_vega_is_inlined_once_and_the_page_stays_small(page: str) -> None:
    assert page.count("window.vegaEmbed=") == 1
    assert len(page.encode()) < 3_000_000


def test_a_page_of_a_large_model_stays_small() -> None:
    large = render(invented_demo.demo(layout=invented_demo.layout_of(12, 12)))
    assert len(large.encode()) < 3_000_000


def test_hostile_names_stay_text(document: dict[str, Any]) -> None:
    text = json.dumps(document).replace('"sovami"', json.dumps(HOSTILE))
    hostile = json.loads(text)
    hostile["commands"].append(HOSTILE)
    hostile["evaluations"][0]["mask"] = hostile["made"]["settings"] = hostile["planted"][0]["claim"] = HOSTILE
    page = render(hostile)
    assert "alert(1)</script>" not in page
    assert "<img" not in without_scripts(page)
    assert len(re.findall(r"<script\b", page.partition('id="charts"')[0])) == 1
    assert HOSTILE in text_of(page).replace("\u00a0", " ") or HOSTILE in unescape(page)
    titles = [spec["description"] for spec in charts_of(page).values()]
    assert any(HOSTILE in title for title in titles)


def test_every_chart_has_its_place_and_its_words(page: str) -> None:
    charts = charts_of(page)
    assert len(charts) == 6 + 3 + 3 + 3
    for key, spec in charts.items():
        assert f'<div class="chart" id="{key}"></div>' in page
        assert spec["description"]
        assert spec["width"] == "container"


def test_the_summary_is_computed_from_the_data(page: str, document: dict[str, Any]) -> None:
    text = text_of(page)
    assert "Three artificial languages, one tiny encoder of 24 heads in 4 layers, three planted heads" in text
    assert "Close-one ablation found 7 of 7 planted effects" in text
    assert "Gate gradient found 6 of 7 planted effects; it missed the harmful head in sovami" in text
    assert "Closing the harmful head, layer 3, head 5 (encoder.2.4), lifts sovami from 90.1 % to 95.2 %" in text
    for item in document["evaluations"]:
        item["gain"], item["low"], item["high"] = 0.0, -0.01, 0.01
    assert "Closing heads lifted no language beyond doubt." in text_of(render(document))


def test_a_loss_is_told_as_plainly_as_a_gain(page: str) -> None:
    assert "closing six heads (“six by lot”) takes kemi from 93.8 % to 83.3 % (−10.5 points" in text_of(page)


def test_a_larger_loss_that_proves_nothing_does_not_hide_a_sure_one(document: dict[str, Any]) -> None:
    unsure = next(item for item in document["evaluations"] if item["mask"] == "lowest six by gradient")
    unsure.update(gain=-0.2, low=-0.41, high=0.01, p=0.06)
    text = text_of(render(document))
    assert "closing six heads (“six by lot”) takes kemi from 93.8 % to 83.3 % (−10.5 points" in text
    assert "(−20.0 points" not in text


def test_a_gradient_map_tells_its_scale_and_claims_no_zero(page: str) -> None:
    ablation, gradient = part(page, "maps").split("Gate gradient", 1)
    assert "small: its interval reaches zero" in ablation
    assert "reaches zero" not in gradient
    assert "no reaction" not in gradient
    assert "lowest, 0 highest, 1" in gradient
    assert "each layer by its L2 norm, then all heads together from 0 to 1" in gradient
    assert "the lowest head is always 0 and the highest always 1" in gradient


def test_idle_is_told_with_its_zone(page: str) -> None:
    zone = f"{100 * ZONES['accuracy']:g}"
    told = f"Idle means: the whole interval lies inside the zone of ±{zone} points that we call no effect"
    assert told in part(page, "reading")


def test_the_closing_table_says_how_many_p_values_stand_uncorrected(document: dict[str, Any], page: str) -> None:
    closing = part(page, "closing")
    assert "one by one, not corrected for their number: this table holds nine" in closing
    together = "the intervals of close-one ablation hold for all heads of a map together"
    assert together in closing
    document["scores"] = [item for item in document["scores"] if item["method"] == "gradient"]
    document["evaluations"] = document["evaluations"][:4]
    closing = part(render(document), "closing")
    assert "this table holds four" in closing
    assert together not in closing


def test_the_exam_shows_what_was_found_missed_and_wrongly_accused(page: str) -> None:
    exam = part(page, "exam")
    assert exam.count("✓ found") == 13
    assert exam.count("✗ missed") == 1
    assert "layer 3, head 5 (encoder.2.4) harmful sovami harms rank 3 of 24 (among those it keeps) ✗ missed" in exam
    assert "layer 1, head 2 (encoder.0.1) svona among its 6 lowest +1.2 points [0.6, 1.8] helps" in exam
    assert "Found 7 of 7 planted effects; 0 of 72 accusations were wrong." in exam
    assert "It accused no head wrongly." in exam


def test_the_exam_comes_after_the_evidence_and_before_the_commands(page: str) -> None:
    order = re.findall(r'<section id="(\w+)"', page)
    assert order == ["languages", "planted", "maps", "against", "closing", "curves", "exam", "commands", "reading"]
    assert re.findall(r'<a href="#(\w+)"', page) == order


def test_tables_carry_gains_and_truths(page: str) -> None:
    assert "harmful closed sovami 1 90.1 % 95.2 % +5.1 points [4.2, 6.0] p < 0.001 400" in part(page, "closing")
    assert "sovami −5.1 points [−5.7, −4.5] harms" in part(page, "planted")
    assert "Seen in the model: attends to the previous token for 99.2 % of tokens." in part(page, "planted")


def test_the_signature_stands_at_the_end(page: str) -> None:
    foot = text_of(page[page.index("<footer>") :])
    for expected in ("headcount demo --to runs/demo --seed 0", "57 seconds", "torch 2.0.0", "invented:yes", "n:400"):
        assert expected in foot


def test_headings_do_not_skip_a_level_and_tables_have_captions(page: str) -> None:
    ours = without_scripts(page)
    levels = [int(level) for level in re.findall(r"<h(\d)[ >]", ours)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    assert ours.count("<table") == ours.count("<caption") == 10


def test_an_empty_run_is_told_and_not_hidden(document: dict[str, Any]) -> None:
    document.update(planted=[], evaluations=[], curves=[], commands=[])
    document["exam"] = {"questions": [], "accused": [], "checked": {}}
    document["scores"] = [item for item in document["scores"] if item["method"] == "ablation"]
    text = text_of(render(document))
    for told in ("no head was planted", "Only one method was run", "no heads were closed", "no removal curve"):
        assert told in text


def test_cut_and_stacked_models_have_pages_too() -> None:
    layout = Layout(
        (
            row("encoder", 0, 6),
            row("encoder", 1, [0, 1]),
            row("encoder", 2, [4]),
            row("encoder", 3, 6),
            row("cross", 0, 3),
        )
    )
    assert "cross layer 1, head 3 (cross.0.2)" in text_of(render(invented_demo.demo(layout=layout)))


def test_one_document_gives_one_page(document: dict[str, Any], page: str) -> None:
    assert render(document) == page


def test_pages_are_written_whole(document: dict[str, Any], page: str, tmp_path: Path) -> None:
    path = write(document, tmp_path / "new" / "page.html")
    assert path.read_text(encoding="utf-8") == page
    assert [item.name for item in path.parent.iterdir()] == ["page.html"]
    with pytest.raises(CannotWrite):
        write(document, tmp_path)


def test_a_wrong_document_leaves_no_page(document: dict[str, Any], tmp_path: Path) -> None:
    document["format"] = "headcount.scores"
    with pytest.raises(BadInput, match=r"headcount\.demo document was expected"):
        write(document, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_package_is_told_with_its_cure(
    document: dict[str, Any], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for door in (require, lambda: render(document)):
        with pytest.raises(MissingExtra, match=r"pip install 'headcount\[report\]'"):
            door()


def test_the_page_can_be_imported_without_any_extra() -> None:
    code = (
        "import sys\n"
        "for name in ('altair', 'vl_convert', 'pandas', 'torch', 'transformers'): sys.modules[name] = None\n"
        "import headcount.report.page\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_claim_that_removal_did_not_confirm_is_not_called_true(document: dict[str, Any]) -> None:
    assert "did not confirm" not in render(document)
    document["planted"][2]["confirmed"] = False
    assert "did not confirm this in this run" in render(document)
    document["planted"][2]["confirmed"] = "yes"
    with pytest.raises(BadInput, match=r"planted\[2\]\.confirmed must be true or false, not 'yes'"):
        render(document)
