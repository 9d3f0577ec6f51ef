"""Small models, texts and subjects that tests share; everything is made from a seed, nothing is downloaded."""

from functools import cache
from typing import Any

import torch
import transformers
from torch import nn

from headcount.core.runtime import Runtime
from headcount.data.tasks import TASKS, Example
from headcount.lab import nursery
from headcount.lab.corpus import make_corpus
from headcount.model.loading import Loaded
from headcount.training.subject import Subject, subject_of

FAMILIES = {
    "bert": ("BertConfig", "BertForTokenClassification"),
    "roberta": ("RobertaConfig", "RobertaForTokenClassification"),
    "xlm-roberta": ("XLMRobertaConfig", "XLMRobertaForTokenClassification"),
    "camembert": ("CamembertConfig", "CamembertForTokenClassification"),
    "electra": ("ElectraConfig", "ElectraForTokenClassification"),
}
LABELS = ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "NOUN", "NUM", "PART", "PRON", "PUNCT", "VERB")


def tiny(family: str = "bert", *, seed: int = 0, layers: int = 3, heads: int = 4) -> Any:
    """A random tagger of one family: 3 layers × 4 heads of size 6, weights large enough for every head to matter."""
    config_name, model_name = FAMILIES[family]
    names = dict(enumerate(LABELS))
    config = getattr(transformers, config_name)(
        vocab_size=nursery.VOCABULARY,
        hidden_size=6 * heads,
        embedding_size=6 * heads,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=32,
        max_position_embeddings=70,
        pad_token_id=0,
        initializer_range=0.3,
        id2label=names,
        label2id={label: number for number, label in names.items()},
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return getattr(transformers, model_name)(config).eval()


@cache
def texts() -> Any:
    """A little of the lab's text in two languages."""
    return make_corpus(("svona", "sovami"), sizes={"train": 60, "dev": 24}, seed=3)


def examples(language: str = "svona", split: str = "dev") -> list[Example]:
    """The same as examples of tagging."""
    return [TASKS["pos"].example(sentence) for sentence in texts()[language][split]]


@cache
def tokenizer() -> Any:
    """Pieces of both languages."""
    return nursery.make_tokenizer(examples("svona", "train") + examples("sovami", "train"))


def subject(model: nn.Module, *, batch_tokens: int = 200, language: str = "svona", count: int | None = None) -> Subject:
    """A model at tagging one of the languages."""
    runtime = Runtime(device="cpu", threads=1, batch_tokens=batch_tokens)
    loaded = Loaded(model=model, tokenizer=tokenizer(), name="tiny", revision="test", runtime=runtime)
    return subject_of(
        loaded, task=TASKS["pos"], language=language, examples=examples(language)[:count], where="the lab"
    )
