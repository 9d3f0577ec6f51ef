"""The demo as a user runs it: what it leaves, what it found, and that it goes on after Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headcount.core.heads import Layout
from headcount.core.mask import HeadMask
from headcount.core.scores import load_scores

# one worker for all that stands on the one real demo
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workplace")]
DEMO = Path("runs/demo")


def document(place: Path) -> dict:
    return json.loads((place / DEMO / "demo.json").read_text())


def test_it_leaves_what_it_promises(workplace: Path) -> None:
    folder = workplace / DEMO
    assert (folder / "report.html").stat().st_size > 100_000
    assert {(item.method, item.language) for item in load_scores(folder / "scores.json")} == {
        (method, language) for method in ("ablation", "gradient") for language in ("svona", "sovami", "vsoru")
    }
    assert HeadMask.load(folder / "mask.json").layout == Layout.from_json(document(workplace)["model"]["layout"])
    assert not list(folder.rglob("*.part"))


def test_the_planted_truth_is_confirmed_and_examined(workplace: Path) -> None:
    told = document(workplace)
    assert {plant["kind"]: plant["confirmed"] for plant in told["planted"]} == {
        "dead": True,
        "positional": True,
        "harmful": True,
    }
    marks = {(item["method"], item["kind"], item["language"]): item["result"] for item in told["exam"]["questions"]}
    assert len(marks) == 14
    assert all(result == "found" for (method, _, _), result in marks.items() if method == "ablation")
    # what Held and Yang 2023 say of gradients: a head that harms looks important to them
    assert marks["gradient", "harmful", "sovami"] == "missed"


def test_closing_the_harmful_head_helps_its_language_alone(workplace: Path) -> None:
    rows = {
        (item["mask"], item["language"]): item
        for item in document(workplace)["evaluations"]
        if item["mask"] == "the planted harmful head"
    }
    assert len(rows) == 3
    gain = rows["the planted harmful head", "sovami"]
    assert gain["low"] > 0.03
    assert gain["p"] < 0.01
    assert all(abs(row["gain"]) < 0.01 for (_, language), row in rows.items() if language != "sovami")


def test_the_page_shows_this_run(workplace: Path) -> None:
    page = (workplace / DEMO / "report.html").read_text()
    told = document(workplace)
    best = max(told["evaluations"], key=lambda item: item["gain"])
    assert f"+{100 * best['gain']:.1f}" in page
    assert not re.search(r"""(?:src|href)=["']?https?:""", page)


def test_a_second_run_goes_on_from_what_is_there(workplace: Path, headcount) -> None:
    before = {path: path.stat().st_mtime_ns for path in (workplace / DEMO / "records").iterdir()}
    page = (workplace / DEMO / "report.html").read_text()
    started = time.monotonic()
    answer = json.loads(headcount("demo", "--json", cwd=workplace).stdout)
    assert time.monotonic() - started < 60  # the bar is 30 s; a machine at work on other things may be slower
    assert answer["files"]["report.html"] == str(DEMO / "report.html")
    assert {path: path.stat().st_mtime_ns for path in (workplace / DEMO / "records").iterdir()} == before
    assert (workplace / DEMO / "report.html").read_text() == page


def test_ctrl_c_leaves_nothing_half_written_and_the_rest_is_the_same(
    workplace: Path, tmp_path: Path, headcount
) -> None:
    # parallel test workers ignore Ctrl-C, and what they start inherits that; a terminal does not
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "import sys; sys.argv = ['headcount', 'demo']; from headcount.cli import main; main()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if line.startswith("exact removal"):
                running.send_signal(signal.SIGINT)
                break
        told = running.stderr.read()
    assert running.returncode == 130
    assert "Interrupted. What was finished is kept" in told
    assert not list(tmp_path.rglob("*.part"))
    assert not (tmp_path / DEMO / "report.html").exists()
    for path in (tmp_path / DEMO / "records").iterdir():
        json.loads(path.read_text())
    headcount("demo", cwd=tmp_path)
    for name in ("scores.json", "mask.json", "model/model.safetensors", "text/vsoru.test.conllu"):
        assert (tmp_path / DEMO / name).read_bytes() == (workplace / DEMO / name).read_bytes(), name


def test_another_seed_is_another_run(workplace: Path, tmp_path: Path, headcount) -> None:
    dry = json.loads(headcount("demo", "--dry-run", "--json", "--seed", "5", cwd=workplace).stdout)
    assert (dry["there_already"], dry["stages"]) == (0, 13)
    assert json.loads(headcount("demo", "--dry-run", "--json", cwd=workplace).stdout)["there_already"] == 13
    assert not (tmp_path / "runs").exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, headcount) -> None:
    (tmp_path / "dear.txt").write_text("kept")
    found = headcount("demo", "--to", ".", cwd=tmp_path, check=False)
    assert found.returncode == 1
    assert "holds something else than a demo; name another folder with --to." in found.stderr
    assert os.listdir(tmp_path) == ["dear.txt"]


def test_a_damaged_record_is_named(workplace: Path, tmp_path: Path, headcount) -> None:
    records = tmp_path / DEMO / "records"
    records.mkdir(parents=True)
    for path in (workplace / DEMO / "records").iterdir():
        (records / path.name).write_bytes(path.read_bytes())
    (broken,) = records.glob("text-*.json")
    broken.write_text(broken.read_text()[:100])
    found = headcount("demo", cwd=tmp_path, check=False)
    assert found.returncode == 1
    assert broken.name in found.stderr
    assert "not valid JSON" in found.stderr
