"""Words to pieces to batches: no label is lost, little is padded. What is done with a batch is `training`."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from headcount.core.errors import BadInput
from headcount.data.tasks import Example

IGNORED = -100
LONGEST = 512
# RoBERTa types count positions from padding_idx + 1: the table has rows that no piece can use.
_SHIFTED = ("roberta", "camembert")


@final
@dataclass(frozen=True)
class Window:
    """A stretch of pieces that fits the model; long sentences give several, so that no word is lost."""

    example: int
    pieces: tuple[int, ...]
    labels: tuple[int, ...]


@final
@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rows of one length; `examples` says which example each row belongs to."""

    input_ids: Tensor
    attention_mask: Tensor
    labels: Tensor
    examples: Tensor

    def to(self, device: str) -> "Batch":
        """The same batch on another device."""
        return Batch(**{name: getattr(self, name).to(device) for name in self.__dataclass_fields__})

    @property
    def inputs(self) -> dict[str, Tensor]:
        """What the model is called with."""
        return {"input_ids": self.input_ids, "attention_mask": self.attention_mask}


def longest_window(tokenizer: Any, config: Any) -> int:
    """How many pieces a row may have, special ones included."""
    limits = [LONGEST, getattr(tokenizer, "model_max_length", LONGEST)]
    positions = getattr(config, "max_position_embeddings", None)
    # Models with relative positions have no such number, or −1.
    if positions is not None and positions > 0:
        if any(name in getattr(config, "model_type", "") for name in _SHIFTED):
            padding = getattr(config, "pad_token_id", None)
            positions -= 1 + (1 if padding is None else padding)
        limits.append(positions)
    return int(min(limits))


def encode(
    examples: Sequence[Example], labels: Sequence[Sequence[int]], *, tokenizer: Any, longest: int
) -> list[Window]:
    """Pieces of every example; the first piece of a word carries its label, the others are not scored."""
    for example in examples:
        if not example.words:
            raise BadInput(f"Sentence {example.identifier!r} has no words.")
    before, after = _frame(examples, tokenizer)
    room = longest - len(before) - len(after)
    if room < 1:
        raise BadInput(f"A row of {longest} pieces has no room for a word beside {longest - room} special ones.")

    def window(place: int, pieces: list[int], marks: list[int]) -> Window:
        edges = (IGNORED,) * len(before), (IGNORED,) * len(after)
        return Window(place, (*before, *pieces, *after), (*edges[0], *marks, *edges[1]))

    windows = []
    for place, (example, numbers) in enumerate(zip(examples, labels, strict=True)):
        pieces: list[int] = []
        marks: list[int] = []
        for word, number in zip(_word_pieces(example, tokenizer), numbers, strict=True):
            # A word longer than a whole window keeps its first pieces, which carry its label.
            word = word[:room]
            if len(pieces) + len(word) > room:
                windows.append(window(place, pieces, marks))
                pieces, marks = [], []
            pieces += word
            marks += [number] + [IGNORED] * (len(word) - 1)
        windows.append(window(place, pieces, marks))
    return windows


def _wants_spaces(tokenizer: Any) -> bool:
    """Byte-level tokenizers read the space before a word as part of it; some must be given it."""
    found = json.loads(tokenizer.backend_tokenizer.to_str())["pre_tokenizer"] or {}
    parts = found.get("pretokenizers", [found])
    return any(part.get("type") == "ByteLevel" and not part.get("add_prefix_space") for part in parts)


def _word_pieces(example: Example, tokenizer: Any) -> list[list[int]]:
    """Pieces of each word; a word that leaves none (a lone joiner, say) becomes the unknown piece."""
    words = [f" {word}" for word in example.words] if _wants_spaces(tokenizer) else list(example.words)
    encoded = tokenizer(words, is_split_into_words=True, add_special_tokens=False)
    found: list[list[int]] = [[] for _ in example.words]
    for piece, word in zip(encoded["input_ids"], encoded.word_ids(), strict=True):
        found[word].append(piece)
    if not all(found) and tokenizer.unk_token_id is None:
        raise BadInput(f"A word of {example.identifier!r} gives no piece, and the tokenizer has no unknown piece.")
    return [pieces or [tokenizer.unk_token_id] for pieces in found]


def _frame(examples: Sequence[Example], tokenizer: Any) -> tuple[list[int], list[int]]:
    """The special pieces that the tokenizer puts before and after a text, seen on the first word that has pieces."""
    for word in (word for example in examples for word in example.words):
        whole = tokenizer([word], is_split_into_words=True)
        # By place and not by number: a text may hold the word [CLS] itself
        places = [place for place, found in enumerate(whole.word_ids()) if found is not None]
        if places:
            return whole["input_ids"][: places[0]], whole["input_ids"][places[-1] + 1 :]
    raise BadInput("There is no word in these examples that the tokenizer gives a piece for.")


def batches(windows: Sequence[Window], *, padding: int, batch_tokens: int) -> Iterator[Batch]:
    """Rows of similar length together, at most `batch_tokens` padded pieces a batch; always the same batches."""
    order = sorted(range(len(windows)), key=lambda place: (len(windows[place].pieces), place))
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * len(windows[order[stop]].pieces) <= batch_tokens:
            stop += 1
        yield collate([windows[place] for place in order[start:stop]], padding=padding)
        start = stop


def collate(windows: Sequence[Window], *, padding: int) -> Batch:
    """Pad rows to the longest of them."""
    width = max(len(window.pieces) for window in windows)
    input_ids = torch.full((len(windows), width), padding)
    labels = torch.full((len(windows), width), IGNORED)
    mask = torch.zeros((len(windows), width), dtype=torch.long)
    for row, window in enumerate(windows):
        length = len(window.pieces)
        input_ids[row, :length] = torch.tensor(window.pieces)
        labels[row, :length] = torch.tensor(window.labels)
        mask[row, :length] = 1
    examples = torch.tensor([window.example for window in windows])
    return Batch(input_ids=input_ids, attention_mask=mask, labels=labels, examples=examples)
