"""The laws of the seam on every family, found by watching a forward pass: no table of classes stands behind them."""

import copy

import pytest
import torch

import headcount as hc
from families import FAMILIES, GROUPED, family_model
from headcount.core.errors import NotSupported
from headcount.core.mask import HeadMask
from headcount.model.anatomy import Anatomy, anatomy_of
from headcount.model.gates import check_seam, gated
from headcount.model.probe import plain_forward
from headcount.model.surgery import cut, silence

everywhere = pytest.mark.parametrize("family", FAMILIES)
CUTTABLE = [name for name, (_, _, _, cuttable) in FAMILIES.items() if cuttable]


def answers(model: torch.nn.Module) -> torch.Tensor:
    with torch.no_grad():
        return plain_forward(model)()[0]


def some_closed(anatomy: Anatomy) -> HeadMask:
    """Heads 2 and 3 of every row: one whole key group where keys are shared."""
    names = anatomy.layout.names
    return HeadMask.closing(anatomy.layout, [name for place, name in enumerate(names) if (place // 2) % 2])


@everywhere
def test_every_head_is_found_once(family: str) -> None:
    anatomy = anatomy_of(family_model(family))
    stacks = FAMILIES[family][2].split()
    assert [(row.stack, row.layer, row.heads) for row in anatomy.layout.rows] == [
        (stack, layer, (0, 1, 2, 3)) for stack in stacks for layer in (0, 1)
    ]
    assert {row.groups for row in anatomy.layout.rows} == {2 if family in GROUPED else 4}
    assert anatomy.family == family
    assert all(site.head_size == 6 for site in anatomy.sites)


@everywhere
def test_the_seam_proves_itself(family: str) -> None:
    model = family_model(family)
    assert check_seam(model, plain_forward(model), anatomy=anatomy_of(model)) == ()


@everywhere
def test_open_changes_no_bit_and_closed_is_zeroed_weights(family: str) -> None:
    model = family_model(family)
    anatomy, before = anatomy_of(model), answers(model)
    mask, zeroed = some_closed(anatomy), copy.deepcopy(model)
    with gated(model, torch.ones(len(anatomy.layout))):
        assert torch.equal(answers(model), before)
    with gated(model, mask):
        closed = answers(model)
    silence(zeroed, mask)
    torch.testing.assert_close(answers(zeroed), closed, atol=1e-5, rtol=0)
    assert (closed - before).abs().max() > 0.1
    assert torch.equal(answers(model), before)


@everywhere
def test_every_player_moves_the_answer(family: str) -> None:
    model = family_model(family)
    before = answers(model)
    for place in range(len(anatomy_of(model).layout)):
        gates = torch.ones(len(anatomy_of(model).layout))
        gates[place] = 0
        with gated(model, gates):
            assert (answers(model) - before).abs().max() > 1e-4


@everywhere
def test_rows_have_gates_of_their_own(family: str) -> None:
    model = family_model(family)
    players = len(anatomy_of(model).layout)
    gates = torch.rand(2, players, generator=torch.Generator().manual_seed(0))
    with gated(model, gates):
        together = answers(model)
    for place in range(2):
        with gated(model, gates[place]):
            torch.testing.assert_close(answers(model)[place], together[place], atol=1e-4, rtol=0)


@pytest.mark.parametrize("family", CUTTABLE)
def test_cut_is_gated(family: str) -> None:
    model = family_model(family)
    mask = some_closed(anatomy_of(model))
    with gated(model, mask):
        closed = answers(model)
    smaller = cut(model, mask)
    torch.testing.assert_close(answers(smaller), closed, atol=1e-5, rtol=0)
    before, after = (sum(part.numel() for part in item.parameters()) for item in (model, smaller))
    leaving = sum(site.parameters_per_head * 2 for site in anatomy_of(model).sites)
    assert before - after == leaving
    assert all(len(row.heads) == 2 for row in anatomy_of(smaller).layout.rows)


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in CUTTABLE])
def test_what_cannot_be_cut_is_refused_by_name_and_untouched(family: str) -> None:
    model = family_model(family)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(NotSupported, match="its heads can be gated and measured, but not cut"):
        cut(model, some_closed(anatomy_of(model)))
    assert all(torch.equal(before[name], values) for name, values in model.state_dict().items())


@pytest.mark.parametrize("family", [name for name in GROUPED if name in CUTTABLE])
def test_half_a_key_group_is_refused(family: str) -> None:
    model = family_model(family)
    with pytest.raises(NotSupported, match="share 2 keys by groups of 2; this version cuts whole groups only"):
        cut(model, HeadMask.closing(anatomy_of(model).layout, [f"{FAMILIES[family][2]}.0.0"]))


@pytest.mark.parametrize("family", ["vit", "whisper", "t5", "llama", "albert"])
def test_any_payoff_measures_any_family(family: str) -> None:
    model = family_model(family)
    forward = plain_forward(model)
    scores = hc.measure(model, worth=lambda _model: forward()[0][..., 0].flatten(1).mean(1))
    assert len(scores.value) == len(anatomy_of(model).layout)
    assert (abs(scores.value) > 0).all()
    assert scores.low is not None


def test_shared_heads_are_counted_once() -> None:
    anatomy = anatomy_of(family_model("albert"))
    assert anatomy.layout.names == tuple(f"encoder.*.{index}" for index in range(4))
    with pytest.raises(NotSupported, match="share their heads: count players='shared'"):
        anatomy_of(family_model("albert"), players="heads")


class Own(torch.nn.Module):
    """A user's own network: two blocks of attention by hand, no Transformers in it."""

    def __init__(self) -> None:
        super().__init__()
        self.inward = torch.nn.ModuleList(torch.nn.Linear(12, 36) for _ in range(2))
        self.outward = torch.nn.ModuleList(torch.nn.Linear(12, 12) for _ in range(2))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        for inward, outward in zip(self.inward, self.outward, strict=True):
            query, key, value = inward(states).view(*states.shape[:2], 3, 3, 4).permute(2, 0, 3, 1, 4)
            seen = (query @ key.transpose(-1, -2)).softmax(-1) @ value
            states = states + outward(seen.transpose(1, 2).flatten(2))
        return states


def test_a_module_of_one_s_own_is_measured_and_gated() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model, states = Own().eval(), torch.randn(5, 7, 12)

    def worth(inner: torch.nn.Module) -> torch.Tensor:
        return inner(states)[..., 0].mean(1)

    scores = hc.measure(model, worth=worth)
    assert scores.layout.names == tuple(f"encoder.{layer}.{head}" for layer in (0, 1) for head in range(3))
    with torch.no_grad(), gated(model, HeadMask.closing(scores.layout, ["encoder.1.2"])):
        closed = worth(model).mean()
    with torch.no_grad():
        assert scores.value[5] == pytest.approx(float(worth(model).mean() - closed), abs=1e-6)
    with pytest.raises(NotSupported, match="but not cut"):
        cut(model, HeadMask.closing(scores.layout, ["encoder.1.2"]))


# families whose own code cannot run a layer without heads; they need a stand-in for the layer, which is not built yet
NO_EMPTY_LAYER = {"xlm", "whisper", "gpt2", "opt"}


@pytest.mark.parametrize("family", [name for name in CUTTABLE if name != "albert"])  # its layers leave only together
def test_a_whole_layer_can_leave_or_is_refused_by_name(family: str) -> None:
    model = family_model(family)
    anatomy = anatomy_of(model)
    row = anatomy.layout.rows[1]
    mask = HeadMask.closing(anatomy.layout, [f"{row.name}.{index}" for index in row.heads])
    if family in NO_EMPTY_LAYER:
        with pytest.raises(NotSupported, match="can be gated and measured, but not cut"):
            cut(model, mask)
        return
    with gated(model, mask):
        closed = answers(model)
    torch.testing.assert_close(answers(cut(model, mask)), closed, atol=1e-5, rtol=0)
