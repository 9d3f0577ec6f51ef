"""Surgery: what is left after a cut, and that it loads again exactly, or fails loudly."""

import json
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from builders import FAMILIES, tiny, tokenizer
from headcount.core.errors import BadFile, BadInput, CannotWrite, LayoutMismatch, NotSupported
from headcount.core.heads import Layout, row
from headcount.core.mask import HeadMask
from headcount.core.runtime import Runtime
from headcount.model import loading
from headcount.model.anatomy import anatomy_of
from headcount.model.surgery import cut

PIECES = torch.arange(16).view(2, 8) + 5
CPU = Runtime(device="cpu")
# a ragged cut: one head of the first layer, a whole layer, nothing of the last
CLOSED = ["encoder.0.2", *(f"encoder.1.{index}" for index in range(4))]


def answers(model: torch.nn.Module) -> torch.Tensor:
    with torch.no_grad():
        return model(input_ids=PIECES).logits


def ragged(model: torch.nn.Module) -> HeadMask:
    return HeadMask.closing(anatomy_of(model).layout, CLOSED)


def saved(tmp_path: Path, family: str = "bert") -> tuple[torch.nn.Module, Path]:
    smaller = cut(tiny(family), ragged(tiny(family)))
    return smaller, loading.save(smaller, tokenizer(), tmp_path / "cut")


@pytest.mark.parametrize("family", FAMILIES)
def test_saved_and_loaded_gives_the_same_answers(family: str, tmp_path: Path) -> None:
    smaller, folder = saved(tmp_path, family)
    loaded = loading.load(folder, head="tag", runtime=CPU)
    assert torch.equal(answers(loaded.model), answers(smaller))
    assert anatomy_of(loaded.model).layout == anatomy_of(smaller).layout


def test_the_cut_model_keeps_the_names_of_its_heads() -> None:
    layout = anatomy_of(cut(tiny(), ragged(tiny()))).layout
    assert layout.names == tuple(name for name in anatomy_of(tiny()).layout.names if name not in CLOSED)


def test_a_cut_model_can_be_cut_again() -> None:
    once = cut(tiny(), ragged(tiny()))
    twice = cut(once, HeadMask.closing(anatomy_of(once).layout, ["encoder.2.3"]))
    straight = cut(tiny(), HeadMask.closing(anatomy_of(tiny()).layout, [*CLOSED, "encoder.2.3"]))
    torch.testing.assert_close(answers(twice), answers(straight), atol=1e-6, rtol=0)
    assert anatomy_of(twice).layout == anatomy_of(straight).layout


def test_the_predicted_parameters_leave() -> None:
    model = tiny()
    smaller = cut(model, ragged(model))
    before, after = (sum(part.numel() for part in item.parameters()) for item in (model, smaller))
    per_head = {site.row.name: site.parameters_per_head for site in anatomy_of(model).sites}
    assert before - after == per_head["encoder.0"] + 4 * per_head["encoder.1"]
    # 6 rows of 24 weights and a bias in q, k, v, and 6 columns of 24 weights in the projection
    assert per_head["encoder.0"] == 3 * 6 * 25 + 6 * 24


def test_the_whole_model_is_untouched() -> None:
    model = tiny()
    before = answers(model)
    cut(model, ragged(model))
    assert torch.equal(answers(model), before)
    assert getattr(model.config, "headcount_layout", None) is None


def test_a_cut_model_still_learns() -> None:
    smaller = cut(tiny(), ragged(tiny())).train()
    smaller(input_ids=PIECES, labels=torch.ones_like(PIECES)).loss.backward()
    assert all(part.grad is not None for name, part in smaller.named_parameters() if "encoder.layer" in name)


def test_a_stock_load_fails_instead_of_making_weights_up(tmp_path: Path) -> None:
    _, folder = saved(tmp_path)
    with pytest.raises(RuntimeError, match="ignore_mismatched_sizes"):
        transformers.AutoModelForTokenClassification.from_pretrained(folder)


