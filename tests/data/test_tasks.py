import pytest

from data.treebanks import line, written
from headcount.core.errors import BadFile, BadInput, UnknownName
from headcount.data.tasks import TASKS, Example, label_numbers, read_examples

NAMES = {0: "NOUN", 1: "VERB", 2: "PROPN"}


@pytest.fixture
def path(tmp_path):
    sentences = [
        [line(1, "dogs", "NOUN"), line(2, "bark", "VERB")],
        [line(1, "?", "_")],
        [line(1, "so", "_"), line(2, "Ada", "PROPN")],
    ]
    return written(tmp_path / "text.conllu", "\n\n".join("\n".join(sentence) for sentence in sentences))


def test_words_and_labels_come_in_the_order_of_the_file(path):
    assert read_examples(path, task="pos") == [
        Example("text.conllu#1", ("dogs", "bark"), ("NOUN", "VERB")),
        Example("text.conllu#2", ("?",), (None,)),
        Example("text.conllu#3", ("so", "Ada"), (None, "PROPN")),
    ]


def test_the_limit_takes_the_first_and_reads_no_further(path):
    whole = read_examples(path, task="pos")
    for limit in (1, 2, 3, 100):
        assert read_examples(path, task="pos", limit=limit) == whole[:limit]
    path.write_text(path.read_text().replace("\tAda\t", "\t\t"))
    assert len(read_examples(path, task="pos", limit=2)) == 2
    with pytest.raises(BadFile, match=r"text\.conllu:7: the word form is empty"):
        read_examples(path, task="pos", limit=3)


@pytest.mark.parametrize("limit", [0, -1])
def test_no_examples_are_too_few(path, limit):
    with pytest.raises(BadInput, match=f"number of examples must be at least 1, not {limit}"):
        read_examples(path, task="pos", limit=limit)


def test_an_unknown_task_is_told_before_the_file_is_read():
    with pytest.raises(UnknownName, match=r"No task is called 'poss'\. Did you mean 'pos'\? Known: pos"):
        read_examples("gone.conllu", task="poss")


def test_a_file_without_labels_is_refused(tmp_path, path):
    bare = written(tmp_path / "bare.conllu", f"{line(1, 'a', '_')}\n{line(2, 'b', '_')}\n\n{line(1, 'c', '_')}")
    with pytest.raises(BadFile, match=r"bare\.conllu: no word of this file has a label for 'pos': the UPOS column is"):
        read_examples(bare, task="pos")
    later = written(tmp_path / "later.conllu", f"{line(1, 'a', '_')}\n\n{line(1, 'b')}")
    with pytest.raises(BadFile, match=r"later\.conllu: no word of the first 1 sentences has a label"):
        read_examples(later, task="pos", limit=1)
    assert len(read_examples(later, task="pos")) == 2


def test_labels_are_matched_by_name_and_open_ones_are_not_scored(path):
    examples = read_examples(path, task="pos")
    assert label_numbers(examples, NAMES, where="x") == [[0, 1], [-100], [-100, 2]]
    assert label_numbers(examples, {7: "VERB", 3: "NOUN", 5: "PROPN"}, where="x") == [[3, 7], [-100], [-100, 5]]
    assert label_numbers([], NAMES, where="x") == []


def test_an_unknown_label_names_sentence_label_and_neighbour():
    example = Example("weblog-7", ("a", "b"), ("NOUN", "PROPNN"))
    message = (
        r"text\.conllu: sentence 'weblog-7' has the label 'PROPNN', which the checkpoint does not know\. "
        r"Did you mean 'PROPN'\? It knows NOUN, PROPN, VERB\."
    )
    with pytest.raises(BadInput, match=message):
        label_numbers([example], NAMES, where="text.conllu")
    with pytest.raises(BadInput, match=r"'LABEL', which the checkpoint does not know\. It knows"):
        label_numbers([Example("a", ("b",), ("LABEL",))], NAMES, where="text.conllu")


def test_every_task_is_complete():
    from headcount.data.metrics import METRICS

    for name, task in TASKS.items():
        assert task.name == name
        assert task.summary
        assert task.metric in METRICS
