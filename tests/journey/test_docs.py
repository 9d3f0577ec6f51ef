"""The documentation does what it says: its code runs, its commands work, its help texts are the commands' own."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from docs import generate

import headcount as hc

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.xdist_group("workplace")
def test_the_python_of_the_readme_runs(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workplace)
    names: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks(README, "python"):
            exec(compile(block, "README.md", "exec"), names)
    first, ranking, closed = printed.getvalue().strip().split("\n")
    assert re.match(r"\d+\.\d vs \d+\.\d: \+\d+\.\d \[\+\d", first)
    assert "encoder." in ranking
    assert float(closed) < 0
    assert hc.inspect(workplace / "smaller").layout == names["smaller"].layout


@pytest.mark.slow
@pytest.mark.xdist_group("workplace")
def test_the_commands_of_the_readme_work(workplace: Path, headcount) -> None:
    lines = [line for block in blocks(README, "console") for line in block.strip().split("\n")]
    assert len(lines) == 5
    for line in lines:
        prompt, program, *words = shlex.split(line)
        assert (prompt, program) == ("$", "headcount")
        headcount(*words, cwd=workplace)
    assert (workplace / "sovami-model" / "model.safetensors").exists()


def test_the_quoted_help_is_the_commands_own() -> None:
    assert (ROOT / "docs" / "commands.md").read_text() == generate.commands(), "run `make docs`"


def test_every_public_name_is_documented() -> None:
    told = (ROOT / "docs" / "python.md").read_text()
    for name in hc.__all__:
        assert name == "__version__" or re.search(rf"`hc\.{name}\b", told), f"docs/python.md does not tell of {name}"


def test_every_error_is_documented() -> None:
    from headcount.core import errors

    told = (ROOT / "docs" / "errors.md").read_text()
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.HeadcountError) and kind is not errors.HeadcountError:
            assert f"`{name}`" in told, f"docs/errors.md does not tell of {name}"


def test_every_documented_command_exists_and_every_command_is_documented() -> None:
    from headcount.cli import app

    listed = {item.name for item in app.registered_commands}
    assert listed == set(generate.COMMANDS) - {""}
