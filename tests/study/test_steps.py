"""The verbs, option by option: what is given to a call reaches what it does; and when a stage is made again."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from builders import subject, tiny, tokenizer
from headcount.core.mask import HeadMask
from headcount.core.progress import silent
from headcount.core.runtime import Runtime
from headcount.model import loading
from headcount.study import steps
from headcount.study.stages import Stages
from headcount.training.subject import Subject


@pytest.fixture
def asked() -> Subject:
    return subject(tiny())


@pytest.fixture
def _threads_restored() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def seeded(asked: Subject, seed: int) -> Subject:
    return replace(asked, loaded=replace(asked.loaded, runtime=replace(asked.loaded.runtime, seed=seed)))


def closing_two(asked: Subject) -> HeadMask:
    return HeadMask.closing(asked.layout, ["encoder.0.1", "encoder.2.3"])


def test_confidence_reaches_the_figure_and_the_difference(asked: Subject) -> None:
    narrow, wide = (steps.evaluate(asked, mask=closing_two(asked), confidence=confidence) for confidence in (0.8, 0.99))
    for part in ("full", "difference"):
        less, more = getattr(narrow, part), getattr(wide, part)
        assert (less.confidence, more.confidence) == (0.8, 0.99)
        assert more.low < less.low < less.high < more.high


def test_the_runtime_s_seed_decides_the_draws_of_an_evaluation(asked: Subject) -> None:
    mask = closing_two(asked)
    first, again, other = (steps.evaluate(seeded(asked, seed), mask=mask) for seed in (1, 1, 2))
    assert (first.full, first.difference) == (again.full, again.difference)
    assert first.full.value == other.full.value
    assert (first.full.low, first.full.high) != (other.full.low, other.full.high)
    assert first.difference != other.difference


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("de_gsd-ud-dev.conllu", "de"),
        ("svona.dev.conllu", "svona"),
        ("sw-ud-test.conllu.gz", "sw"),
        ("a.folder_of-one/fi_tdt.conllu", "fi"),
        ("yue.x_y-z", "yue"),
        ("zh_gsd/dev.conllu", "zh"),
        ("fr-ud/Test.conllu", "fr"),
        ("eu_bdt/data/train.conllu", "eu"),
        ("de_gsd/sv.dev.conllu", "sv"),
        ("/dev.conllu", "unknown"),
        ("/.conllu", "unknown"),
    ],
)
def test_a_language_is_the_first_word_of_its_file(path: str, language: str) -> None:
    assert steps.language_of(path) == language
    assert steps.language_of(Path(path)) == language


@pytest.fixture
def _two_seconds_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by 2 seconds whenever it is looked at."""
    clock = count(100, 2)
    monkeypatch.setattr(steps, "time", SimpleNamespace(perf_counter=lambda: next(clock)))


@pytest.mark.usefixtures("_two_seconds_a_look")
@pytest.mark.parametrize(
    ("options", "passes"),
    [
        ({"method": "ablation"}, 13),
        ({"method": "gradient"}, 3),
        ({"method": None}, 1),
        ({"method": None, "masks": 1}, 2),
    ],
)
def test_an_outlook_is_passes_times_the_time_of_one(asked: Subject, options: dict, passes: float) -> None:
    told = steps.outlook(asked, **options)
    assert told["passes"] == passes
    assert told["seconds"] == 2 * passes
    assert told["pieces"] == sum(len(window.pieces) for window in asked.windows)


@pytest.mark.usefixtures("_two_seconds_a_look")
def test_an_outlook_times_a_part_and_tells_of_the_whole(asked: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_TIMED", 6)
    part = sum(len(window.pieces) for window in asked.windows if window.example < 6)
    told = steps.outlook(asked, method=None)
    assert told["examples"] == 24
    assert part < told["pieces"] / 2
    assert told["seconds"] == pytest.approx(2 * told["pieces"] / part, abs=0.051)


@pytest.mark.usefixtures("_threads_restored")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_model_is_loaded_in_the_dtype_asked_for(dtype: str, tmp_path: Path) -> None:
    loading.save(tiny(), tokenizer(), tmp_path / "model")
    runtime = Runtime(device="cpu", threads=1, dtype=dtype)
    loaded = loading.load(tmp_path / "model", head="tag", runtime=runtime)
    assert {part.dtype for part in loaded.model.parameters()} == {getattr(torch, dtype)}
    assert loaded.runtime.dtype == dtype
    assert not loaded.model.training


@pytest.mark.usefixtures("_threads_restored")
def test_the_threads_asked_for_are_set_and_told() -> None:
    for threads in (2, 1):
        assert loading.settle(Runtime(device="cpu", threads=threads)).threads == threads
        assert torch.get_num_threads() == threads
    torch.set_num_threads(2)
    assert loading.settle(Runtime(device="cpu")).threads == 2


class Kitchen:
    """Stages in one folder, with a stage that leaves a file and one that is made from it."""

    def __init__(self, folder: Path, *, seed: int = 0) -> None:
        self.file, self.made = folder / "text.txt", []
        runtime = Runtime(device="cpu", threads=1, seed=seed)
        self.stages = Stages(folder=folder, runtime=runtime, progress=silent, fixed={}, total=2)

    def run(self, content: str = "one") -> list[str]:
        """What had to be made."""
        (self.file.parent / "records").mkdir(exist_ok=True)
        self.stages.step("text", lambda: self._make("text", content), files=(self.file,))
        assert self.stages.step("words", lambda: self._make("words"), language="aa") == "words"
        return self.made

    def _make(self, name: str, content: str | None = None) -> str:
        self.made.append(name)
        if content is not None:
            self.file.write_text(content)
        return name


def test_a_stage_is_made_once(tmp_path: Path) -> None:
    assert Kitchen(tmp_path).run() == ["text", "words"]
    again = Kitchen(tmp_path)
    assert again.run() == []
    assert len(again.stages.seconds) == 2


def test_a_stage_whose_file_is_gone_is_made_again(tmp_path: Path) -> None:
    first = Kitchen(tmp_path)
    first.run()
    first.file.unlink()
    assert Kitchen(tmp_path).run() == ["text"]
    assert first.file.read_text() == "one"


def test_a_stage_whose_file_was_changed_is_made_again(tmp_path: Path) -> None:
    first = Kitchen(tmp_path)
    first.run()
    first.file.write_text("two")
    assert Kitchen(tmp_path).run() == ["text"]


def test_what_was_made_from_other_files_is_made_again(tmp_path: Path) -> None:
    first = Kitchen(tmp_path)
    first.run()
    first.file.unlink()
    assert Kitchen(tmp_path).run(content="two") == ["text", "words"]


def test_other_settings_are_another_stage(tmp_path: Path) -> None:
    Kitchen(tmp_path).run()
    assert Kitchen(tmp_path, seed=1).run() == ["text", "words"]
