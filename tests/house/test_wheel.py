"""What users install: the wheel is built, laid into an empty folder, and run from there, not from the source tree."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content in a folder of its own."""
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = place.glob("headcount-*.whl")
    target = place / "site"
    install = ["-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target), str(wheel)]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    return target


def run(installed: Path, *words: str, cwd: Path) -> str:
    """Run Python with the wheel's packages before all others."""
    env = {**os.environ, "PYTHONPATH": str(installed)}
    found = subprocess.run([sys.executable, *words], cwd=cwd, env=env, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_the_wheel_holds_the_package_and_nothing_else(installed: Path) -> None:
    (wheel,) = installed.parent.glob("headcount-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"headcount"}
    sources = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.*") if path.suffix != ".pyc"}
    assert sources <= set(names)
    assert wheel.stat().st_size < 1_500_000


def test_the_installed_package_is_the_one_that_runs(installed: Path, tmp_path: Path) -> None:
    where = run(installed, "-c", "import headcount; print(headcount.__file__)", cwd=tmp_path)
    assert where.startswith(str(installed))
    assert run(installed, str(installed / "bin" / "headcount"), "--version", cwd=tmp_path).startswith("headcount 0.")


def test_it_measures_and_cuts_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = (
        "import torch, transformers, headcount as hc\n"
        "config = transformers.BertConfig(vocab_size=40, hidden_size=12, num_hidden_layers=2,\n"
        "    num_attention_heads=3, intermediate_size=16, initializer_range=0.3)\n"
        "model = transformers.BertModel(config).eval()\n"
        "pieces = torch.arange(12).view(2, 6)\n"
        "scores = hc.measure(model, worth=lambda m: m(input_ids=pieces).last_hidden_state[..., 0].mean(-1))\n"
        "mask = hc.prune(scores, lowest=2)\n"
        "print(len(hc.cut(model, mask).config.headcount_layout['rows']), len(mask.closed))"
    )
    assert run(installed, "-c", code, cwd=tmp_path).split() == ["2", "2"]


def test_the_page_s_look_and_script_are_inside(installed: Path, tmp_path: Path) -> None:
    code = (
        "from importlib.resources import files\nimport json, headcount.report.page as page\n"
        "print(json.dumps([files('headcount.report').joinpath(n).is_file() for n in ('page.css', 'page.js')]))"
    )
    assert json.loads(run(installed, "-c", code, cwd=tmp_path)) == [True, True]
    dry = run(installed, str(installed / "bin" / "headcount"), "demo", "--dry-run", "--json", cwd=tmp_path)
    assert json.loads(dry)["there_already"] == 0
