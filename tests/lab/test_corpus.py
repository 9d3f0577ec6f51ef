import os
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from headcount.core.errors import BadInput, UnknownName
from headcount.data.formats import read_conllu
from headcount.lab.corpus import SIZES, make_corpus, write_corpus
from headcount.lab.grammar import LANGUAGES, SOVAMI, SVONA, realise

SMALL = {"train": 60, "dev": 30, "test": 20}
CONTENT = {"NOUN", "VERB", "ADJ", "ADV"}


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(list(LANGUAGES), seed=0)


def texts(sentences):
    return [" ".join(word.form for word in sentence.words) for sentence in sentences]


def best(counts):
    """The most frequent tag; the first in the alphabet among equals."""
    return min(counts, key=lambda tag: (-counts[tag], tag))


def baselines(train, test):
    """Word accuracy of the most frequent tag of a word, and of a word after the most frequent tag of the last one."""
    alone, anywhere = defaultdict(Counter), Counter()
    for word in (word for sentence in train for word in sentence.words):
        alone[word.form][word.upos] += 1
        anywhere[word.upos] += 1
    usual = {form: best(counts) for form, counts in alone.items()}
    after, beginning = defaultdict(Counter), "^"
    for sentence in train:
        last = beginning
        for word in sentence.words:
            after[word.form, last][word.upos] += 1
            last = usual[word.form]
    right = {"unigram": 0, "bigram": 0}
    for sentence in test:
        last = beginning
        for word in sentence.words:
            guess = usual.get(word.form, best(anywhere))
            right["unigram"] += guess == word.upos
            right["bigram"] += (best(after[word.form, last]) if (word.form, last) in after else guess) == word.upos
            last = guess
    words = sum(len(sentence.words) for sentence in test)
    return right["unigram"] / words, right["bigram"] / words


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_word_before_tells_nouns_from_verbs(corpus, name):
    unigram, bigram = baselines(corpus[name]["train"], corpus[name]["test"])
    assert 0.82 <= unigram <= 0.90
    assert bigram >= unigram + 0.05


def test_knowledge_of_one_language_is_worth_something_in_its_kin(corpus):
    both = corpus["svona"]["train"] + corpus["sovami"]["train"]
    near, _ = baselines(both, corpus["vsoru"]["test"])
    own, _ = baselines(corpus["vsoru"]["train"], corpus["vsoru"]["test"])
    far, _ = baselines(corpus["sovami"]["train"], corpus["vsoru"]["test"])
    assert far + 0.1 < near < own - 0.1


def test_sizes_are_kept_and_sentences_are_about_eight_words(corpus):
    for splits in corpus.values():
        assert {split: len(sentences) for split, sentences in splits.items()} == SIZES
        lengths = [len(sentence.words) for sentences in splits.values() for sentence in sentences]
        assert 7.5 <= sum(lengths) / len(lengths) <= 8.8
        assert (min(lengths), max(lengths)) == (4, 14)


@pytest.mark.parametrize("name", LANGUAGES)
def test_frequencies_fall_by_rank_and_have_a_tail(corpus, name):
    said = Counter(word.form for one in corpus[name]["train"] for word in one.words if word.upos in CONTENT)
    top = sum(count for _, count in said.most_common(20)) / said.total()
    assert 0.3 < top < 0.6 if name != "sovami" else 0.2 < top < 0.6
    assert sum(count == 1 for count in said.values()) >= 5


def test_rare_concepts_exist(corpus):
    meant = Counter(meaning.agent.concept for meaning in corpus.meanings["svona"]["train"])
    assert meant["man"] > 8 * max(meant["owl"], 1)
    assert min(meant.values()) <= 1


