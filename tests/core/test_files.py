"""Every way a disk can refuse is injected here: tests may run as root, whom no permission stops."""

import errno
import os
import threading
from pathlib import Path

import pytest

from headcount.core import files
from headcount.core.errors import BadInput, CannotWrite, HeadcountError
from headcount.core.files import read_text, write_file

REFUSALS = [
    ("open", errno.EACCES, "Permission denied"),
    ("write", errno.ENOSPC, "No space left on device"),
    ("flush", errno.EDQUOT, "Disk quota exceeded"),
    ("fsync", errno.EIO, "Input/output error"),
    ("replace", errno.EROFS, "Read-only file system"),
]


def problem(number):
    return OSError(number, os.strerror(number))


def inject(monkeypatch, place, error):
    """Make one step of writing fail."""

    def fail(*_):
        raise error

    class Stream:
        def __init__(self, *parts):
            self.inner = open(*parts)  # noqa: SIM115 closed by __exit__

        def __enter__(self):
            self.inner.__enter__()
            return self

        def __exit__(self, *parts):
            return self.inner.__exit__(*parts)

        def __getattr__(self, name):
            return fail if name == place else getattr(self.inner, name)

    if place in ("fsync", "replace"):
        monkeypatch.setattr(files.os, place, fail)
    else:
        monkeypatch.setattr(files, "open", fail if place == "open" else Stream, raising=False)


def tree(folder):
    """Everything below a folder, with its content."""
    return {str(path.relative_to(folder)): path.read_text() if path.is_file() else None for path in folder.rglob("*")}


def test_a_file_is_written_with_its_folders_and_replaced(tmp_path):
    path = tmp_path / "a" / "b" / "c.json"
    assert write_file(str(path), "één") == path
    assert path.read_bytes() == "één".encode()
    write_file(path, b"\x00two")
    assert path.read_bytes() == b"\x00two"
    assert [item.name for item in path.parent.iterdir()] == ["c.json"]


@pytest.mark.parametrize(("place", "number", "reason"), REFUSALS)
@pytest.mark.parametrize("old", [None, "old"])
def test_a_refused_write_leaves_what_was_there(tmp_path, monkeypatch, place, number, reason, old):
    path = tmp_path / "scores.json"
    if old:
        path.write_text(old)
    before = tree(tmp_path)
    with monkeypatch.context() as patch:
        inject(patch, place, problem(number))
        with pytest.raises(
            CannotWrite, match=rf"Cannot write .*scores\.json: {reason}\. Nothing was left half-written"
        ):
            write_file(path, "new")
    assert tree(tmp_path) == before
    assert write_file(path, "new").read_text() == "new"


@pytest.mark.parametrize("place", ["write", "fsync", "replace"])
def test_an_interrupted_write_leaves_what_was_there(tmp_path, monkeypatch, place):
    (tmp_path / "scores.json").write_text("old")
    inject(monkeypatch, place, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "scores.json", "new")
    assert tree(tmp_path) == {"scores.json": "old"}


def test_a_cleaning_up_that_fails_does_not_hide_what_went_wrong(tmp_path, monkeypatch):
    inject(monkeypatch, "fsync", problem(errno.ENOSPC))
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(problem(errno.EIO)))
    with pytest.raises(CannotWrite, match="No space left on device"):
        write_file(tmp_path / "a.json", "new")


def test_data_is_on_the_disk_before_it_takes_its_name(tmp_path, monkeypatch):
    steps = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(files.os, name, lambda *parts, n=name, r=real: (steps.append(n), r(*parts))[1])
    write_file(tmp_path / "a.json", "new")
    assert steps == ["fsync", "replace"]


def test_a_file_where_a_folder_is_needed_is_named(tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(CannotWrite, match=r"file is a file where a folder is needed"):
        write_file(tmp_path / "file" / "a.json", "new")
    with pytest.raises(CannotWrite, match=r"file is a file where a folder is needed"):
        write_file(tmp_path / "file" / "deep" / "a.json", "new")


def test_a_folder_is_not_replaced_by_a_file(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(CannotWrite, match="there is a folder of that name"):
        write_file(tmp_path / "out", "new")
    assert tree(tmp_path) == {"out": None}


def test_a_device_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CannotWrite, match="no plain file"):
        write_file(tmp_path / "pipe", "new")
    assert (tmp_path / "pipe").is_fifo()


def test_the_longest_legal_name_can_be_written(tmp_path):
    write_file(tmp_path / ("é" * 127), "new")  # 254 bytes of 255
    assert list(tree(tmp_path)) == ["é" * 127]


@pytest.mark.parametrize("length", [256, 5000])
def test_a_name_too_long_is_refused(tmp_path, length):
    with pytest.raises(CannotWrite, match="File name too long"):
        write_file(tmp_path / ("a" * length), "new")
    assert tree(tmp_path) == {}


def test_text_that_no_file_can_hold_is_refused_before_writing(tmp_path):
    with pytest.raises(BadInput, match="half a character"):
        write_file(tmp_path / "deep" / "a.json", "\ud800")
    assert tree(tmp_path) == {}


def test_many_writers_of_one_file_leave_one_whole_file(tmp_path):
    texts = [str(number) * 100_000 for number in range(4)]
    path = tmp_path / "a.txt"
    seen = []

    def write(text):
        for _ in range(5):
            write_file(path, text)
            seen.append(path.read_text())

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 20
    assert set(seen) <= set(texts)
    assert list(tree(tmp_path)) == ["a.txt"]


def test_reading_names_what_was_expected(tmp_path):
    (tmp_path / "a.txt").write_bytes("één".encode())
    assert read_text(str(tmp_path / "a.txt"), what="a word") == "één"
    (tmp_path / "b.txt").write_bytes(b"ab\xff")
    for name, message in [
        ("b.txt", "not UTF-8 text at byte 2; a word"),
        ("c.txt", "no such file; a word"),
        ("", "Is a"),
    ]:
        with pytest.raises(HeadcountError, match=message):
            read_text(tmp_path / name, what="a word")
