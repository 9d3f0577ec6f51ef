"""Real models and real text, where they lie beside the project: the seam holds on them, and every treebank is read."""

from pathlib import Path

import pytest
import torch

import headcount as hc
from headcount.core.chance import generator
from headcount.data.formats import read_conllu
from headcount.model import loading
from headcount.model.anatomy import anatomy_of
from headcount.model.gates import check_seam, gated
from headcount.model.probe import plain_forward
from headcount.model.surgery import cut
from headcount.study.steps import language_of

pytestmark = pytest.mark.real
HEADS = {"minilm-l6-en": 72, "mini-xlm": 144, "mini-mbert": 144}


@pytest.mark.parametrize("name", HEADS)
def test_the_seam_holds_on_a_real_encoder(name: str, shared: Path) -> None:
    model = loading.load(shared / "models" / name, head=None, runtime=hc.Runtime(device="cpu", threads=1)).model
    anatomy, forward = anatomy_of(model), plain_forward(model)
    assert len(anatomy.layout) == HEADS[name]
    assert check_seam(model, forward, anatomy=anatomy) == ()
    keep = generator(0, name).random(HEADS[name]) > 0.5
    mask = hc.HeadMask(layout=anatomy.layout, keep=keep)
    with torch.no_grad():
        with gated(model, mask):
            closed = forward()[0]
        smaller = cut(model, mask)
        torch.testing.assert_close(plain_forward(smaller)()[0], closed, atol=1e-4, rtol=1e-4)


def test_a_real_sentence_ranks_the_heads_of_a_real_model(shared: Path) -> None:
    loaded = loading.load(shared / "models" / "minilm-l6-en", head=None, runtime=hc.Runtime(device="cpu", threads=1))
    pieces = loaded.tokenizer(["The dogs of the old town bark at night ."], return_tensors="pt")
    with torch.no_grad():
        whole = loaded.model(**pieces).last_hidden_state

    def likeness(model: torch.nn.Module) -> torch.Tensor:
        return torch.cosine_similarity(model(**pieces).last_hidden_state, whole, dim=-1)[0]

    scores = hc.measure(loaded.model, worth=likeness)
    assert (scores.value > 0).all()  # whatever is closed, the states move away from what they were
    assert scores.value.max() > 10 * scores.value.min()


def test_every_treebank_is_read(shared: Path) -> None:
    paths = sorted((shared / "data" / "ud").rglob("*.conllu.gz"))
    assert len(paths) > 10
    languages = set()
    for path in paths:
        languages.add(language_of(path))
        sentences = sum(1 for _ in read_conllu(path))
        assert sentences >= 450
    assert {"en", "zh", "nl", "de", "ar", "he", "ja", "ur", "fa", "es", "fr"} == languages
