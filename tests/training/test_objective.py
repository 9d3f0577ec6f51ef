"""A user's own payoff: what it may return, what is refused, and that the gates are in place when it is called."""

import pytest
import torch

import headcount as hc
from builders import tiny
from headcount.core.errors import BadInput, NotDeterministic, NotSupported, SeamBroken
from headcount.model.gates import gated

PIECES = torch.arange(40).view(5, 8) + 5


def per_example(model: torch.nn.Module) -> torch.Tensor:
    return model(input_ids=PIECES).logits.log_softmax(-1)[..., 3].mean(-1)


def one_number(model: torch.nn.Module) -> float:
    return float(per_example(model).mean())


def test_one_value_per_example_gives_intervals() -> None:
    scores = hc.measure(tiny(), worth=per_example)
    assert scores.task == "worth:per_example"
    assert scores.low is not None
    assert set(scores.samples) == {5}


def test_one_number_gives_the_same_values_without_intervals() -> None:
    scores = hc.measure(tiny(), worth=one_number)
    assert scores.value == pytest.approx(hc.measure(tiny(), worth=per_example).value, abs=1e-6)
    assert scores.low is None


def test_values_are_what_closing_by_hand_gives() -> None:
    model = tiny()
    scores = hc.measure(model, worth=one_number)
    with torch.no_grad():
        full = one_number(model)
        for place in range(12):
            gates = torch.ones(12)
            gates[place] = 0
            with gated(model, gates):
                assert scores.value[place] == pytest.approx(full - one_number(model), abs=1e-7)


@pytest.mark.parametrize("answer", [3, 3.5, torch.tensor(2.0), torch.ones(4), [1.0, 2.0], (1, 2, 3)])
def test_what_a_payoff_may_return(answer: object) -> None:
    def worth(model: torch.nn.Module) -> object:
        model(input_ids=PIECES)
        return answer

    assert (hc.measure(tiny(), worth=worth).value == 0).all()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "not NoneType"),
        ("high", "not str"),
        (True, "not bool"),
        (float("nan"), "finite numbers, not nan"),
        ([1.0, float("inf")], "finite numbers"),
        ([], "finite numbers"),
        (torch.ones(2, 2), r"not values of shape \(2, 2\)"),
        ([[1.0], [1.0, 2.0]], "one number per example"),
    ],
)
def test_what_a_payoff_may_not_return(answer: object, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        hc.measure(tiny(), worth=lambda _model: answer)


def test_a_payoff_that_draws_is_refused() -> None:
    with pytest.raises(NotDeterministic, match="two answers to one model"):
        hc.measure(tiny().train(), worth=per_example)


def test_a_payoff_that_never_runs_the_model_is_refused() -> None:
    with pytest.raises(SeamBroken, match="never called"):
        hc.measure(tiny(), worth=lambda _model: 1.0)


def test_a_payoff_that_changes_its_examples_is_refused() -> None:
    def worth(model: torch.nn.Module) -> torch.Tensor:
        values = per_example(model)
        return values if torch.equal(values, before) else values[:3]

    with torch.no_grad():
        before = per_example(tiny())
    with pytest.raises(BadInput, match="another number of examples"):
        hc.measure(tiny(), worth=worth)


def test_a_payoff_cannot_be_differentiated() -> None:
    with pytest.raises(NotSupported, match="'gradient' needs a Differentiable subject, and this Payoff is none"):
        hc.measure(tiny(), worth=one_number, method="gradient")


def test_a_bare_model_needs_a_payoff() -> None:
    with pytest.raises(BadInput, match="A bare model needs a payoff"):
        hc.measure(tiny())
    with pytest.raises(BadInput, match="not str"):
        hc.measure("bert-base-cased")


def test_errors_inside_a_payoff_reach_their_author() -> None:
    model = tiny()
    before = per_example(model)

    def worth(inner: torch.nn.Module) -> float:
        inner(input_ids=PIECES)
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        hc.measure(model, worth=worth)
    assert torch.equal(per_example(model), before)
