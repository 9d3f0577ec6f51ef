"""Planting: each planted head does what it was planted for, and nothing else is touched."""

import numpy as np
import pytest
import torch

from builders import subject, texts, tokenizer
from headcount.core.errors import BadInput
from headcount.core.heads import Head
from headcount.core.runtime import Runtime
from headcount.data.tasks import TASKS
from headcount.lab import nursery, plant
from headcount.lab.truth import removals
from headcount.model.anatomy import anatomy_of
from headcount.training.finetune import Plan

PREVIOUS = plant.PositionalPlan(head=Head("encoder", 0, 2), offset=-1)
SHORT = Plan(epochs=3, learning_rate=2e-3, batch_size=16)


def train_examples() -> list:
    corpus = texts()
    return [TASKS["pos"].example(item) for name in ("svona", "sovami") for item in corpus[name]["train"]]


def grown(offset: int = -1) -> torch.nn.Module:
    return nursery.train_tagger(
        train_examples(),
        tokenizer=tokenizer(),
        positional=plant.PositionalPlan(head=Head("encoder", 0, 2), offset=offset),
        runtime=Runtime(device="cpu", threads=1),
        plan=SHORT,
    )


def test_the_angles_have_one_peak() -> None:
    distances = np.arange(1, 60)
    sums = np.cos(np.outer(distances, plant.ANGLES)).sum(axis=1)
    assert sums.max() < plant._NEXT_BEST < len(plant.ANGLES) / 3


@pytest.mark.parametrize("offset", [-1, 1, -2])
def test_a_positional_head_looks_at_its_offset_after_training(offset: int) -> None:
    model = grown(offset)
    plan = plant.PositionalPlan(head=Head("encoder", 0, 2), offset=offset)
    assert plant.share_at_offset(model, plan, subject(model).batches) > 0.95
    other = plant.PositionalPlan(head=Head("encoder", 0, 3), offset=offset)
    assert plant.share_at_offset(model, other, subject(model).batches) < 0.8


def test_the_share_agrees_with_the_model_s_own_attention() -> None:
    model = grown()
    batch = subject(model).batches[0]
    model.set_attn_implementation("eager")
    with torch.no_grad():
        maps = model(**batch.inputs, output_attentions=True).attentions[0][:, 2]
    hits = count = 0
    for row, mask in zip(maps, batch.attention_mask, strict=True):
        length = int(mask.sum())
        hits += sum(int(row[place].argmax()) == place - 1 for place in range(1, length))
        count += length - 1
    assert plant.share_at_offset(model, PREVIOUS, [batch]) == pytest.approx(hits / count, abs=1e-9)


def test_only_the_first_layer_can_hold_a_positional_head() -> None:
    model = nursery.make_tagger(["A", "B"], vocabulary=50, seed=0)
    late = plant.PositionalPlan(head=Head("encoder", 2, 0), offset=-1)
    with pytest.raises(BadInput, match="planted in the first layer"), plant.install(model, late):
        pass
    with pytest.raises(BadInput, match=r"no head encoder\.9\.0"):
        plant.site_of(model, Head("encoder", 9, 0))


def test_no_hook_stays_behind() -> None:
    model = nursery.make_tagger(["A", "B"], vocabulary=50, seed=0)
    with plant.install(model, PREVIOUS):
        pass
    assert not any(part._backward_hooks for part in model.parameters())


def test_a_dead_head_is_heard_nowhere() -> None:
    model = grown()
    plant.plant_dead(model, Head("encoder", 1, 4))
    whole, others = removals(subject(model))
    place = anatomy_of(model).layout.place("encoder.1.4")
    np.testing.assert_array_equal(whole[:, :2], others[place, :, :2])
    np.testing.assert_allclose(whole[:, 2], others[place, :, 2], atol=1e-4)


def test_a_harmful_head_harms_its_language_alone() -> None:
    model = grown()
    victim, other = (subject(model, language=name) for name in ("sovami", "svona"))

    def accuracy(asked: object) -> float:
        return float(asked.figure(asked.worth(torch.ones(1, 24))[0].sum(axis=0)))

    before = accuracy(victim), accuracy(other)
    strength = plant.plant_harmful(
        model,
        Head("encoder", 2, 1),
        victim=victim.batches,
        others=other.batches,
        accuracy=lambda: accuracy(victim),
        drop=0.1,
    )
    assert strength > 0
    assert before[0] - 0.25 < accuracy(victim) <= before[0] - 0.1
    assert accuracy(other) > before[1] - 0.03


def test_harm_that_cannot_be_done_is_told() -> None:
    model = grown()
    asked = subject(model)
    with pytest.raises(BadInput, match="No strength of this head does the harm"):
        plant.plant_harmful(
            model, Head("encoder", 2, 1), victim=asked.batches, others=asked.batches, accuracy=lambda: 0.9, drop=0.1
        )


def test_the_nursery_repeats_itself() -> None:
    first, second = grown(), grown()
    assert all(torch.equal(one, two) for one, two in zip(first.parameters(), second.parameters(), strict=True))


def test_pieces_are_the_same_every_time() -> None:
    first, second = (nursery.make_tokenizer(train_examples()) for _ in range(2))
    assert first.get_vocab() == second.get_vocab()
    words = [word for example in train_examples() for word in example.words]
    assert first.unk_token_id not in first(words, is_split_into_words=True)["input_ids"]
