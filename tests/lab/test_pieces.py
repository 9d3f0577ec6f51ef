"""Pieces of one language: those that mark it, and that no other language has."""

from builders import examples, tokenizer
from headcount.data.tasks import Example
from headcount.lab import nursery


def pieces(texts: list[Example]) -> set[int]:
    """Every piece of some text, word by word."""
    return {piece for example in texts for word in example.words for piece in tokenizer()(word)["input_ids"]}


def test_pieces_of_one_language_are_in_no_other() -> None:
    mine, theirs = examples("svona", "train"), examples("sovami", "train")
    found = nursery.pieces_of_one(tokenizer(), mine, theirs)
    assert found
    assert set(found) <= pieces(mine)
    assert not set(found) & pieces(theirs)
    assert set(found) | pieces(theirs) == pieces(mine) | pieces(theirs)
    assert found == sorted(set(found))


def test_a_language_among_others_like_it_has_none() -> None:
    mine = examples("svona")
    assert nursery.pieces_of_one(tokenizer(), mine, mine) == []


def test_marks_of_every_text_belong_to_none() -> None:
    found = nursery.pieces_of_one(tokenizer(), examples("svona"), examples("sovami"))
    assert not set(found) & set(tokenizer().all_special_ids)
