"""The command line: answers, errors in one line, exit codes, pipes, and nothing half-written."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from builders import examples, tiny, tokenizer
from headcount.cli import app
from headcount.core.heads import Layout, row
from headcount.core.mask import HeadMask
from headcount.core.scores import HeadScores
from headcount.model import loading
from headcount.model.anatomy import anatomy_of

RUNNER = CliRunner()
CALL = ("measure", "model", "--data", "sv.dev.conllu")
SHOW = ("evaluate", "model", "--data", "sv.dev.conllu", "--mask")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random tagger and a small treebank."""
    folder = tmp_path_factory.mktemp("place")
    loading.save(tiny(), tokenizer(), folder / "model")
    lines = []
    for example in examples():
        rows = enumerate(zip(example.words, example.labels, strict=True), start=1)
        lines += [f"{number}\t{word}\t_\t{label}\t_\t_\t_\t_\t_\t_" for number, (word, label) in rows]
        lines.append("")
    (folder / "sv.dev.conllu").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def run(*words: str, code: int = 0) -> str:
    found = RUNNER.invoke(app, list(words))
    assert found.exit_code == code, (found.output, found.stderr, found.exception)
    return found.stderr if code else found.stdout


def measured(*more: str) -> dict:
    return json.loads(run(*CALL, "--json", "--threads", "1", *more))


def test_the_whole_path(place: Path) -> None:
    told = measured("--to", "scores.json")
    assert HeadScores.from_json(told) == HeadScores.load("scores.json")
    assert told["language"] == "sv"
    mask = json.loads(run("prune", "scores.json", "--lowest", "5", "--to", "mask.json", "--json"))
    assert HeadMask.from_json(mask) == HeadMask.load("mask.json")
    assert len(mask["closed"]) == 5
    shown = json.loads(run(*SHOW, "mask.json", "--json"))
    cut = json.loads(run("cut", "model", "--mask", "mask.json", "--to", "smaller", "--json"))
    assert cut["heads"] == [12, 7]
    again = json.loads(run("evaluate", "smaller", "--data", "sv.dev.conllu", "--json"))
    assert again["full"]["value"] == pytest.approx(shown["difference"]["after"], abs=1e-12)
    found = json.loads(run("inspect", "smaller", "--json"))
    assert found["heads"] == 7
    assert Layout.from_json(found["layout"]).names == tuple(
        n for n in HeadMask.load("mask.json").layout.names if n not in mask["closed"]
    )


def test_people_get_tables(place: Path) -> None:
    text = run(*CALL, "--method", "gradient", "--threads", "1")
    assert "encoder.2" in text
    assert "method:gradient|of:gate" in text.replace("\n", "")
    assert "Not saved: add --to scores.json" in text
    assert "12 heads: encoder 3 layers × 4" in run("inspect", "model")
    assert "unsigned" in run("methods")
    assert [item["name"] for item in json.loads(run("methods", "--json"))["methods"]] == ["ablation", "gradient"]
    assert run("--version").startswith("headcount 0.")


def test_options_reach_the_signature() -> None:
    signature = measured("--seed", "3", "--batch-tokens", "99", "--examples", "7", "--language", "xx")["signature"]
    wanted = {
        "seed": 3,
        "batch_tokens": 99,
        "n": 7,
        "language": "xx",
        "threads": 1,
        "dtype": "float32",
        "device": "cpu",
    }
    assert {name: signature[name] for name in wanted} == wanted


def test_a_dry_run_runs_nothing() -> None:
    told = measured("--dry-run", "--to", "never.json")
    assert told["passes"] == 13
    assert told["seconds"] >= 0
    assert not Path("never.json").exists()


WRONG = [
    (
        (*CALL, "--method", "shapely"),
        "No importance method is called 'shapely'",
    ),
    (
        (*CALL, "--task", "poss"),
        "No task is called 'poss'. Did you mean 'pos'?",
    ),
    (("measure", "model", "--data", "nowhere.conllu"), "nowhere.conllu: no such file"),
    (("measure", "nowhere", "--data", "sv.dev.conllu"), "No model 'nowhere': no such folder"),
    ((*CALL, "--device", "cuda:9"), "this machine has no CUDA device"),
    ((*CALL, "--examples", "0"), "must be at least 1, not 0"),
    ((*CALL, "--batch-tokens", "0"), "--batch-tokens must be at least 1"),
    ((*SHOW, "other.json"), "The mask belongs to another model"),
    (
        (*SHOW, "nothing.json"),
        "nothing.json: no such file; a head mask",
    ),
    (("evaluate", "model", "--data", "empty.conllu"), "empty.conllu: no sentence in this file"),
    (("prune", "empty.json", "--lowest", "1"), "empty.json: the file is empty; head scores"),
    (("prune", "other.json", "--lowest", "1"), "A headcount.scores document was expected, not 'headcount.mask'"),
    (("cut", "model", "--mask", "other.json", "--to", "x"), "The mask belongs to another model"),
    (("cut", "model", "--mask", "open.json", "--to", "model"), "it exists and is not empty"),
    (("cut", "model", "--mask", "open.json", "--to", "empty.json/x"), "empty.json is a file where a folder is needed"),
    (("cut", "model", "--mask", "open.json", "--to", "x", "--dtype", "bfloat16"), "A model is cut in float32"),
    (("inspect", "."), "the folder is there but holds no config that loads"),
]


