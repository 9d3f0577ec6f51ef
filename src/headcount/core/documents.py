"""Strict reading and writing of our JSON documents. What a document means is told by its class."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headcount.core.errors import BadFile, BadInput, HeadcountError, MissingExtra, suggestion
from headcount.core.files import read_text, write_file
from headcount.core.signature import json_text

Floats = npt.NDArray[np.float64]


def _refuse_constant(name: str) -> Any:
    raise BadInput(f"{name} stands where a finite number must be.")


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        names = [name for name, _ in pairs]
        raise BadInput(f"the field {next(name for name in names if names.count(name) > 1)!r} stands twice.")
    return table


def render(document: Mapping[str, Any]) -> str:
    """The text of a document: keys in reading order, one line per list of numbers, a newline at the end."""
    return _join_numbers(json_text(document, indent=1)) + "\n"


def _join_numbers(text: str) -> str:
    """Put lists of bare numbers, booleans or short words on one line each: a file that can be read and compared."""
    lines: list[str] = []
    held: list[str] | None = None
    for line in text.split("\n"):
        bare = line.strip()
        if held is None:
            if bare.endswith("["):
                held = [line]
            else:
                lines.append(line)
        elif bare.rstrip(",") == "]":
            lines.append(held[0] + " ".join(held[1:]) + bare)
            held = None
        elif bare.endswith(("[", "{")):
            lines.extend([held[0], *("  " + item for item in held[1:])])
            held = [line] if bare.endswith("[") else None
            if held is None:
                lines.append(line)
        else:
            held.append(bare)
    return "\n".join(lines)


def save(document: Mapping[str, Any], path: Path | str) -> Path:
    """Write a document whole or not at all."""
    return write_file(path, render(document))


def load(path: Path | str, *, what: str) -> dict[str, Any]:
    """Read a JSON object; an empty, broken or other file is told with its line."""
    text = read_text(path, what=what)
    if not text.strip():
        raise BadFile(f"the file is empty; {what} was expected here.", path=path)
    try:
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeats)
    except json.JSONDecodeError as problem:
        raise BadFile(f"not valid JSON: {problem.msg}.", path=path, line=problem.lineno) from problem
    except (ValueError, RecursionError) as problem:  # a number of thousands of digits, lists in lists without end
        raise BadFile(f"not a document of headcount: {problem}.", path=path) from problem
    except BadInput as problem:
        raise BadFile(str(problem), path=path) from problem
    if not isinstance(document, dict):
        raise BadFile(f"a JSON object was expected ({what}), not a {type(document).__name__}.", path=path)
    return document


def check_format(document: Any, *, name: str, version: int) -> None:
    """Refuse another kind of document, and one written by a newer headcount."""
    if not isinstance(document, Mapping):
        raise BadInput(f"A {name} document was expected, not {document!r}.")
    got = document.get("format")
    if got != name:
        raise BadInput(f"A {name} document was expected, not {got!r}.")
    found = document.get("version")
    if type(found) is not int or found != version:
        cure = " Upgrade headcount." if isinstance(found, int) and found > version else ""
        raise BadInput(f"This is {name} version {found!r}; this headcount reads version {version}.{cure}")


def fields(document: Mapping[str, Any], *, what: str, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Every required key is there, and no key that nobody knows."""
    known = [*required, *optional]
    for name in document:
        if name not in known:
            raise BadInput(f"{what} has no field {name!r}.{suggestion(name, known)} Known: {', '.join(known)}.")
    for name in required:
        if name not in document:
            raise BadInput(f"{what} lacks the field {name!r}. Needed: {', '.join(required)}.")


def numbers(values: Any, *, what: str, length: int) -> Floats:
    """A list of `length` finite numbers as a read-only array."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, list | tuple):
        raise BadInput(f"{what} must be a list of {length} numbers, not {type(values).__name__}.")
    if len(values) != length:
        raise BadInput(f"{what} must hold {length} numbers, one per head of the layout; got {len(values)}.")
    for place, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            raise BadInput(f"{what}[{place}] must be a finite number, not {value!r}.")
    # −0.0 becomes 0.0: equal scores have one text and one key
    return frozen(np.asarray(values, dtype=np.float64) + 0.0)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A private read-only copy: what is handed round cannot change under its readers."""
    array = np.array(array)
    array.setflags(write=False)
    return array


def text_field(document: Mapping[str, Any], name: str, *, what: str) -> str:
    """A field that must be text."""
    value = document[name]
    if not isinstance(value, str):
        raise BadInput(f"{what}.{name} must be text, not {value!r}.")
    return value


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Add the file's name, once, to any complaint about its content."""
    try:
        yield
    except BadFile:
        raise
    except HeadcountError as problem:
        raise BadFile(str(problem), path=path) from problem


def frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a pandas data frame; pandas is asked for only here."""
    try:
        import pandas
    except ModuleNotFoundError as problem:
        raise MissingExtra("A data frame", package="pandas", extra="frame") from problem
    return pandas.DataFrame(rows)
