"""Stages: made once, and again when their settings or the files they left are others."""

from pathlib import Path

from headcount.core.progress import silent
from headcount.core.runtime import Runtime
from headcount.study.stages import Stages, content_of


class Work:
    """Two stages: the second is made from the file that the first leaves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[str] = []

    def run(self, *, seed: int = 0) -> str:
        stages = Stages(folder=self.folder, runtime=Runtime(seed=seed), progress=silent, fixed={"version": 1}, total=2)
        stages.step("text", lambda: self.write(seed), files=(self.folder / "text",))
        return stages.step("count", self.count)

    def write(self, seed: int) -> None:
        self.made.append("text")
        (self.folder / "text").write_text(f"text of seed {seed}")

    def count(self) -> str:
        self.made.append("count")
        return (self.folder / "text").read_text()


def test_a_second_run_makes_nothing(tmp_path: Path) -> None:
    work = Work(tmp_path)
    assert work.run() == work.run() == "text of seed 0"
    assert work.made == ["text", "count"]


def test_another_seed_in_the_same_folder_is_never_mixed_in(tmp_path: Path) -> None:
    work = Work(tmp_path)
    assert [work.run(seed=seed) for seed in (0, 5, 0)] == ["text of seed 0", "text of seed 5", "text of seed 0"]
    assert work.made == ["text", "count", "text", "count", "text"]  # the last count of seed 0 is still true


def test_a_file_that_was_changed_or_lost_is_made_again(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.run()
    (tmp_path / "text").write_text("edited")
    assert work.run() == "text of seed 0"
    (tmp_path / "text").unlink()
    assert work.run() == "text of seed 0"
    assert work.made == ["text", "count", "text", "text"]


def test_content_is_told_apart_by_name_and_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").write_text("x")
    assert content_of((tmp_path / "a",)) != content_of((tmp_path / "b",))
    assert content_of((tmp_path / "nothing",)) != content_of((tmp_path / "a",))
