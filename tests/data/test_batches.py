from itertools import pairwise
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from data.pieces import make_tokenizer
from headcount.core.errors import BadInput
from headcount.data.batches import IGNORED, Window, batches, collate, encode, longest_window
from headcount.data.tasks import Example

TOKENIZER = make_tokenizer()
PAD, UNK, CLS, SEP = 0, 1, 2, 3
# Joiners and controls that leave no piece, Devanagari with virama, Hebrew points, Arabic, emoji of several characters,
# words that look like special pieces, words with blanks inside.
ODD = ["\u200d", "\u200c", "\u00ad", "\x00", " ", "\u00a0", "क्ष", "क\u094d", "שָׁ", "لله", "👩\u200d🔬", "e\u0301", "é"]
WORDS = st.one_of(
    st.text("abc", min_size=1, max_size=9),
    st.sampled_from([*ODD, "[CLS]", "[SEP]", "[UNK]", "[PAD]", "a b", "a-b", "..."]),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=4),
)
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=9), max_size=4).map(lambda words: [*words, ["a"]])


def example(words, name="s"):
    return Example(name, tuple(words), ("X",) * len(words))


def encoded(sentences, longest):
    """Windows of sentences whose words are numbered through, so that every label is another one."""
    labels, count = [], 0
    for words in sentences:
        labels.append(list(range(count, count + len(words))))
        count += len(words)
    windows = encode([example(words) for words in sentences], labels, tokenizer=TOKENIZER, longest=longest)
    return windows, labels


def pieces_of(word):
    """The pieces of a word, asked for alone: a slow twin of the alignment."""
    found = TOKENIZER([word], is_split_into_words=True, add_special_tokens=False)["input_ids"]
    return found or [UNK]


@given(SENTENCES, st.integers(3, 14))
def test_every_word_is_there_once_and_in_order(sentences, longest):
    windows, labels = encoded(sentences, longest)
    room = longest - 2
    for place, (words, numbers) in enumerate(zip(sentences, labels, strict=True)):
        mine = [window for window in windows if window.example == place]
        inner = [pair for window in mine for pair in list(zip(window.pieces, window.labels, strict=True))[1:-1]]
        expected = []
        for word, number in zip(words, numbers, strict=True):
            kept = pieces_of(word)[:room]
            expected += [(kept[0], number), *((piece, IGNORED) for piece in kept[1:])]
        assert inner == expected
        for window in mine:
            assert 3 <= len(window.pieces) == len(window.labels) <= longest
            assert (window.pieces[0], window.pieces[-1]) == (CLS, SEP)
            assert window.labels[0] == window.labels[-1] == IGNORED
    assert [window.example for window in windows] == sorted(window.example for window in windows)


@given(SENTENCES, st.integers(3, 14))
def test_a_word_is_never_parted_and_a_window_never_ends_early(sentences, longest):
    windows, _ = encoded(sentences, longest)
    for window in windows:
        assert window.labels[1] != IGNORED  # the first piece is that of a word, not the rest of one
    for before, after in pairwise(windows):
        if before.example == after.example:
            inner = after.labels[1:-1]
            first = next((place for place, label in enumerate(inner) if place and label != IGNORED), len(inner))
            assert len(before.pieces) + first > longest


def test_a_sentence_that_fits_is_one_window():
    windows, _ = encoded([["abc", "ab"], ["c"]], longest=7)
    a, b, c = (TOKENIZER.convert_tokens_to_ids(f"##{letter}") for letter in "abc")
    first = [TOKENIZER.convert_tokens_to_ids(letter) for letter in "abc"]
    assert windows == [
        Window(0, (CLS, first[0], b, c, first[0], b, SEP), (IGNORED, 0, IGNORED, IGNORED, 1, IGNORED, IGNORED)),
        Window(1, (CLS, first[2], SEP), (IGNORED, 2, IGNORED)),
    ]
    assert len({a, b, c}) == 3


@pytest.mark.parametrize("word", ["\u200d", "\u200c", "\x00", " ", "\u00a0"])
def test_a_word_without_pieces_becomes_the_unknown_piece(word):
    assert not TOKENIZER([word], is_split_into_words=True, add_special_tokens=False)["input_ids"]
    windows, _ = encoded([["a", word, "b"], [word]], longest=9)
    assert (windows[0].pieces[2], windows[0].labels[2]) == (UNK, 1)
    assert windows[1] == Window(1, (CLS, UNK, SEP), (IGNORED, 3, IGNORED))


def test_without_an_unknown_piece_it_is_refused():
    bare = make_tokenizer(unknown=False)
    with pytest.raises(BadInput, match="A word of 'weblog-7' gives no piece, and the tokenizer has no unknown piece"):
        encode([example(["a", "\u200d"], "weblog-7")], [[0, 1]], tokenizer=bare, longest=9)


def test_a_word_longer_than_a_window_keeps_its_label():
    windows, _ = encoded([["a", "b" * 50, "c"]], longest=6)
    assert [window.labels[1:-1] for window in windows] == [(0,), (1, IGNORED, IGNORED, IGNORED), (2,)]
    assert len(windows[1].pieces) == 6


@pytest.mark.parametrize("word", ["[CLS]", "[SEP]", "[PAD]", "[MASK]"])
def test_a_word_that_spells_a_special_piece_is_a_word(word):
    (window,), _ = encoded([[word, "a"]], longest=9)
    assert (window.pieces[0], window.pieces[-1]) == (CLS, SEP)
    assert window.labels == (IGNORED, 0, *(IGNORED,) * (len(window.labels) - 4), 1, IGNORED)


