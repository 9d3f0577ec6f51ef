"""Import costs nothing: no torch, no file, no hook; and every public name can be had."""

import json
import subprocess
import sys

import headcount as hc

LOOK = """
import sys, json, threading
hook, path = sys.excepthook, list(sys.meta_path)
import headcount
heavy = [name for name in ("torch", "transformers", "numpy", "typer", "rich", "altair") if name in sys.modules]
print(json.dumps([heavy, sys.excepthook is hook, sys.meta_path == path, threading.active_count()]))
"""


def test_import_loads_nothing_heavy_and_sets_no_hook() -> None:
    out = subprocess.run([sys.executable, "-c", LOOK], check=True, capture_output=True, text=True).stdout
    assert json.loads(out) == [[], True, True, 1]


def test_every_public_name_is_there() -> None:
    for name in hc.__all__:
        assert getattr(hc, name) is not None
    assert set(hc.__all__) == set(dir(hc))


def test_an_unknown_name_lists_the_known_ones() -> None:
    code = "import headcount; headcount.mesure"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
    assert "headcount has no name 'mesure'; it has Head" in told


def test_an_old_python_is_told_in_one_line() -> None:
    code = "import sys; sys.version_info = (3, 9, 1); import headcount"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
    assert told.strip().split("\n")[-1] == (
        "ImportError: headcount needs Python 3.11 or newer; this is Python 3.9. Make an environment with a newer one."
    )


def test_the_first_lines_can_be_read_by_old_pythons() -> None:
    """What an old interpreter must parse before it is told: no syntax newer than Python 3.6 in the front door."""
    import ast
    from pathlib import Path

    ast.parse(Path(hc.__file__).read_text(), feature_version=(3, 6))
