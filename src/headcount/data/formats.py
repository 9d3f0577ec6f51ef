"""Text files ↔ sentences, strictly: every complaint names file and line. What a task makes of a sentence is `tasks`."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from headcount.core.errors import BadFile

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")


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
    identifier, words, count = "", [], 0
    number = 0
    for number, line in _lines(path):
        if not line.strip():
            if words:
                count += 1
                yield _finished(path, number, identifier or f"{path.name}#{count}", words)
            identifier, words = "", []
        elif line.startswith("#"):
            if words:
                raise BadFile("a comment inside a sentence; sentences end with an empty line.", path=path, line=number)
            name, equals, value = line[1:].partition("=")
            if equals and name.strip() == "sent_id":
                identifier = value.strip()
        else:
            word = _word(path, number, line, expected=len(words) + 1)
            if word is not None:
                words.append(word)
    if words:
        count += 1
        yield _finished(path, number, identifier or f"{path.name}#{count}", words)
    if not count:
        raise BadFile("no sentence in this file; CoNLL-U was expected.", path=path)


def write_conllu(sentences: Iterable[Sentence]) -> str:
    """The text of a CoNLL-U file; columns we do not know are `_`."""
    lines: list[str] = []
    for sentence in sentences:
        lines.append(f"# sent_id = {sentence.identifier}")
        lines.append(f"# text = {' '.join(word.form for word in sentence.words)}")
        for place, word in enumerate(sentence.words, start=1):
            head = "_" if word.head is None else str(word.head)
            lines.append("\t".join([str(place), word.form, "_", word.upos, "_", "_", head, word.relation, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


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


def _word(path: Path, number: int, line: str, *, expected: int) -> Word | None:
    """One word line; multiword tokens (3-4) and empty nodes (3.1) carry no word of their own."""
    cells = line.split("\t")
    if len(cells) != len(COLUMNS):
        raise BadFile(f"10 tab-separated columns were expected, got {len(cells)}.", path=path, line=number)
    identifier, form, upos, head, relation = cells[0], cells[1], cells[3], cells[6], cells[7]
    start, dash, end = identifier.partition("-")
    if dash and start.isdecimal() and end.isdecimal():
        return None
    whole, dot, part = identifier.partition(".")
    if dot and whole.isdecimal() and part.isdecimal():
        return None
    if not identifier.isdecimal() or int(identifier) != expected:
        raise BadFile(f"word number {expected} was expected, got {identifier!r}.", path=path, line=number)
    if not form.strip():
        raise BadFile("the word form is empty.", path=path, line=number)
    if head != "_" and not head.isdecimal():
        raise BadFile(f"HEAD must be a number or _, not {head!r}.", path=path, line=number)
    return Word(form, upos, None if head == "_" else int(head), relation)


def _finished(path: Path, number: int, identifier: str, words: list[Word]) -> Sentence:
    for place, word in enumerate(words, start=1):
        if word.head is not None and word.head > len(words):
            line = number - len(words) + place - 1
            raise BadFile(f"HEAD {word.head} lies outside a sentence of {len(words)} words.", path=path, line=line)
    return Sentence(identifier, tuple(words))
