"""Subject: its tallies against a plain loop over sentences."""

import numpy as np
import pytest
import torch

from builders import LABELS, examples, subject, texts, tiny, tokenizer
from headcount.core.errors import BadInput
from headcount.core.runtime import Runtime
from headcount.data.tasks import TASKS, Example
from headcount.model.gates import gated
from headcount.model.loading import Loaded
from headcount.training.subject import subject_of


def plain(model: torch.nn.Module, gates: torch.Tensor) -> np.ndarray:
    """One sentence a pass, first piece of each word, nothing shared."""
    rows = []
    for example in examples():
        encoded = tokenizer()(list(example.words), is_split_into_words=True)
        with torch.no_grad(), gated(model, gates):
            scores = model(input_ids=torch.tensor([encoded["input_ids"]])).logits[0].log_softmax(-1)
        places = [encoded.word_ids().index(word) for word in range(len(example.words))]
        labels = [LABELS.index(label) for label in example.labels]
        right = sum(int(scores[place].argmax()) == label for place, label in zip(places, labels, strict=True))
        chance = sum(float(scores[place, label]) for place, label in zip(places, labels, strict=True))
        rows.append([right, len(labels), chance])
    return np.array(rows)


@pytest.mark.parametrize("batch_tokens", [1, 150, 100_000])
def test_tallies_equal_the_plain_loop(batch_tokens: int) -> None:
    model = tiny()
    gates = torch.stack([torch.ones(12), (torch.arange(12) % 3 > 0).float(), torch.zeros(12)])
    found = subject(model, batch_tokens=batch_tokens).worth(gates)
    for tallies, row in zip(found, gates, strict=True):
        slow = plain(model, row)
        np.testing.assert_array_equal(tallies[:, :2], slow[:, :2])
        np.testing.assert_allclose(tallies[:, 2], slow[:, 2], atol=1e-4)


def test_a_game_is_the_same_alone_and_in_company() -> None:
    asked = subject(tiny())
    gates = torch.rand(7, 12, generator=torch.Generator().manual_seed(0))
    together = asked.worth(gates)
    np.testing.assert_array_equal(together[3:4, :, :2], asked.worth(gates[3:4])[..., :2])
    np.testing.assert_allclose(together[3:4], asked.worth(gates[3:4]), atol=1e-4)


def test_long_sentences_lose_no_word() -> None:
    long = Example(
        "long",
        tuple(word for item in examples() for word in item.words),
        tuple(label for item in examples() for label in item.labels),
    )
    loaded = Loaded(
        model=tiny(), tokenizer=tokenizer(), name="tiny", revision="x", runtime=Runtime(device="cpu", threads=1)
    )
    asked = subject_of(loaded, task=TASKS["pos"], language="svona", examples=[long], where="here")
    assert len(asked.windows) > 1
    assert asked.worth(torch.ones(1, 12))[0, 0, 1] == len(long.words)


def test_a_label_the_checkpoint_does_not_know_is_refused() -> None:
    model = tiny()
    model.config.id2label = {number: f"X{number}" for number in range(12)}
    with pytest.raises(BadInput, match=r"the lab: sentence 'svona-dev-1' has the label .* which the checkpoint"):
        subject(model)


def test_labels_are_matched_by_name_not_by_number() -> None:
    model, turned = tiny(), tiny()
    order = list(range(12))[::-1]
    with torch.no_grad():
        turned.classifier.weight[:] = model.classifier.weight[order]
        turned.classifier.bias[:] = model.classifier.bias[order]
    turned.config.id2label = {number: LABELS[place] for number, place in enumerate(order)}
    one, two = (subject(item).worth(torch.ones(1, 12)) for item in (model, turned))
    np.testing.assert_array_equal(one[..., :2], two[..., :2])


def test_the_data_key_depends_on_words_and_labels_alone() -> None:
    assert subject(tiny()).data_key == subject(tiny(seed=1), batch_tokens=7).data_key
    assert subject(tiny()).data_key != subject(tiny(), count=5).data_key
    assert len(texts()["svona"]["dev"]) == 24
