"""Gates: the laws of the seam, on every supported family."""

import pytest
import torch

from builders import FAMILIES, examples, subject, tiny
from headcount.core.errors import BadInput, LayoutMismatch, NotSupported, SeamBroken
from headcount.core.heads import Layout, row
from headcount.core.mask import HeadMask
from headcount.model.anatomy import anatomy_of
from headcount.model.gates import check_seam, gated
from headcount.model.surgery import cut, silence

PIECES = torch.arange(24).view(3, 8) + 5


def answers(model: torch.nn.Module, pieces: torch.Tensor = PIECES) -> torch.Tensor:
    with torch.no_grad():
        return model(input_ids=pieces).logits


def half_closed(model: torch.nn.Module) -> HeadMask:
    layout = anatomy_of(model).layout
    return HeadMask.closing(layout, [name for place, name in enumerate(layout.names) if place % 2 or place > 7])


@pytest.mark.parametrize("family", FAMILIES)
def test_all_ones_change_no_bit(family: str) -> None:
    model = tiny(family)
    before = answers(model)
    with gated(model, torch.ones(12)):
        assert torch.equal(answers(model), before)


@pytest.mark.parametrize("family", FAMILIES)
def test_closed_is_cut_is_silenced(family: str) -> None:
    model, silenced = tiny(family), tiny(family)
    mask = half_closed(model)
    with gated(model, mask):
        closed = answers(model)
    silence(silenced, mask)
    # 1e-5: the same sums in another order, in float32
    torch.testing.assert_close(answers(cut(model, mask)), closed, atol=1e-5, rtol=0)
    torch.testing.assert_close(answers(silenced), closed, atol=1e-5, rtol=0)
    assert not torch.allclose(closed, answers(model), atol=1e-3)


def test_every_head_matters_on_its_own() -> None:
    model = tiny()
    before = answers(model)
    for place in range(12):
        gates = torch.ones(12)
        gates[place] = 0
        with gated(model, gates):
            assert (answers(model) - before).abs().max() > 1e-4


def test_rows_have_gates_of_their_own() -> None:
    model = tiny()
    gates = torch.rand(3, 12, generator=torch.Generator().manual_seed(1))
    with gated(model, gates):
        together = answers(model)
    for place in range(3):
        with gated(model, gates[place]):
            alone = answers(model, PIECES[place : place + 1])
        torch.testing.assert_close(together[place : place + 1], alone, atol=1e-5, rtol=0)


def test_beams_repeat_the_rows_of_gates() -> None:
    model = tiny()
    gates = torch.rand(3, 12, generator=torch.Generator().manual_seed(1))
    beams = PIECES.repeat_interleave(2, dim=0)
    with gated(model, gates):
        doubled = answers(model, beams)
    with gated(model, gates.repeat_interleave(2, dim=0)):
        torch.testing.assert_close(doubled, answers(model, beams), atol=0, rtol=0)


def test_rows_that_do_not_divide_are_refused() -> None:
    model = tiny()
    with gated(model, torch.ones(2, 12)), pytest.raises(BadInput, match="3 rows, which 2 rows of gates do not divide"):
        answers(model)


def test_the_model_comes_back_also_after_an_error() -> None:
    model = tiny()
    before = answers(model)
    with pytest.raises(KeyError, match="stop"), gated(model, torch.zeros(12)):
        raise KeyError("stop")
    assert torch.equal(answers(model), before)
    assert not any(site.projection._forward_pre_hooks for site in anatomy_of(model).sites)


def test_nested_gates_multiply() -> None:
    model = tiny()
    first, second = (torch.rand(12, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2))
    with gated(model, first), gated(model, second):
        nested = answers(model)
    with gated(model, first * second):
        torch.testing.assert_close(nested, answers(model), atol=1e-6, rtol=1e-5)


def test_gates_can_be_differentiated() -> None:
    model = tiny().double()
    gates = torch.ones(12, dtype=torch.float64, requires_grad=True)

    def worth(values: torch.Tensor) -> torch.Tensor:
        with gated(model, values):
            return model(input_ids=PIECES).logits.log_softmax(-1)[..., 3].sum()

    (found,) = torch.autograd.grad(worth(gates), gates)
    step = 1e-5
    for place in range(12):
        nudge = torch.zeros(12, dtype=torch.float64)
        nudge[place] = step
        with torch.no_grad():
            slope = (worth(torch.ones(12) + nudge) - worth(torch.ones(12) - nudge)) / (2 * step)
        assert found[place].item() == pytest.approx(slope.item(), abs=1e-6, rel=1e-6)


