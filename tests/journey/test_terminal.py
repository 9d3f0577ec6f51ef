"""What people see: the map of scores, progress in a pipe, and options that must reach their calls."""

import json
from pathlib import Path

import numpy as np
import pytest
from rich.style import Style
from rich.text import Text
from typer.testing import CliRunner

from builders import examples, tiny, tokenizer
from headcount.cli import app
from headcount.core.heads import Layout, row
from headcount.core.mask import HeadMask
from headcount.core.scores import HeadScores, save_scores
from headcount.model import loading
from headcount.model.anatomy import anatomy_of
from headcount.terminal import Bars, score_map

LAYOUT = Layout((row("encoder", 0, 3), row("encoder", 1, 3)))


def scores(
    *values: float, layout: Layout = LAYOUT, method: str = "ablation", language: str = "sw", signed: bool = True
) -> HeadScores:
    return HeadScores(
        layout=layout,
        method=method,
        task="pos",
        language=language,
        unit="accuracy",
        signed=signed,
        value=np.array(values),
    )


@pytest.fixture(autouse=True)
def _a_plain_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def cells(*values: float, signed: bool = True) -> list[Text]:
    """The map of six values, head by head."""
    columns = [list(column.cells) for column in score_map(scores(*values, signed=signed)).columns[1:]]
    return [column[layer] for layer in range(2) for column in columns]


def test_the_map_tells_thousandths_with_their_sign() -> None:
    found = [cell.plain for cell in cells(0.0123, -0.0048, 0.0, 0.5, -1.0, 0.0009)]
    assert found == ["+12", "-5", "+0", "+500", "-1000", "+1"]
    assert str(score_map(scores(0, 0, 0, 0, 0, 0)).title) == "ablation · pos/sw · accuracy in thousandths"


def test_what_has_no_sign_is_shown_without_one() -> None:
    found = [cell.plain for cell in cells(0.0123, 0.0, 1.0, 0.5, 0.2, 0.0009, signed=False)]
    assert found == ["12", "0", "1000", "500", "200", "1"]


def test_what_helps_is_blue_and_what_harms_is_orange() -> None:
    found = [Style.parse(str(cell.style)) for cell in cells(0.04, -0.04, 0.0005, -0.0005, 0.01, -0.01)]
    assert all(style.color is None for style in found[2:4])
    for helps, harms in ((found[0], found[1]), (found[4], found[5])):
        red, _, blue = helps.color.triplet
        assert blue > red
        red, _, blue = harms.color.triplet
        assert red > blue
    assert [bool(style.bold) for style in found] == [True, True, False, False, False, False]


def test_a_map_of_nothing_has_no_colour() -> None:
    assert {str(cell.style) for cell in cells(0, 0, 0, 0, 0, 0)} == {""}


def told(bars: Bars, capsys: pytest.CaptureFixture[str]) -> list[str]:
    with bars:
        for task in ("looking", "closing"):
            for done in range(4):
                bars(task, done, 3)
    seen = capsys.readouterr()
    assert seen.out == ""
    return seen.err.splitlines()


def test_a_pipe_gets_one_line_for_every_finished_task(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(Bars(), capsys)
    assert [line.rpartition(" in ")[0] for line in lines] == ["looking: 3 of 3", "closing: 3 of 3"]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(Bars(quiet=True), capsys) == []
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert told(Bars(quiet=True), capsys) == []


def test_a_terminal_gets_bars_and_no_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    shown = "\n".join(told(Bars(), capsys))
    assert "looking" in shown
    assert "3 of 3 in" not in shown
    monkeypatch.setenv("TERM", "dumb")
    assert len(told(Bars(), capsys)) == 2


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random tagger, a small treebank, a mask, and scores of two methods in two languages."""
    folder = tmp_path_factory.mktemp("place")
    loading.save(tiny(), tokenizer(), folder / "model")
    lines = []
    for example in examples():
        rows = enumerate(zip(example.words, example.labels, strict=True), start=1)
        lines += [f"{number}\t{word}\t_\t{label}\t_\t_\t_\t_\t_\t_" for number, (word, label) in rows]
        lines.append("")
    (folder / "sv.conllu").write_text("\n".join(lines) + "\n")
    HeadMask.closing(anatomy_of(tiny()).layout, ["encoder.1.1"]).save(folder / "mask.json")
    several = [
        scores(*np.roll(np.arange(6.0), shift), method=method, language=language, signed=method == "ablation")
        for shift, (method, language) in enumerate(
            [("ablation", "sw"), ("ablation", "de"), ("gradient", "sw"), ("gradient", "de")]
        )
    ]
    save_scores(several, folder / "several.json")
    return folder


def answer(place: Path, *words: str, code: int = 0) -> dict | str:
    found = CliRunner().invoke(app, [word.replace("@", f"{place}/") for word in words])
    assert found.exit_code == code, (found.output, found.stderr, found.exception)
    return found.stderr if code else json.loads(found.stdout)


def test_evaluate_takes_the_first_so_many_examples(place: Path) -> None:
    call = ("evaluate", "@model", "--data", "@sv.conllu", "--mask", "@mask.json", "--threads", "1", "--json")
    few, all_of_them = answer(place, *call, "--examples", "5"), answer(place, *call)
    assert [item["full"]["examples"] for item in (few, all_of_them)] == [5, 24]
    assert [item["difference"]["examples"] for item in (few, all_of_them)] == [5, 24]
    assert few["signature"]["n"] == 5
    assert few["closed"] == ["encoder.1.1"]


def test_evaluate_takes_the_name_of_a_language(place: Path) -> None:
    call = ("evaluate", "@model", "--data", "@sv.conllu", "--threads", "1", "--json", "--examples", "2")
    assert answer(place, *call)["language"] == "sv"
    assert answer(place, *call, "--language", "xx")["language"] == "xx"


def test_an_outlook_of_an_evaluation_counts_its_mask(place: Path) -> None:
    call = ("evaluate", "@model", "--data", "@sv.conllu", "--threads", "1", "--json", "--dry-run")
    assert [answer(place, *call, *more)["passes"] for more in ((), ("--mask", "@mask.json"))] == [1, 2]


@pytest.mark.parametrize(
    ("method", "language", "lowest"),
    [
        ("ablation", "sw", "encoder.0.0"),
        ("ablation", "de", "encoder.0.1"),
        ("gradient", "sw", "encoder.0.2"),
        ("gradient", "de", "encoder.1.0"),
    ],
)
def test_prune_chooses_scores_by_method_and_language(place: Path, method: str, language: str, lowest: str) -> None:
    chosen = ("--method", method, "--language", language)
    mask = answer(place, "prune", "@several.json", "--lowest", "1", "--json", *chosen)
    assert mask["closed"] == [lowest]
    assert mask["why"] == f"lowest 1 by {method} on pos/{language}"


def test_prune_asks_which_scores_are_meant(place: Path) -> None:
    for more in ((), ("--method", "ablation"), ("--language", "de")):
        assert "holds several scores" in answer(place, "prune", "@several.json", "--lowest", "1", *more, code=1)