@pytest.mark.parametrize("ends", [("", ""), ("", "[SEP]"), ("[CLS]", "")])
def test_other_frames_are_kept(ends):
    other = make_tokenizer(start=ends[0], end=ends[1])
    (window,) = encode([example(["\u200d", "a", "b"])], [[4, 5, 6]], tokenizer=other, longest=9)
    before, after = ([CLS] if ends[0] else []), ([SEP] if ends[1] else [])
    inner = [UNK, *other(["a", "b"], is_split_into_words=True, add_special_tokens=False)["input_ids"]]
    assert list(window.pieces) == [*before, *inner, *after]
    assert [label for label in window.labels if label != IGNORED] == [4, 5, 6]


def test_open_labels_stay_open():
    (window,) = encode([example(["ab", "c"])], [[IGNORED, 3]], tokenizer=TOKENIZER, longest=9)
    assert window.labels == (IGNORED, IGNORED, IGNORED, 3, IGNORED)


def test_nothing_to_encode_is_told():
    with pytest.raises(BadInput, match="no word in these examples"):
        encode([], [], tokenizer=TOKENIZER, longest=9)
    with pytest.raises(BadInput, match="Sentence 'weblog-7' has no words"):
        encode([example(["a"]), example([], "weblog-7")], [[0], []], tokenizer=TOKENIZER, longest=9)
    with pytest.raises(BadInput, match="no word in these examples that the tokenizer gives a piece for"):
        encode([example(["\u200d"])], [[0]], tokenizer=TOKENIZER, longest=9)


@pytest.mark.parametrize("longest", [0, 1, 2])
def test_a_row_without_room_is_refused(longest):
    with pytest.raises(BadInput, match=f"A row of {longest} pieces has no room for a word beside 2 special ones"):
        encode([example(["a"])], [[0]], tokenizer=TOKENIZER, longest=longest)


@pytest.mark.parametrize(
    ("model_type", "positions", "most", "padding", "expected"),
    [
        ("bert", 512, 512, 0, 512),
        ("bert", 40, 512, 0, 40),
        ("bert", 4096, 10**30, 0, 512),
        ("bert", 512, 128, 0, 128),
        ("roberta", 514, 512, 1, 512),
        ("xlm-roberta", 70, 512, 1, 68),
        ("xlm-roberta-xl", 70, 512, None, 68),
        ("roberta", 70, 512, 3, 66),
        ("camembert", 70, 512, 1, 68),
        ("roberta", 70, 60, 1, 60),
        ("xlnet", -1, 512, 5, 512),
        ("t5", None, 100, 0, 100),
    ],
)
def test_the_longest_row(model_type, positions, most, padding, expected):
    config = SimpleNamespace(model_type=model_type, max_position_embeddings=positions, pad_token_id=padding)
    found = longest_window(SimpleNamespace(model_max_length=most), config)
    assert found == expected
    assert type(found) is int


WINDOWS = st.lists(st.integers(1, 30), max_size=20).map(
    lambda sizes: [Window(place, (place + 5,) * size, (place,) * size) for place, size in enumerate(sizes)]
)


@given(WINDOWS, st.integers(1, 90))
def test_every_window_is_in_one_batch_of_the_allowed_size(windows, batch_tokens):
    found = list(batches(windows, padding=PAD, batch_tokens=batch_tokens))
    rows = [row for batch in found for row in batch.examples.tolist()]
    assert sorted(rows) == list(range(len(windows)))
    for batch in found:
        assert batch.input_ids.numel() <= batch_tokens or len(batch.examples) == 1
        for row, place in enumerate(batch.examples.tolist()):
            length = int(batch.attention_mask[row].sum())
            assert tuple(batch.input_ids[row, :length].tolist()) == windows[place].pieces
    # rows of similar length together: sorted, so that what is padded cannot be less
    widths = [len(windows[row].pieces) for row in rows]
    assert widths == sorted(widths)
    for one, other in pairwise(rows):
        assert (len(windows[one].pieces), one) < (len(windows[other].pieces), other)  # ties in their own order


@given(WINDOWS, st.integers(1, 90))
def test_no_batch_could_have_taken_the_next_row(windows, batch_tokens):
    found = list(batches(windows, padding=PAD, batch_tokens=batch_tokens))
    for batch, after in pairwise(found):
        first = int(after.attention_mask[0].sum())
        assert (len(batch.examples) + 1) * first > batch_tokens


def test_the_same_batches_twice():
    windows, _ = encoded([["ab", "c"] * size for size in (3, 1, 2, 3, 1)], longest=64)
    first, second = (list(batches(windows, padding=PAD, batch_tokens=20)) for _ in range(2))
    assert len(first) == len(second) > 1
    for one, other in zip(first, second, strict=True):
        for name in ("input_ids", "attention_mask", "labels", "examples"):
            assert torch.equal(getattr(one, name), getattr(other, name))


def test_padding_is_masked_and_not_scored():
    batch = collate([Window(4, (2, 9, 3), (-100, 1, -100)), Window(2, (2, 3), (-100, -100))], padding=7)
    assert batch.input_ids.tolist() == [[2, 9, 3], [2, 3, 7]]
    assert batch.attention_mask.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert batch.labels.tolist() == [[-100, 1, -100], [-100, -100, -100]]
    assert batch.examples.tolist() == [4, 2]
    assert set(batch.inputs) == {"input_ids", "attention_mask"}
    assert batch.inputs["input_ids"] is batch.input_ids
    moved = batch.to("cpu")
    for name in ("input_ids", "attention_mask", "labels", "examples"):
        assert getattr(batch, name).dtype == torch.long
        assert torch.equal(getattr(moved, name), getattr(batch, name))
