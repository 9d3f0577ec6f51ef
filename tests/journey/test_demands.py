"""What demanding users did to it: each of these once gave a wrong answer, a raw traceback or lost work."""

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import headcount as hc
from builders import examples, subject, tiny, tokenizer
from families import family_model
from headcount.core.errors import BadInput, CannotWrite
from headcount.core.files import check_file
from headcount.data.batches import encode
from headcount.model import loading
from headcount.model.anatomy import anatomy_of
from headcount.model.gates import is_gated
from headcount.study.steps import cut_folder, language_of


def test_a_model_is_not_cut_while_it_is_gated() -> None:
    asked = subject(tiny())
    mask = hc.HeadMask.closing(asked.layout, ["encoder.0.0"])
    with hc.gated(asked.model, mask):
        assert is_gated(asked.model)
        with pytest.raises(BadInput, match="cut it after the `with` has ended"):
            hc.cut(asked, mask)
    assert not is_gated(asked.model)
    assert len(hc.cut(asked, mask).layout) == 11


def test_a_handful_of_examples_gives_no_verdict() -> None:
    scores = hc.measure(subject(tiny(), count=5))
    assert set(scores.verdicts) == {"needs more data"}


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("svona.dev.conllu", "svona"),
        ("de_gsd-ud-dev.conllu", "de"),
        ("zh_gsd/dev.conllu.gz", "zh"),
        ("a/ja_pud/test.conllu", "ja"),
    ],
)
def test_the_language_is_told_from_file_or_folder(path: str, language: str) -> None:
    assert language_of(path) == language


def byte_level(*, prefix: bool) -> PreTrainedTokenizerFast:
    names = ["<unk>", "<s>", *pre_tokenizers.ByteLevel.alphabet(), "Ġcat", "cat", "Ġthe", "the"]
    pieces = Tokenizer(models.WordLevel({name: number for number, name in enumerate(names)}, unk_token="<unk>"))
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    return PreTrainedTokenizerFast(tokenizer_object=pieces, unk_token="<unk>", pad_token="<s>")


@pytest.mark.parametrize("prefix", [True, False])
def test_words_keep_their_space_under_byte_level_tokenizers(prefix: bool) -> None:
    pieces = byte_level(prefix=prefix)
    example = type(examples()[0])("x", ("the", "cat"), ("A", "B"))
    (window,) = encode([example], [[0, 1]], tokenizer=pieces, longest=16)
    assert pieces.convert_ids_to_tokens(list(window.pieces)) == ["Ġthe", "Ġcat"]


def test_a_half_precision_checkpoint_stays_one_when_cut(tmp_path: Path) -> None:
    loading.save(tiny().to(torch.bfloat16), tokenizer(), tmp_path / "half")
    mask = hc.HeadMask.closing(anatomy_of(tiny()).layout, ["encoder.0.0"])
    cut_folder(tmp_path / "half", mask, tmp_path / "smaller", runtime=hc.Runtime(device="cpu"))
    sizes = [(tmp_path / name / "model.safetensors").stat().st_size for name in ("half", "smaller")]
    assert sizes[1] < sizes[0]
    found = loading.load(tmp_path / "smaller", head="tag", runtime=hc.Runtime(device="cpu"))
    assert found.stored == torch.bfloat16


def test_a_place_that_cannot_be_written_is_told_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "file" / "deep" / "scores.json"):
        with pytest.raises(CannotWrite):
            check_file(place)
    check_file(tmp_path / "new" / "scores.json")
    assert not list((tmp_path / "new").iterdir())


def test_a_model_without_heads_is_told() -> None:
    asked = subject(tiny())
    bare = hc.cut(asked, hc.prune(hc.measure(asked), lowest=12))
    for method in ("ablation", "gradient"):
        with pytest.raises(BadInput, match="no heads left"):
            hc.measure(bare, method=method)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hc.measure(subject(tiny()), confidence=1.5), "between 0 and 1, not 1.5"),
        (lambda: hc.measure(subject(tiny()), zone=-1.0), "half-width from 0 upwards"),
        (lambda: hc.measure(subject(tiny()), seed=-1), "whole number from 0, not -1"),
        (lambda: hc.measure(tiny(), worth=3), "not int"),
        (lambda: hc.evaluate(tiny()), "Evaluate a subject from hc.load, not BertFor"),
        (lambda: hc.evaluate(subject(tiny()), mask="mask.json"), "HeadMask.load reads one"),
        (lambda: hc.prune(hc.measure(subject(tiny())), lowest=2.5), "not 2.5"),
        (lambda: hc.prune(hc.measure(subject(tiny())), lowest=True), "not True"),
        (lambda: hc.Runtime(threads=100_000), "at most 1024"),
        (lambda: hc.Runtime(seed=5_000_000_000), "between 0 and 4294967295"),
        (lambda: loading.settle(hc.Runtime(device="meta")), "models cannot run there"),
    ],
)
def test_slips_in_python_are_named(call, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()


def test_damaged_weights_of_a_whole_model_are_named(tmp_path: Path) -> None:
    folder = loading.save(tiny(), tokenizer(), tmp_path / "model")
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(BadInput, match="does not load as AutoModelForTokenClassification"):
        loading.load(folder, head="tag", runtime=hc.Runtime(device="cpu"))
    with pytest.raises(BadInput, match="a folder, which has no revisions"):
        loading.load(folder, head="tag", runtime=hc.Runtime(device="cpu"), revision="main")


def test_a_plan_with_a_head_that_is_not_there_is_named() -> None:
    from headcount.core.heads import Layout, row
    from headcount.model.surgery import keep_heads

    with pytest.raises(BadInput, match=r"The plan keeps heads of encoder\.0 that this model does not have"):
        keep_heads(tiny(), Layout((row("encoder", 0, [0, 9]), row("encoder", 1, 4), row("encoder", 2, 4))))


def test_odd_names_are_text_not_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from headcount.cli import app

    monkeypatch.chdir(tmp_path)
    hc.measure(subject(tiny())).save("scores.json")
    name = "a[/b] [bold]c.json"
    found = CliRunner().invoke(app, ["prune", "scores.json", "--lowest", "2", "--to", name])
    assert found.exit_code == 0, found.exception
    assert name in found.stdout
    assert Path(name).exists()


def test_models_of_other_kinds_are_inspected() -> None:
    for family in ("vit", "t5", "gpt2"):
        told = hc.inspect(family_model(family))
        assert told.family == family
        assert told.silent_sites == ()
