"""Surgery: closed heads leave the weights for good, in a copy. Closing them for a while is `gates`."""

import copy
from typing import Any

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from headcount.core.errors import BadInput, NotSupported, SeamBroken
from headcount.core.heads import Layout, Row
from headcount.core.mask import HeadMask
from headcount.model.anatomy import Anatomy, Site, anatomy_of, forget, inherit
from headcount.model.gates import gated, is_gated
from headcount.model.probe import plain_forward

# Attributes in which attention modules keep how many heads they have; what is there is kept true.
_COUNTS = ("num_attention_heads", "num_heads", "n_heads")
_WIDTHS = ("all_head_size", "inner_dim", "split_size")
# Further weights by head that this version does not slice: relative positions of T5, DeBERTa and their like.
_ALSO_BY_HEAD = ("relative_attention_bias", "has_relative_attention_bias", "pos_key_proj", "pos_query_proj", "pos_proj")
# How far a cut model may be from the gated one, relative to its largest answer: sums in another order.
_TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 5e-2}


def cut(model: nn.Module, mask: HeadMask, *, anatomy: Anatomy | None = None) -> nn.Module:
    """A copy of the model without the closed heads: same answers as with their gates closed, fewer weights.

    The copy proves itself on a small input before it is handed out.
    """
    anatomy = anatomy or anatomy_of(model)
    anatomy.layout.require(mask.layout, what="The mask")
    if is_gated(model):
        raise BadInput("The model is gated now, and its copy would be too: cut it after the `with` has ended.")
    smaller = copy.deepcopy(model)
    inherit(model, smaller)
    keep_heads(smaller, kept_rows(mask))
    _prove(model, smaller, mask, anatomy=anatomy)
    return smaller


def kept_rows(mask: HeadMask) -> Layout:
    """The layout that is left: every row with the heads that stay."""
    stays = {head for player, keep in zip(mask.layout.members, mask.keep, strict=True) if keep for head in player.heads}
    names = {str(head) for head in stays}
    rows = tuple(_kept_row(item, names) for item in mask.layout.rows)
    return Layout(rows, "shared" if mask.layout.players == "shared" else "heads")


def _kept_row(item: Row, names: set[str]) -> Row:
    heads = tuple(index for index in item.heads if f"{item.name}.{index}" in names)
    if item.groups == len(item.heads):
        return Row(item.stack, item.layer, heads, len(heads), item.shared)
    size = len(item.heads) // item.groups
    groups = [item.heads[start : start + size] for start in range(0, len(item.heads), size)]
    whole = [group for group in groups if set(group) <= set(heads)]
    if sum(len(group) for group in whole) != len(heads):
        raise NotSupported(
            f"The heads of {item.name} share {item.groups} keys by groups of {size}; this version cuts whole groups "
            "only. Measure and prune key groups, or keep the mask as gates."
        )
    return Row(item.stack, item.layer, heads, len(whole), item.shared)


def keep_heads(model: nn.Module, layout: Layout) -> None:
    """Cut `model` itself down to the heads of `layout`, and let its config remember their names."""
    rows = {item.name: item for item in layout.rows}
    sites = anatomy_of(model).sites
    for site in sites:
        kept = rows.get(site.row.name)
        if kept is None or not set(kept.heads) <= set(site.row.heads):
            raise BadInput(f"The plan keeps heads of {site.row.name} that this model does not have: {kept}.")
    changed = [site for site in sites if rows[site.row.name].heads != site.row.heads]
    for site in changed:
        _require_sliceable(site)
    for site in changed:
        _cut_site(site, [site.row.heads.index(index) for index in rows[site.row.name].heads])
    model.config.headcount_layout = layout.to_json()
    forget(model)


def _require_sliceable(site: Site) -> None:
    if site.fused is None:
        site.linear_parts()
    for name in _ALSO_BY_HEAD:
        found = getattr(site.owner, name, None)
        if found is not None and found is not False:
            raise NotSupported(
                f"{site.path} keeps {name} by head, which this version cannot slice: its heads can be gated and "
                "measured, but not cut."
            )
    if not isinstance(site.projection, nn.Linear | Conv1D):
        raise NotSupported(f"{site.path} ends in a {type(site.projection).__name__}, which this version cannot slice.")