def test_layers_as_players_close_all_their_heads() -> None:
    model = tiny()
    by_layer = anatomy_of(model, players="layers")
    with gated(model, torch.tensor([1.0, 0.0, 1.0]), anatomy=by_layer):
        layer = answers(model)
    with gated(model, torch.tensor([1.0] * 4 + [0.0] * 4 + [1.0] * 4)):
        assert torch.equal(layer, answers(model))


@pytest.mark.parametrize(
    ("gates", "message"),
    [
        (torch.ones(11), r"shape \[12\] or \[rows, 12\].*not \[11\]"),
        (torch.ones(2, 3, 12), r"not \[2, 3, 12\]"),
        (torch.ones(12, dtype=torch.long), "floating-point numbers, not torch.int64"),
        (torch.full((12,), float("nan")), "must be finite"),
        ([1.0] * 12, "not list"),
    ],
)
def test_wrong_gates_are_told_by_what_was_expected(gates: object, message: str) -> None:
    with pytest.raises(BadInput, match=message), gated(tiny(), gates):  # type: ignore[arg-type]
        pass


def test_a_mask_of_another_model_is_refused() -> None:
    other = HeadMask.open(Layout((row("encoder", 0, 4),)))
    with pytest.raises(LayoutMismatch, match="belongs to another model"), gated(tiny(), other):
        pass


def test_padding_does_not_matter() -> None:
    few = subject(tiny(), count=6)
    gates = torch.rand(2, 12, generator=torch.Generator().manual_seed(1))
    alone = subject(tiny(), count=6, batch_tokens=1).worth(gates)
    assert (few.worth(gates)[..., :2] == alone[..., :2]).all()
    assert abs(few.worth(gates)[..., 2] - alone[..., 2]).max() < 1e-4


class Bypass(torch.nn.Linear):
    """A projection that ignores what its hooks make of its input: what a kernel that reads weights itself would do."""

    stolen: torch.Tensor

    def forward(self, entering: torch.Tensor) -> torch.Tensor:
        del entering
        return torch.nn.functional.linear(self.stolen, self.weight, self.bias)


def test_the_self_check_finds_a_projection_that_ignores_its_gates() -> None:
    model = tiny()
    output = model.bert.encoder.layer[1].attention.output
    bypass = Bypass(24, 24)
    bypass.stolen = torch.randn(3, 8, 24, generator=torch.Generator().manual_seed(0))
    output.dense = bypass
    with pytest.raises(SeamBroken, match=r"encoder\.layer\.1\.attention\.self: random gates do not change"):
        check_seam(model, lambda: answers(model), anatomy=anatomy_of(model, forward=lambda: answers(model)))


def test_the_self_check_finds_a_projection_that_is_never_called() -> None:
    model = tiny()
    anatomy = anatomy_of(model)
    layers = model.bert.encoder.layer
    model.bert.encoder.layer = layers[:2]
    with pytest.raises(SeamBroken, match="never called"):
        check_seam(model, lambda: answers(model), anatomy=anatomy)


def test_the_self_check_finds_a_model_that_is_not_repeatable() -> None:
    model = tiny().train()
    with pytest.raises(SeamBroken, match="not repeatable"):
        check_seam(model, lambda: answers(model), anatomy=anatomy_of(model))


def test_a_dead_site_is_reported_not_refused() -> None:
    model = tiny()
    silence(model, HeadMask.closing(anatomy_of(model).layout, [f"encoder.2.{index}" for index in range(4)]))
    silent = check_seam(model, lambda: answers(model), anatomy=anatomy_of(model))
    assert silent == ("bert.encoder.layer.2.attention.self",)


def test_a_model_without_attention_is_refused() -> None:
    linear = torch.nn.Linear(3, 3)
    with pytest.raises(NotSupported, match="Linear is no Transformers model.*give a payoff that runs it"):
        anatomy_of(linear)
    with pytest.raises(NotSupported, match="No attention was seen in a forward pass of Linear"):
        anatomy_of(linear, forward=lambda: linear(torch.ones(2, 3)))


def test_the_examples_of_these_tests_have_words() -> None:
    assert len(examples()) == 24
    assert min(len(example.words) for example in examples()) >= 4
