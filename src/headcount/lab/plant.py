"""Planting: heads whose truth is known, by surgery on the weights. Whether it is true is checked by `truth`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from headcount.core.errors import BadInput
from headcount.core.heads import Head
from headcount.data.batches import IGNORED, Batch
from headcount.model.anatomy import Site, anatomy_of

# Dimensions of the embedding that carry nothing but position, so that a head can read it undisturbed.
CODE = 16
# Seven angles whose sum of cosines is 7 at distance 0 and at most 2.25 at distances 1 … 59 (tests/lab/test_plant.py).
ANGLES = (0.28, 0.63, 1.03, 1.42, 1.5, 1.57, 2.26)
_NEXT_BEST = 2.25
# The dimension after them says whether a piece belongs to the marked language alone, as language embeddings do in XLM.
MARK = CODE
_MARKED = 0.3
_AMPLITUDE = 0.12
# Gap between the attention score of the right place and of the next best one, before training.
_GAP = 40.0


@final
@dataclass(frozen=True, kw_only=True)
class PositionalPlan:
    """A head of the first layer that shall look `offset` pieces away."""

    head: Head
    offset: int


def site_of(model: nn.Module, head: Head) -> tuple[Site, int]:
    """The site of a head and its place among the site's heads."""
    for site in anatomy_of(model).sites:
        if (site.row.stack, site.row.layer) == (head.stack, head.layer) and head.index in site.row.heads:
            return site, site.row.heads.index(head.index)
    raise BadInput(f"This model has no head {head}.")


def lines_of(site: Site, place: int) -> slice:
    """The rows of query, key and value, and the columns of the projection, that are one head's."""
    return slice(place * site.head_size, (place + 1) * site.head_size)


@contextmanager
def install(model: Any, plan: PositionalPlan, *, marked: Sequence[int] = ()) -> Iterator[None]:
    """Write queries and keys that find a fixed offset, mark pieces, and hold both while the rest is trained.

    Position is kept as pairs (cos, sin) in dimensions of its own; a rotation of the query by one step makes the score
    of places i and j depend on j − i − offset alone, with its peak at 0.
    """
    site, place = site_of(model, plan.head)
    lines = lines_of(site, place)
    if plan.head.layer != 0 or site.head_size < 2 * len(ANGLES):
        raise BadInput(f"A positional head is planted in the first layer with at least {2 * len(ANGLES)} dimensions.")
    embeddings = model.base_model.embeddings
    basis = _basis()
    with torch.no_grad():
        tables = (embeddings.word_embeddings, embeddings.position_embeddings, embeddings.token_type_embeddings)
        for table in tables:
            table.weight[:, : MARK + 1] = 0
        embeddings.word_embeddings.weight[list(marked), MARK] = _MARKED
        embeddings.position_embeddings.weight[:] = 0
        count = embeddings.position_embeddings.weight.shape[0]
        code = torch.stack([_position(step) for step in range(count)]) * _AMPLITUDE
        embeddings.position_embeddings.weight[:, :CODE] = code @ basis.T
        scale = _sharpness(site, spread=float(embeddings.word_embeddings.weight.std()), width=basis.shape[0])
        for part, turn in ((site.query, _rotation(plan.offset)), (site.key, torch.eye(2 * len(ANGLES)))):
            part.weight[lines] = 0
            part.bias[lines] = 0
            part.weight[lines.start : lines.start + 2 * len(ANGLES), :CODE] = scale * turn @ basis.T
    with ExitStack() as stack:
        frozen = [(table.weight, (slice(None), slice(0, MARK + 1))) for table in tables]
        frozen += [(part, (slice(0, MARK + 1),)) for part in (embeddings.LayerNorm.weight, embeddings.LayerNorm.bias)]
        frozen += [(part, (lines,)) for linear in (site.query, site.key) for part in (linear.weight, linear.bias)]
        frozen.append((embeddings.position_embeddings.weight, (slice(None),)))
        for parameter, where in frozen:
            stack.callback(parameter.register_hook(_without(where)).remove)
        yield


def _sharpness(site: Site, *, spread: float, width: int) -> float:
    """The weight at which the right place leads by the gap, as layer norm passes the code on before training."""
    size = site.query.in_features
    length = ((spread**2 * (size - width) + _AMPLITUDE**2 * len(ANGLES)) / size) ** 0.5
    lead = (len(ANGLES) - _NEXT_BEST) / site.head_size**0.5
    return float((_GAP / lead) ** 0.5 * length / _AMPLITUDE)


def _without(where: tuple[slice, ...]) -> Callable[[Tensor], Tensor]:
    """A gradient hook that keeps some weights as they are (Adam leaves what has no gradient)."""

    def hook(gradient: Tensor) -> Tensor:
        held = gradient.clone()
        held[where] = 0
        return held

    return hook


def _position(step: int) -> Tensor:
    turns = torch.tensor(ANGLES) * step
    return torch.stack([turns.cos(), turns.sin()], dim=-1).flatten()


def _rotation(offset: int) -> Tensor:
    """Turns the code of place i into the code of place i + offset."""
    blocks = []
    for angle in ANGLES:
        cosine, sine = float(np.cos(angle * offset)), float(np.sin(angle * offset))
        blocks.append(torch.tensor([[cosine, -sine], [sine, cosine]]))
    return torch.block_diag(*blocks)