def test_splits_are_parallel_and_named_alike(corpus):
    for split in ("dev", "test", "truth"):
        glosses = corpus.glosses("svona", split)
        for name, tongue in LANGUAGES.items():
            assert corpus.glosses(name, split) == glosses
            for number in (1, 17, 400):
                sentence = corpus[name][split][number - 1]
                assert sentence.identifier == f"{name}-{split}-{number}"
                assert sentence.words == realise(corpus.meanings[name][split][number - 1], tongue).words
    assert corpus.glosses("svona", "train") != corpus.glosses("sovami", "train")


def test_no_meaning_and_no_wording_leaks_between_splits(corpus):
    closed = [meaning for split in ("dev", "test", "truth") for meaning in corpus.meanings["svona"][split]]
    assert len(set(closed)) == len(closed)
    for name, splits in corpus.items():
        assert not set(closed) & set(corpus.meanings[name]["train"])
        known = {text for split in ("dev", "test", "truth") for text in texts(splits[split])}
        assert not known & set(texts(splits["train"]))


def test_short_sentences_would_leak_if_nobody_looked():
    """The test above can fail: with enough train sentences a drawn meaning does come again."""
    many = make_corpus(["svona"], sizes={"train": 6000, "dev": 400}, seed=0)
    drawn = many.meanings["svona"]["train"]
    assert len(set(drawn)) < len(drawn)


def test_same_seed_same_corpus_other_seed_another():
    first, again = (make_corpus(list(LANGUAGES), sizes=SMALL, seed=3) for _ in range(2))
    assert first == again
    assert texts(first["svona"]["dev"]) != texts(make_corpus(["svona"], sizes=SMALL, seed=4)["svona"]["dev"])


def test_a_language_or_a_size_more_does_not_shift_the_others():
    alone = make_corpus(["vsoru"], sizes={"train": 20, "dev": 10}, seed=3)
    many = make_corpus(list(LANGUAGES), sizes={"train": 60, "dev": 10, "test": 20}, seed=3)
    assert many["vsoru"]["dev"] == alone["vsoru"]["dev"]
    assert texts(many["vsoru"]["train"])[:20] == texts(alone["vsoru"]["train"])
    only = make_corpus(["vsoru"], sizes={"test": 20}, seed=3)
    assert only["vsoru"]["test"] == many["vsoru"]["test"]
    longer = make_corpus(["vsoru"], sizes={"dev": 30}, seed=3)
    assert longer["vsoru"]["dev"][:10] == alone["vsoru"]["dev"]


def test_another_process_says_the_same():
    script = (
        "import hashlib; from headcount.lab.corpus import make_corpus;"
        "print(hashlib.sha256(repr(make_corpus(['svona', 'sovami', 'vsoru'],"
        " sizes={'train': 60, 'dev': 30, 'test': 20}, seed=3)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for salt in ("1", "2")
    }
    assert len(digests) == 1


def test_files_hold_the_corpus_and_nothing_else(tmp_path):
    greek = replace(SOVAMI, name="greek", script="greek")
    corpus = make_corpus(["svona", greek], sizes=SMALL, seed=1)
    paths = write_corpus(corpus, tmp_path)
    assert [path.name for path in paths] == [f"{name}.{split}.conllu" for name in ("svona", "greek") for split in SMALL]
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    for path in paths:
        name, split, _ = path.name.split(".")
        assert list(read_conllu(path)) == corpus[name][split]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UnknownName, match="Did you mean 'svona'"):
        make_corpus(["svonna"], seed=0)
    with pytest.raises(BadInput, match="once"):
        make_corpus(["svona", SVONA], sizes=SMALL, seed=0)
    with pytest.raises(BadInput, match="Sizes"):
        make_corpus(["svona"], sizes={"train": -1}, seed=0)
    small = make_corpus(["svona"], sizes={"dev": 2}, seed=0)
    assert list(small) == ["svona"]
    assert len(small) == 1
    assert "vsoru" not in small
    assert small.get("vsoru") is None
    with pytest.raises(UnknownName, match="language of this corpus"):
        small.glosses("vsoru", "dev")
    with pytest.raises(UnknownName, match="split of this corpus"):
        small.glosses("svona", "test")
