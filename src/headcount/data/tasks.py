"""Tasks: what is asked of a text: fields, labels, the model head and the metric. Encoding is `batches`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import final

from headcount.core.errors import BadFile, BadInput, pick, suggestion
from headcount.data.formats import Sentence, read_conllu


@final
@dataclass(frozen=True)
class Example:
    """Words with one label each; a word whose label the file leaves open (`_`) has None and is not scored."""

    identifier: str
    words: tuple[str, ...]
    labels: tuple[str | None, ...]


@final
@dataclass(frozen=True, kw_only=True)
class Task:
    """A named question: how its examples are read and which model head answers it."""

    name: str
    summary: str
    head: str
    metric: str
    example: Callable[[Sentence], Example]


def _part_of_speech(sentence: Sentence) -> Example:
    labels = tuple(None if word.upos == "_" else word.upos for word in sentence.words)
    return Example(sentence.identifier, tuple(word.form for word in sentence.words), labels)


TASKS: Mapping[str, Task] = {
    "pos": Task(
        name="pos",
        summary="part of speech: the UPOS column of a CoNLL-U treebank, scored by word accuracy",
        head="tag",
        metric="accuracy",
        example=_part_of_speech,
    )
}


def read_examples(path: Path | str, *, task: str, limit: int | None = None) -> list[Example]:
    """The examples of a file, in its order; `limit` takes the first so many."""
    if limit is not None and limit < 1:
        raise BadInput(f"The number of examples must be at least 1, not {limit}.")
    found = pick(TASKS, task, kind="task")
    examples = []
    for sentence in read_conllu(path):
        examples.append(found.example(sentence))
        if len(examples) == limit:
            break
    if not any(label is not None for example in examples for label in example.labels):
        part = "no word of this file" if limit is None else f"no word of the first {len(examples)} sentences"
        raise BadFile(f"{part} has a label for {task!r}: the UPOS column is empty.", path=path)
    return examples


def label_numbers(examples: Iterable[Example], names: Mapping[int, str], *, where: str) -> list[list[int]]:
    """Labels as the checkpoint counts them, matched by name; −100 is not scored, an unknown label is refused."""
    numbers = {label: number for number, label in names.items()}
    rows = []
    for example in examples:
        for label in example.labels:
            if label is not None and label not in numbers:
                raise BadInput(
                    f"{where}: sentence {example.identifier!r} has the label {label!r}, which the checkpoint does not "
                    f"know.{suggestion(label, numbers)} It knows {', '.join(sorted(numbers))}."
                )
        rows.append([-100 if label is None else numbers[label] for label in example.labels])
    return rows