def _basis() -> Tensor:
    """Orthonormal columns, all orthogonal to the ones vector: what layer norm subtracts is then not seen."""
    start = torch.ones(CODE, 1)
    random = torch.randn(CODE, CODE - 1, generator=torch.Generator().manual_seed(7))
    columns, _ = torch.linalg.qr(torch.cat([start, random], dim=1))
    return columns[:, 1 : 1 + 2 * len(ANGLES)]


@torch.no_grad()
def plant_dead(model: nn.Module, head: Head) -> None:
    """Nothing that the head says reaches the model: its columns of the output projection are zero."""
    site, place = site_of(model, head)
    site.projection.weight[:, lines_of(site, place)] = 0


def plant_harmful(
    model: nn.Module,
    head: Head,
    *,
    victim: Sequence[Batch],
    others: Sequence[Batch],
    accuracy: Callable[[], float],
    drop: float,
) -> float:
    """Overwrite a head so that it speaks in one language only, and says what raises the loss there; its strength.

    It attends evenly, knows the language of a sentence by a linear reading of the mean of its states, and adds the
    direction of the mean loss gradient. `accuracy()` is the victim's; the strength is searched until it lost `drop`.
    """
    site, place = site_of(model, head)
    lines = lines_of(site, place)
    reading, threshold = _tell_apart(*(_sentence_means(model, site, part) for part in (victim, others)))
    direction = _uphill(model, site, victim)
    start = accuracy()
    with torch.no_grad():
        for part in (site.query, site.key, site.value):
            part.weight[lines] = 0
            part.bias[lines] = 0
        site.value.weight[lines.start] = reading
        site.value.bias[lines.start] = threshold
    strength = _search(lambda size: _speak(site, lines, direction * size), accuracy, target=start - drop)
    _speak(site, lines, direction * strength)
    return strength


@torch.no_grad()
def _speak(site: Site, lines: slice, direction: Tensor) -> None:
    site.projection.weight[:, lines] = 0
    site.projection.weight[:, lines.start] = direction


def _search(apply: Callable[[float], None], accuracy: Callable[[], float], *, target: float) -> float:
    """The smallest strength at which accuracy falls to the target: doubled until it does, then the gap halved."""
    low, high = 0.0, 1.0
    for _ in range(12):
        apply(high)
        if accuracy() <= target:
            break
        low, high = high, 2 * high
    else:
        raise BadInput("No strength of this head does the harm that was asked for.")
    for _ in range(5):
        middle = (low + high) / 2
        apply(middle)
        low, high = (low, middle) if accuracy() <= target else (middle, high)
    return high


@torch.no_grad()
def _sentence_means(model: nn.Module, site: Site, batches: Sequence[Batch]) -> Tensor:
    """Mean state that enters a site, per row: what an evenly attending head sees of a sentence."""
    seen: list[Tensor] = []
    handle = site.value.register_forward_pre_hook(lambda _module, arguments: seen.append(arguments[0]))
    try:
        means = []
        for batch in batches:
            model(**batch.inputs)
            weights = batch.attention_mask[..., None].to(seen[-1].dtype)
            means.append((seen[-1] * weights).sum(1) / weights.sum(1))
            seen.clear()
    finally:
        handle.remove()
    return torch.cat(means)


def _tell_apart(victim: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    """Ridge regression of 1 for the victim's sentences and 0 for the others'."""
    states = torch.cat([victim, others]).double()
    wanted = torch.cat([torch.ones(len(victim)), torch.zeros(len(others))]).double()
    design = torch.cat([states, torch.ones(len(states), 1, dtype=torch.float64)], dim=1)
    gram = design.T @ design + 1e-3 * torch.eye(design.shape[1], dtype=torch.float64)
    solution = torch.linalg.solve(gram, design.T @ wanted).float()
    return solution[:-1], solution[-1]


def _uphill(model: nn.Module, site: Site, batches: Sequence[Batch]) -> Tensor:
    """Unit direction at a site's output in which the mean loss rises fastest."""
    nudge = torch.zeros(site.projection.out_features, requires_grad=True)
    handle = site.projection.register_forward_hook(lambda _module, _arguments, output: output + nudge)
    total = torch.zeros_like(nudge)
    try:
        for batch in batches:
            logits = model(**batch.inputs).logits
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORED)
            total += torch.autograd.grad(loss, nudge)[0]
    finally:
        handle.remove()
    return (total / total.norm()).detach()


@torch.no_grad()
def share_at_offset(model: Any, plan: PositionalPlan, batches: Sequence[Batch]) -> float:
    """Share of pieces whose strongest attention in this head lies exactly at the offset, where there is a piece."""
    site, place = site_of(model, plan.head)
    lines = lines_of(site, place)
    entered: list[Tensor] = []
    handle = site.query.register_forward_pre_hook(lambda _module, arguments: entered.append(arguments[0]))
    hits = count = 0
    try:
        for batch in batches:
            model(**batch.inputs)
            states = entered.pop()
            scores = site.query(states)[..., lines] @ site.key(states)[..., lines].transpose(-1, -2)
            entered.clear()
            real = batch.attention_mask.bool()
            found = scores.masked_fill(~real[:, None, :], -torch.inf).argmax(-1)
            wanted = torch.arange(found.shape[-1], device=found.device) + plan.offset
            exists = real & (wanted >= 0) & (wanted < real.sum(-1, keepdim=True))
            hits += int(((found == wanted) & exists).sum())
            count += int(exists.sum())
    finally:
        handle.remove()
    return hits / count
