"""One real demo for all journeys: made once per session, by the command a user types."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def headcount() -> Run:
    """Run the command in a process of its own, as a user would."""

    def run(*words: str, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "headcount.cli", *words]
        found = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
        if check:
            assert found.returncode == 0, found.stderr[-3000:]
        return found

    return run


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory, headcount: Run) -> Path:
    """A folder in which `headcount demo` has run."""
    place = tmp_path_factory.mktemp("workplace")
    headcount("demo", cwd=place)
    return place