def _cut_site(site: Site, places: list[int]) -> None:
    """Keep the outputs of query, key and value and the inputs of the projection that belong to `places`."""
    size, heads = site.head_size, len(site.row.heads)
    share = heads // site.row.groups
    groups = [place // share for place in places[::share]]
    if site.fused is not None:
        layer, order = site.fused
        if order == "by head":
            lines = _lines(places, 3 * size)
        else:
            keys, values = heads * size, (heads + site.row.groups) * size
            lines = [*_lines(places, size), *(keys + line for line in _lines(groups, size))]
            lines += [values + line for line in _lines(groups, size)]
        _keep_outputs(layer, lines)
    else:
        for part, kept in zip(site.linear_parts(), (places, groups, groups), strict=True):
            _keep_outputs(part, _lines(kept, size))
    _keep_inputs(site.projection, _lines(places, size))
    width = len(places) * size
    for names, number in ((_COUNTS, len(places)), (_WIDTHS, width), (("num_key_value_heads",), len(groups))):
        for name in names:
            if isinstance(getattr(site.owner, name, None), int):
                setattr(site.owner, name, number)


def _lines(places: list[int], size: int) -> list[int]:
    return [place * size + step for place in places for step in range(size)]


def _keep_outputs(layer: Any, lines: list[int]) -> None:
    """Outputs are the rows of a Linear's weight and the columns of GPT-2's Conv1D."""
    transposed = isinstance(layer, Conv1D)
    layer.weight = _kept(layer.weight, lines, axis=1 if transposed else 0)
    if layer.bias is not None:
        layer.bias = _kept(layer.bias, lines, axis=0)
    setattr(layer, "nf" if transposed else "out_features", len(lines))


def _keep_inputs(layer: Any, lines: list[int]) -> None:
    transposed = isinstance(layer, Conv1D)
    layer.weight = _kept(layer.weight, lines, axis=0 if transposed else 1)
    setattr(layer, "nx" if transposed else "in_features", len(lines))


def _kept(old: nn.Parameter, lines: list[int], *, axis: int) -> nn.Parameter:
    where = torch.tensor(lines, dtype=torch.long, device=old.device)
    return nn.Parameter(old.detach().index_select(axis, where).contiguous(), requires_grad=old.requires_grad)


@torch.no_grad()
def _prove(model: nn.Module, smaller: nn.Module, mask: HeadMask, *, anatomy: Anatomy) -> None:
    """Cut must be gated, to rounding: a family that keeps something else by head is found out here."""
    was_training = model.training, smaller.training
    model.eval(), smaller.eval()
    try:
        with gated(model, mask, anatomy=anatomy):
            wanted = _answer(plain_forward(model)())
        try:
            found = _answer(plain_forward(smaller)())
        except (RuntimeError, ValueError) as problem:
            raise NotSupported(
                f"A {type(model).__name__} does not run with fewer heads ({problem}): its heads can be gated and "
                "measured, but not cut."
            ) from problem
    finally:
        model.train(was_training[0]), smaller.train(was_training[1])
    limit = _TOLERANCE[wanted.dtype] * max(1.0, float(wanted.abs().max()))
    if wanted.shape != found.shape or not float((wanted - found).abs().max()) <= limit:
        raise SeamBroken(
            f"Cutting {type(model).__name__} did not give the answers of its closed gates; nothing was cut. "
            "Keep the mask as gates."
        )


def _answer(output: Any) -> Tensor:
    """The first tensor of a model's output: logits, or the last states."""
    return output[0] if not isinstance(output, Tensor) else output


def silence(model: nn.Module, mask: HeadMask) -> None:
    """Zero the closed heads' columns of the output projection, in place: loads anywhere, same answers, no speed-up."""
    anatomy = anatomy_of(model)
    anatomy.layout.require(mask.layout, what="The mask")
    stays = {str(head) for item in kept_rows(mask).rows for head in _names(item)}
    with torch.no_grad():
        for site in anatomy.sites:
            for place, name in enumerate(_names(site.row)):
                if name not in stays:
                    columns = slice(place * site.head_size, (place + 1) * site.head_size)
                    site.projection.weight[_by_input(site, columns)] = 0


def _by_input(site: Site, columns: slice) -> tuple[slice, ...]:
    """Where inputs lie in a projection's weight: second in Linear, first in the transposed Conv1D of GPT-2."""
    return (slice(None), columns) if isinstance(site.projection, nn.Linear) else (columns,)


def _names(item: Row) -> list[str]:
    return [f"{item.name}.{index}" for index in item.heads]
