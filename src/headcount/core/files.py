"""Files that are there whole or not at all: written beside their place, then renamed. Content is the caller's."""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headcount.core.errors import BadFile, BadInput, CannotWrite


def _refusal(path: Path, problem: OSError) -> CannotWrite:
    """Say in one line why a path cannot be written, and what to do."""
    reason = problem.strerror or str(problem)
    return CannotWrite(
        f"Cannot write {path}: {reason}. Nothing was left half-written; free space, or name another place with --to."
    )


def _beside(path: Path) -> Path:
    """A name in the same folder that no other writer uses: renaming never crosses a disk."""
    return path.parent / f".{path.name[:40]}.{uuid.uuid4().hex[:12]}.part"  # short: any legal name can be written


def _prepare(path: Path) -> None:
    """Make the folder that shall hold `path`, or say which part of the path stands in the way."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            path.lstat()  # a name that is too long must be told before the work, not after it
    except (FileExistsError, NotADirectoryError) as problem:
        raise CannotWrite(f"Cannot write {path}: {_in_the_way(path)} is a file where a folder is needed.") from problem
    except OSError as problem:
        raise _refusal(path, problem) from problem


def _in_the_way(path: Path) -> Path:
    """The part of a path that is a file though something shall lie in it."""
    return next((part for part in reversed(path.parents) if part.exists() and not part.is_dir()), path.parent)


def check_file(path: Path | str) -> None:
    """Find out before long work whether a file can be written there; nothing stays behind."""
    path = Path(path)
    _prepare(path)
    if os.path.isdir(path):
        raise CannotWrite(f"Cannot write {path}: there is a folder of that name.")
    probe = _beside(path)
    try:
        probe.touch()
    except OSError as problem:
        raise _refusal(path, problem) from problem
    probe.unlink()


def make_folder(path: Path | str) -> Path:
    """Make a folder and those above it; what stands in the way is named."""
    _prepare(Path(path) / "any")
    return Path(path)


def write_file(path: Path | str, content: str | bytes) -> Path:
    """Write a file so that a reader sees the old one or the new one, never a part."""
    path = Path(path)
    data = _bytes_of(content, path)
    _prepare(path)
    if os.path.isdir(path):
        raise CannotWrite(f"Cannot write {path}: there is a folder of that name.")
    if os.path.exists(path) and not os.path.isfile(path):
        raise CannotWrite(f"Cannot write {path}: it is no plain file, and would be replaced by one.")
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
        with suppress(OSError):  # what went wrong is told above, not what went wrong with cleaning up after it
            temporary.unlink(missing_ok=True)
    return path


def _bytes_of(content: str | bytes, path: Path) -> bytes:
    if isinstance(content, bytes):
        return content
    try:
        return content.encode()
    except UnicodeEncodeError as problem:
        raise BadInput(f"{path} cannot hold half a character (a lone surrogate): {problem}.") from problem


@contextmanager
def whole_folder(path: Path | str, *, replace: bool = False) -> Iterator[Path]:
    """Give a folder to fill; it takes its name only when the block ends well, else it is gone.

    A folder that is there already is refused, or, with `replace`, gives way at the end.
    """
    path = Path(path)
    _prepare(path)
    if os.path.isfile(path) or (not replace and os.path.isdir(path) and any(path.iterdir())):
        raise CannotWrite(f"Cannot write the folder {path}: it exists and is not empty. Name another one.")
    temporary = _beside(path)
    try:
        temporary.mkdir()
        yield temporary
        _put_in_place(temporary, path, replace=replace)
    except OSError as problem:
        raise _refusal(path, problem) from problem
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _put_in_place(temporary: Path, path: Path, *, replace: bool) -> None:
    """Give a finished folder its name; an older one comes back if that fails."""
    if not path.exists():
        os.replace(temporary, path)
        return
    if not replace:
        path.rmdir()  # empty, or filled by somebody else in the meantime: then this refuses
        os.replace(temporary, path)
        return
    path = path.resolve()  # behind a link, its target gives way
    old = _beside(path)
    os.replace(path, old)
    try:
        os.replace(temporary, path)
    except BaseException:
        os.replace(old, path)
        raise
    shutil.rmtree(old, ignore_errors=True)


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