def test_a_mask_of_another_model_is_refused() -> None:
    with pytest.raises(LayoutMismatch, match="belongs to another model"):
        cut(tiny(), HeadMask.open(Layout((row("encoder", 0, 2),))))


def test_missing_weights_are_named(tmp_path: Path) -> None:
    _, folder = saved(tmp_path)
    (folder / "model.safetensors").unlink()
    with pytest.raises(BadFile, match="lacks its weights"):
        loading.load(folder, head="tag", runtime=CPU)


def test_damaged_weights_are_named(tmp_path: Path) -> None:
    _, folder = saved(tmp_path)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(BadFile, match=r"model\.safetensors: the weights are damaged"):
        loading.load(folder, head="tag", runtime=CPU)


def test_a_tensor_too_few_is_named(tmp_path: Path) -> None:
    _, folder = saved(tmp_path)
    path = folder / "model.safetensors"
    weights = load_file(path)
    del weights["bert.encoder.layer.0.attention.self.query.weight"]
    save_file(weights, path)
    with pytest.raises(BadFile, match=r"missing \['bert\.encoder\.layer\.0\.attention\.self\.query\.weight'\]"):
        loading.load(folder, head="tag", runtime=CPU)


def test_a_plan_that_does_not_fit_its_weights_is_named(tmp_path: Path) -> None:
    _, folder = saved(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["headcount_layout"]["rows"][0]["heads"] = [0, 1]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(BadFile, match="weights and plan do not fit"):
        loading.load(folder, head="tag", runtime=CPU)


def test_a_model_whose_plan_lies_is_refused() -> None:
    model = tiny()
    model.config.headcount_layout = Layout((row("encoder", 0, [0, 2]),)).to_json()
    with pytest.raises(NotSupported, match="the model's own plan says"):
        anatomy_of(model)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "dear").write_text("kept")
    with pytest.raises(CannotWrite, match="exists and is not empty"):
        loading.save(tiny(), tokenizer(), tmp_path / "there")
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["dear"]
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_untrained_weights_are_refused(tmp_path: Path) -> None:
    model = tiny()
    loading.save(model.bert, tokenizer(), tmp_path / "bare")
    with pytest.raises(BadInput, match="has no trained weights for classifier"):
        loading.load(tmp_path / "bare", head="tag", runtime=CPU)


def test_loading_leaves_the_generator_alone(tmp_path: Path) -> None:
    loading.save(tiny(), tokenizer(), tmp_path / "model")
    saved(tmp_path)
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    loading.load(tmp_path / "model", head="tag", runtime=CPU)
    loading.load(tmp_path / "cut", head="tag", runtime=CPU)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_folder_that_is_not_there_is_told_as_such() -> None:
    with pytest.raises(BadInput, match="No model 'no/such': no such folder"):
        loading.load("no/such", head="tag", runtime=CPU)


def test_the_same_weights_have_the_same_revision(tmp_path: Path) -> None:
    loading.save(tiny(), tokenizer(), tmp_path / "one")
    loading.save(tiny(seed=1), tokenizer(), tmp_path / "two")
    first, again, other = (loading.load(tmp_path / name, head="tag", runtime=CPU) for name in ("one", "one", "two"))
    assert first.revision == again.revision != other.revision


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "cuda:7"}, "no CUDA device|No CUDA"),
        ({"device": "abacus"}, "no device torch knows"),
        ({"dtype": "float23"}, "No dtype is called 'float23'. Did you mean 'float32'"),
    ],
)
def test_wrong_runtimes_are_told(options: dict[str, str], message: str) -> None:
    if options.get("device") == "cuda:7" and torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    with pytest.raises(Exception, match=message) as caught:
        loading.settle(Runtime(**options))
    assert type(caught.value).__module__ == "headcount.core.errors"
