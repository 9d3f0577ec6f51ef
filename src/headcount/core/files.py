"""Files that are there whole or not at all: written beside their place, then renamed. Content is the caller's."""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headcount.core.errors import BadFile, CannotWrite


def _refusal(path: Path, problem: OSError) -> CannotWrite:
    """Say in one line why a path cannot be written, and what to do."""
    reason = problem.strerror or str(problem)
    return CannotWrite(
        f"Cannot write {path}: {reason}. Nothing was left half-written; free space, or name another place with --to."
    )


def _beside(path: Path) -> Path:
    """A name in the same folder that no other writer uses: renaming never crosses a disk."""
    return path.parent / f".{path.name}.{uuid.uuid4().hex[:12]}.part"


def _prepare(path: Path) -> None:
    """Make the folder that shall hold `path`, or say which part of the path stands in the way."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as problem:
        raise CannotWrite(f"Cannot write {path}: {problem.filename} is a file where a folder is needed.") from problem
    except OSError as problem:
        raise _refusal(path, problem) from problem


def write_file(path: Path | str, content: str | bytes) -> Path:
    """Write a file so that a reader sees the old one or the new one, never a part."""
    path = Path(path)
    _prepare(path)
    if path.is_dir():
        raise CannotWrite(f"Cannot write {path}: there is a folder of that name.")
    data = content.encode() if isinstance(content, str) else content
    temporary = _beside(path)
    try:
        with open(temporary, "xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except OSError as problem:
        raise _refusal(path, problem) from problem
    finally:
        temporary.unlink(missing_ok=True)
    return path


@contextmanager
def whole_folder(path: Path | str, *, replace: bool = False) -> Iterator[Path]:
    """Give a folder to fill; it takes its name only when the block ends well, else it is gone.

    A folder that is there already is refused, or, with `replace`, gives way at the end.
    """
    path = Path(path)
    _prepare(path)
    if path.is_file() or (not replace and path.is_dir() and any(path.iterdir())):
        raise CannotWrite(f"Cannot write the folder {path}: it exists and is not empty. Name another one.")
    temporary, old = _beside(path), _beside(path)
    try:
        temporary.mkdir()
        yield temporary
        if path.exists():
            os.replace(path, old)
        os.replace(temporary, path)
    except OSError as problem:
        raise _refusal(path, problem) from problem
    finally:
        for leftover in (temporary, old):
            if leftover.exists():
                shutil.rmtree(leftover)


def read_text(path: Path | str, *, what: str) -> str:
    """Read a small text file; a missing or unreadable one is told with what it should have been."""
    path = Path(path)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as problem:
        raise BadFile(f"no such file; {what} was expected here.", path=path) from problem
    except UnicodeDecodeError as problem:
        raise BadFile(f"not UTF-8 text at byte {problem.start}; {what} was expected here.", path=path) from problem
    except OSError as problem:
        raise BadFile(f"cannot be read ({problem.strerror}); {what} was expected here.", path=path) from problem