@pytest.mark.parametrize(
    ("words", "message"), WRONG, ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else ""
)
def test_mistakes_are_one_readable_line(words: tuple[str, ...], message: str) -> None:
    Path("empty.conllu").write_text("")
    Path("empty.json").write_text("")
    HeadMask.open(Layout((row("encoder", 0, 2),))).save("other.json")
    HeadMask.open(anatomy_of(tiny()).layout).save("open.json")
    before = set(Path().rglob("*"))
    told = run(*words, code=1)
    assert told.startswith("Error: ")
    assert message in " ".join(told.split())
    assert "Traceback" not in told
    assert set(Path().rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("measur",), "No such command 'measur'"),
        (("measure",), "Missing argument 'MODEL'"),
        (("measure", "model"), "Missing option '--data'"),
        (("measure", "model", "--data", "x", "--metod", "y"), "No such option"),
        (("prune", "x", "--lowest", "many"), "Invalid value for '--lowest'"),
    ],
)
def test_wrong_usage_is_code_2(words: tuple[str, ...], message: str) -> None:
    assert message in " ".join(run(*words, code=2).replace("│", " ").split())


def test_debug_shows_the_traceback() -> None:
    found = RUNNER.invoke(app, ["measure", "nowhere", "--data", "sv.dev.conllu", "--debug"])
    assert type(found.exception).__name__ == "BadInput"
    assert found.exc_info is not None


@pytest.mark.parametrize("problem", [errno.ENOSPC, errno.EACCES])
def test_a_disk_that_refuses_leaves_nothing(problem: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> None:
        raise OSError(problem, os.strerror(problem))

    before = set(Path().rglob("*"))
    monkeypatch.setattr(os, "replace", refuse)
    told = run(*CALL, "--to", "new.json", "--threads", "1", code=1)
    assert f"Cannot write new.json: {os.strerror(problem)}" in " ".join(told.split())
    assert set(Path().rglob("*")) == before


def test_a_full_disk_leaves_no_part_of_a_model() -> None:
    """A real refusal: the process may write no file larger than a few kilobytes."""
    HeadMask.open(anatomy_of(tiny()).layout).save("open.json")
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "sys.argv = ['headcount', 'cut', 'model', '--mask', 'open.json', '--to', 'never']\n"
        "from headcount.cli import main\nmain()"
    )
    before = set(Path().rglob("*"))
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 1
    assert "Error: Cannot write never: " in " ".join(found.stderr.split())
    assert "Traceback" not in found.stderr
    assert set(Path().rglob("*")) == before


def test_a_pipe_gets_plain_text_and_answers_alone() -> None:
    command = [sys.executable, "-m", "headcount.cli", "measure", "model", "--data", "sv.dev.conllu", "--threads", "1"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0
    assert "\x1b" not in found.stdout + found.stderr
    assert "closing one head at a time: 12 of 12" in found.stderr
    assert "closing one head" not in found.stdout
    told = subprocess.run([*command, "--json"], capture_output=True, text=True)
    assert json.loads(told.stdout)["method"] == "ablation"


def test_no_color_is_respected_even_on_a_terminal() -> None:
    code = (
        "from headcount.terminal import answers\nfrom rich.console import Console\n"
        "import io\nshown = io.StringIO()\n"
        "Console(file=shown, force_terminal=True).print('[red]x[/]')\nprint(repr(shown.getvalue()))"
    )
    coloured, plain = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env).stdout
        for env in (dict(os.environ, TERM="xterm"), dict(os.environ, TERM="xterm", NO_COLOR="1"))
    )
    assert "[31m" in coloured
    assert "[31m" not in plain


def test_help_teaches() -> None:
    text = run("--help")
    for word in ("First steps", "Exit codes", "Measure and remove", "headcount prune scores.json"):
        assert word in text
    assert "Example:" in run("measure", "--help")
