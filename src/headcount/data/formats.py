"""Text files ↔ sentences, strictly: every complaint names file and line. What a task makes of a sentence is `tasks`."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from headcount.core.errors import BadFile, BadInput

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_SEPARATORS = frozenset("\t\n\r")


class Word(NamedTuple):
    """One syntactic word; `head` is the 1-based place of its governor, 0 the root, None where the file says `_`."""

    form: str
    upos: str
    head: int | None
    relation: str


class Sentence(NamedTuple):
    """The words of one sentence and its name in the file."""

    identifier: str
    words: tuple[Word, ...]


def read_conllu(path: Path | str) -> Iterator[Sentence]:
    """Stream the sentences of a CoNLL-U file (also .gz); a broken line is an error with its place."""
    path = Path(path)
    count = 0
    for block in _blocks(path):
        sentence = _sentence(path, block, name=f"{path.name}#{count + 1}")
        if sentence is not None:
            count += 1
            yield sentence
    if not count:
        raise BadFile("no sentence in this file; CoNLL-U was expected.", path=path)


def write_conllu(sentences: Iterable[Sentence]) -> str:
    """The text of a CoNLL-U file; columns we do not know are `_`. What would not be read back the same is refused."""
    lines: list[str] = []
    for sentence in sentences:
        _require_writable(sentence)
        lines.append(f"# sent_id = {sentence.identifier}")
        lines.append(f"# text = {' '.join(word.form for word in sentence.words)}")
        for place, word in enumerate(sentence.words, start=1):
            head = "_" if word.head is None else str(word.head)
            lines.append("\t".join([str(place), word.form, "_", word.upos, "_", "_", head, word.relation, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def _require_writable(sentence: Sentence) -> None:
    name = sentence.identifier
    if not name or name != name.strip() or not _SEPARATORS.isdisjoint(name):
        raise BadInput(f"A sentence cannot be called {name!r} in CoNLL-U: no blanks at its ends, tabs or line ends.")
    if not sentence.words:
        raise BadInput(f"Sentence {name!r} has no words; CoNLL-U cannot hold it.")
    for word in sentence.words:
        for cell in (word.form, word.upos, word.relation):
            if not cell.strip() or not _SEPARATORS.isdisjoint(cell):
                raise BadInput(f"Sentence {name!r}: {cell!r} cannot be written; no empty cells, tabs or line ends.")
        if word.head is not None and not 0 <= word.head <= len(sentence.words):
            raise BadInput(f"Sentence {name!r}: HEAD {word.head} lies outside its {len(sentence.words)} words.")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file, plain or gzipped, without their ends."""
    try:
        opened = gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb")  # noqa: SIM115 closed just below
        with opened as stream:
            for number, raw in enumerate(stream, start=1):
                try:
                    yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as problem:
                    raise BadFile(f"not UTF-8 text ({problem.reason}).", path=path, line=number) from problem
    except FileNotFoundError as problem:
        raise BadFile("no such file; a CoNLL-U treebank was expected here.", path=path) from problem
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise BadFile(f"damaged gzip data ({problem}); fetch the file again.", path=path) from problem
    except OSError as problem:
        raise BadFile(f"cannot be read ({problem.strerror}).", path=path) from problem


def _blocks(path: Path) -> Iterator[list[tuple[int, str]]]:
    """Numbered lines up to an empty one; blanks alone count as empty, tabs do not: they part cells."""
    block = []
    for number, line in _lines(path):
        if line.strip() or "\t" in line:
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _sentence(path: Path, block: list[tuple[int, str]], *, name: str) -> Sentence | None:
    """One block of lines; None if it holds nothing but comments. `name` is for a sentence that gives none."""
    words: dict[int, Word] = {}
    last = 0
    for number, line in block:
        if line.startswith("#"):
            if last:
                raise BadFile("a comment inside a sentence; sentences end with an empty line.", path=path, line=number)
            field, _, value = line[1:].partition("=")
            if field.strip() == "sent_id" and value.strip():
                name = value.strip()
            continue
        last = number
        word = _word(path, number, line, expected=len(words) + 1)
        if word is not None:
            words[number] = word
    if last and not words:
        raise BadFile("a sentence without words, only ranges or empty nodes.", path=path, line=last)
    for number, word in words.items():
        if word.head is not None and word.head > len(words):
            raise BadFile(f"HEAD {word.head} lies outside a sentence of {len(words)} words.", path=path, line=number)
    return Sentence(name, tuple(words.values())) if words else None


def _word(path: Path, number: int, line: str, *, expected: int) -> Word | None:
    """One word line; multiword tokens (3-4) and empty nodes (3.1) carry no word of their own."""
    cells = line.split("\t")
    if len(cells) != len(COLUMNS):
        raise BadFile(f"10 tab-separated columns were expected, got {len(cells)}.", path=path, line=number)
    identifier, form, upos, head, relation = cells[0], cells[1], cells[3], cells[6], cells[7]
    if not _takes_place(identifier, expected):
        raise BadFile(f"word number {expected} was expected, got {identifier!r}.", path=path, line=number)
    if "-" in identifier or "." in identifier:
        return None
    if not form.strip():
        raise BadFile("the word form is empty.", path=path, line=number)
    if not upos.strip() or not relation.strip():
        column = "DEPREL" if upos.strip() else "UPOS"
        raise BadFile(f"the column {column} is empty; _ stands for what is not known.", path=path, line=number)
    governor = _number(head)
    if head != "_" and governor is None:
        raise BadFile(f"HEAD must be a number or _, not {head!r}.", path=path, line=number)
    return Word(form, upos, governor, relation)


def _takes_place(identifier: str, expected: int) -> bool:
    """Whether a word (3), a range that begins with it (3-4) or an empty node before it (2.1) may stand here."""
    if "-" in identifier:
        start, _, end = identifier.partition("-")
        return _number(start) == expected and (_number(end) or 0) >= expected
    if "." in identifier:
        whole, _, part = identifier.partition(".")
        return _number(whole) == expected - 1 and (_number(part) or 0) >= 1
    return _number(identifier) == expected


def _number(text: str) -> int | None:
    """A whole number in plain digits, at most nine of them; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else None
