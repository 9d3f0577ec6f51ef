"""What a method may ask of a model, and the plainest answer: a user's own payoff. Tasks are in `subject`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from headcount.core.errors import BadInput, NotDeterministic, NotSupported
from headcount.core.heads import Layout
from headcount.core.signature import Setting
from headcount.data import metrics
from headcount.model.anatomy import Anatomy, anatomy_of
from headcount.model.gates import check_seam, gated
from headcount.model.probe import plain_forward

Floats = npt.NDArray[np.float64]


@runtime_checkable
class Game(Protocol):
    """Answers what a coalition of open heads is worth: tallies per example, so that intervals can be had later."""

    layout: Layout

    def worth(self, gates: Tensor) -> Floats:
        """Tallies [games, examples, columns] of gates [games, players]."""

    def figure(self, sums: Floats) -> Floats:
        """The figure of summed tallies [..., columns]."""

    def settings(self) -> dict[str, Setting]:
        """What was asked of what, for signatures; at least task, language and metric."""


@runtime_checkable
class Differentiable(Protocol):
    """Answers how the loss of every example changes as each gate closes a little."""

    layout: Layout

    def gate_gradients(self) -> Floats:
        """d loss / d gate at open gates: [examples, players]."""

    def settings(self) -> dict[str, Setting]:
        """What was asked of what, for signatures; at least task, language and metric."""


@final
@dataclass(frozen=True, eq=False)
class Payoff:
    """A user's own function as a game: called as `function(model)` with the gates in place.

    It returns one number, or one per example (only then are there intervals over examples), and must be deterministic.
    """

    model: nn.Module
    function: Callable[[nn.Module], Any]
    anatomy: Anatomy = field(init=False)
    examples: int = field(init=False)

    def __post_init__(self) -> None:
        with torch.no_grad():
            object.__setattr__(self, "anatomy", _anatomy(self.model, self._call))
            first, second = self._call(), self._call()
            if not np.array_equal(first, second):
                raise NotDeterministic(
                    "Your payoff gave two answers to one model. It must be deterministic: put the model in eval mode "
                    "and fix what it draws."
                )
            object.__setattr__(self, "examples", len(first))
            check_seam(self.model, self._call, anatomy=self.anatomy)

    @property
    def layout(self) -> Layout:
        """The heads of the model."""
        return self.anatomy.layout

    def worth(self, gates: Tensor) -> Floats:
        """Tallies [games, examples, 2]: the value and a count of 1."""
        rows = []
        for row in gates:
            with torch.no_grad(), gated(self.model, row, anatomy=self.anatomy):
                rows.append(self._call())
        if any(len(row) != self.examples for row in rows):
            raise BadInput("Your payoff returned another number of examples when heads were closed.")
        values = np.stack(rows)
        return np.stack([values, np.ones_like(values)], axis=-1)

    def figure(self, sums: Floats) -> Floats:
        """Mean over examples."""
        return metrics.mean(sums)

    def settings(self) -> dict[str, Setting]:
        """The function's name is all that is known of it."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return {"task": f"worth:{name}", "language": "none", "metric": "mean", "model": type(self.model).__name__}

    def _call(self) -> Floats:
        return _values(self.function(self.model))


def _anatomy(model: nn.Module, call: Callable[[], Any]) -> Anatomy:
    """Watch a small pass made from the model's config, as all other commands do; where none can be made, the payoff."""
    try:
        forward = plain_forward(model)
    except NotSupported:
        forward = call
    return anatomy_of(model, forward=forward)


def _values(answer: Any) -> Floats:
    """What a payoff returned as an array of finite numbers [examples]."""
    if isinstance(answer, Tensor):
        answer = answer.detach().to("cpu", torch.float64).numpy()
    if not isinstance(answer, int | float | np.generic | np.ndarray | Sequence) or isinstance(answer, str | bool):
        raise BadInput(f"A payoff returns a number, or one number per example, not {type(answer).__name__}.")
    try:
        values = np.asarray(answer)
    except ValueError as problem:
        raise BadInput("A payoff returns a number, or one number per example, not lists of many lengths.") from problem
    if values.dtype == object or values.ndim > 1 or not np.issubdtype(values.dtype, np.number):
        raise BadInput(f"A payoff returns a number, or one number per example, not values of shape {values.shape}.")
    values = np.atleast_1d(values).astype(np.float64)
    if not len(values) or not np.isfinite(values).all():
        raise BadInput(f"A payoff must return finite numbers, not {answer!r:.80}.")
    return values
