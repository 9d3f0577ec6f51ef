"""The nursery: a tiny multilingual encoder with its own pieces, trained on the lab's languages. Planting is `plant`."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

from headcount.core.progress import Progress, silent
from headcount.core.runtime import Runtime
from headcount.data.batches import encode, longest_window
from headcount.data.tasks import Example, label_numbers
from headcount.lab.plant import PositionalPlan, install
from headcount.training.finetune import Plan, fine_tune

LAYERS, HEADS, WIDTH = 4, 6, 96
LONGEST = 64
VOCABULARY = 900
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
RECIPE = Plan(epochs=4, learning_rate=2e-3, batch_size=32, warmup_steps=40)


def make_tokenizer(examples: Sequence[Example]) -> Any:
    """WordPiece over the words of all languages together, as multilingual BERT has it."""
    pieces = Tokenizer(models.WordPiece(_vocabulary(examples), unk_token="[UNK]"))
    pieces.normalizer = normalizers.NFC()
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.decoder = decoders.WordPiece()
    ends = [(name, pieces.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    pieces.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=pieces,
        model_max_length=LONGEST,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def pieces_of_one(tokenizer: Any, own: Sequence[Example], others: Sequence[Example]) -> list[int]:
    """Pieces that occur in the text of one language and in none of the others."""
    mine, theirs = (
        {piece for example in part for piece in tokenizer(list(example.words), is_split_into_words=True)["input_ids"]}
        for part in (own, others)
    )
    return sorted(mine - theirs)


def _vocabulary(examples: Sequence[Example]) -> dict[str, int]:
    """Letters, then words, beginnings and endings by how many letters they spare; ties by the alphabet.

    Own code, because the trainer of `tokenizers` gives another vocabulary every time (tests/lab/test_plant.py).
    """
    words = Counter(word for example in examples for word in example.words)
    spared: Counter[str] = Counter()
    for word, count in words.items():
        spared[word] += count * (len(word) - 1)
        for size in range(2, min(6, len(word))):
            spared[word[:size]] += count * (size - 1)
            spared[f"##{word[-size:]}"] += count * (size - 1)
    letters = sorted({letter for word in words for letter in word})
    names = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    best = sorted(spared, key=lambda piece: (-spared[piece], piece))
    names += [piece for piece in best if len(piece) > 1][: max(0, VOCABULARY - len(names))]
    return {piece: number for number, piece in enumerate(dict.fromkeys(names))}


def make_tagger(labels: Sequence[str], *, vocabulary: int, seed: int) -> BertForTokenClassification:
    """A BERT of 4 layers × 6 heads with random weights of its own seed; the caller's generator does not feel it."""
    names = dict(enumerate(sorted(labels)))
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=2 * WIDTH,
        max_position_embeddings=LONGEST,
        attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=0.1,
        initializer_range=0.05,
        id2label=names,
        label2id={label: number for number, label in names.items()},
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return BertForTokenClassification(config)


def train_tagger(
    examples: Sequence[Example],
    *,
    tokenizer: Any,
    positional: PositionalPlan,
    marked: Sequence[int] = (),
    runtime: Runtime,
    plan: Plan = RECIPE,
    progress: Progress = silent,
) -> BertForTokenClassification:
    """Make a tagger, give one head its place to look at, mark one language's pieces, train all the rest around it."""
    labels = sorted({label for example in examples for label in example.labels if label is not None})
    model = make_tagger(labels, vocabulary=len(tokenizer), seed=runtime.seed)
    numbers = label_numbers(examples, model.config.id2label, where="the lab's training text")
    windows = encode(examples, numbers, tokenizer=tokenizer, longest=longest_window(tokenizer, model.config))
    with install(model, positional, marked=marked):
        fine_tune(model, windows, plan=plan, padding=tokenizer.pad_token_id, runtime=runtime, progress=progress)
    return model
