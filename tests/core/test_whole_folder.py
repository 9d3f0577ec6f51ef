"""Folders that are there whole or not at all (`core/files`); what a disk can refuse is injected."""

import errno
import os

import pytest

from headcount.core import files
from headcount.core.errors import CannotWrite
from headcount.core.files import whole_folder


def problem(number):
    return OSError(number, os.strerror(number))


def tree(folder):
    """Everything below a folder, with its content."""
    return {str(path.relative_to(folder)): path.read_text() if path.is_file() else None for path in folder.rglob("*")}


def fill(place, text):
    (place / "sub").mkdir()
    (place / "sub" / "weights").write_text(text)


def filled(path, error=None, **options):
    """Fill a folder, and fail at the end of the block if there is something to fail with."""
    with whole_folder(path, **options) as place:
        fill(place, "new")
        if error is not None:
            raise error


FULL = {"out": None, "out/sub": None, "out/sub/weights": "new"}
OLD = {"out": None, "out/sub": None, "out/sub/weights": "old"}


@pytest.mark.parametrize("empty", [False, True])
def test_a_folder_takes_its_name_when_the_block_ends_well(tmp_path, empty):
    if empty:
        (tmp_path / "out").mkdir()
    with whole_folder(tmp_path / "out") as place:
        fill(place, "new")
        assert (tmp_path / "out").exists() is empty
        assert place.parent == tmp_path
    assert tree(tmp_path) == FULL


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), CannotWrite("no")])
@pytest.mark.parametrize("replace", [False, True])
def test_an_error_in_the_block_leaves_nothing_and_passes_through(tmp_path, error, replace):
    with pytest.raises(type(error)):
        filled(tmp_path / "out", error, replace=replace)
    assert tree(tmp_path) == {}


def test_a_full_disk_in_the_block_is_told_as_such(tmp_path):
    with pytest.raises(CannotWrite, match=r"out: No space left on device"):
        filled(tmp_path / "out", problem(errno.ENOSPC))
    assert tree(tmp_path) == {}


def test_a_folder_with_content_is_refused_before_the_block(tmp_path):
    (tmp_path / "out").mkdir()
    fill(tmp_path / "out", "old")
    with pytest.raises(CannotWrite, match="exists and is not empty"), whole_folder(tmp_path / "out"):
        pytest.fail("the block must not run")
    for replace in (False, True):
        file = tmp_path / "out" / "sub" / "weights"
        with pytest.raises(CannotWrite, match="exists and is not empty"), whole_folder(file, replace=replace):
            pytest.fail("the block must not run")
    assert tree(tmp_path) == OLD


def test_a_folder_that_somebody_fills_meanwhile_is_not_lost(tmp_path):
    def meanwhile():
        (tmp_path / "out").mkdir()
        fill(tmp_path / "out", "old")

    with pytest.raises(CannotWrite, match="Directory not empty"), whole_folder(tmp_path / "out"):
        meanwhile()
    assert tree(tmp_path) == OLD


def test_replacing_swaps_the_whole_folder(tmp_path):
    (tmp_path / "out").mkdir()
    fill(tmp_path / "out", "old")
    (tmp_path / "out" / "more").write_text("old")
    with whole_folder(tmp_path / "out", replace=True) as place:
        fill(place, "new")
        assert (tmp_path / "out" / "more").read_text() == "old"
    assert tree(tmp_path) == FULL


@pytest.mark.parametrize("error", [problem(errno.EIO), KeyboardInterrupt()])
@pytest.mark.parametrize("failing", [1, 2])
def test_the_old_folder_comes_back_when_replacing_fails(tmp_path, monkeypatch, failing, error):
    (tmp_path / "out").mkdir()
    fill(tmp_path / "out", "old")
    calls = []

    def replace(source, target, real=os.replace):
        calls.append(target)
        if len(calls) == failing:
            raise error
        real(source, target)

    monkeypatch.setattr(files.os, "replace", replace)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else CannotWrite
    with pytest.raises(expected):
        filled(tmp_path / "out", replace=True)
    assert tree(tmp_path) == OLD


def test_an_error_in_the_block_keeps_the_old_folder(tmp_path):
    (tmp_path / "out").mkdir()
    fill(tmp_path / "out", "old")
    with pytest.raises(ValueError, match="no"):
        filled(tmp_path / "out", ValueError("no"), replace=True)
    assert tree(tmp_path) == OLD


def test_behind_a_link_the_target_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    fill(tmp_path / "real", "old")
    (tmp_path / "out").symlink_to(tmp_path / "real")
    with whole_folder(tmp_path / "out", replace=True) as place:
        fill(place, "new")
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "real" / "sub" / "weights").read_text() == "new"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "real"]


@pytest.mark.parametrize("name", ["x" * 256, "file/x", "file/deep/x"])
def test_a_place_that_cannot_be_is_refused_before_the_work(tmp_path, name):
    (tmp_path / "file").write_text("old")
    reasons = "File name too long|a file where a folder is needed|Not a directory"
    with pytest.raises(CannotWrite, match=reasons), whole_folder(tmp_path / name):
        pytest.fail("the block must not run")
    assert tree(tmp_path) == {"file": "old"}


def test_the_longest_legal_name_can_be_taken(tmp_path):
    filled(tmp_path / ("x" * 255))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_begun_is_refused(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise problem(errno.ENOSPC)

    monkeypatch.setattr(files.Path, "mkdir", refuse)
    with pytest.raises(CannotWrite, match="No space left on device"):
        filled(tmp_path / "out")
