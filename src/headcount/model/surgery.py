"""Surgery: closed heads leave the weights for good, in a copy. Closing them for a while is `gates`."""

import copy

import torch
from torch import nn

from headcount.core.heads import Layout, Row
from headcount.core.mask import HeadMask
from headcount.model.anatomy import Anatomy, Site, anatomy_of


def cut(model: nn.Module, mask: HeadMask, *, anatomy: Anatomy | None = None) -> nn.Module:
    """A copy of the model without the closed heads: same answers as with their gates closed, fewer weights."""
    anatomy = anatomy or anatomy_of(model)
    anatomy.layout.require(mask.layout, what="The mask")
    smaller = copy.deepcopy(model)
    keep_heads(smaller, kept_rows(mask))
    return smaller


def kept_rows(mask: HeadMask) -> Layout:
    """The layout that is left: every row with the heads that stay."""
    stays = {head for player, keep in zip(mask.layout.members, mask.keep, strict=True) if keep for head in player.heads}
    names = {str(head) for head in stays}
    rows = tuple(_kept_row(item, names) for item in mask.layout.rows)
    return Layout(rows)


def _kept_row(item: Row, names: set[str]) -> Row:
    heads = tuple(index for index in item.heads if f"{item.name}.{index}" in names)
    return Row(item.stack, item.layer, heads, len(heads), item.shared)


def keep_heads(model: nn.Module, layout: Layout) -> None:
    """Cut `model` itself down to the heads of `layout`, and let its config remember their names."""
    rows = {item.name: item for item in layout.rows}
    for site in anatomy_of(model).sites:
        kept = rows[site.row.name]
        if kept.heads != site.row.heads:
            _cut_site(model, site, [site.row.heads.index(index) for index in kept.heads])
    model.config.headcount_layout = layout.to_json()


def _cut_site(model: nn.Module, site: Site, places: list[int]) -> None:
    """Keep the rows of query, key and value and the columns of the projection that belong to `places`."""
    device = site.value.weight.device
    size = site.head_size
    lines = torch.tensor(
        [place * size + step for place in places for step in range(size)], dtype=torch.long, device=device
    )
    for part in (site.query, site.key, site.value):
        part.weight = _like(part.weight, part.weight.detach().index_select(0, lines))
        if part.bias is not None:
            part.bias = _like(part.bias, part.bias.detach().index_select(0, lines))
        part.out_features = len(lines)
    site.projection.weight = _like(site.projection.weight, site.projection.weight.detach().index_select(1, lines))
    site.projection.in_features = len(lines)
    attention = model.get_submodule(site.path)
    attention.num_attention_heads = len(places)
    attention.all_head_size = len(lines)


def _like(old: nn.Parameter, values: torch.Tensor) -> nn.Parameter:
    return nn.Parameter(values.contiguous(), requires_grad=old.requires_grad)


def silence(model: nn.Module, mask: HeadMask) -> None:
    """Zero the closed heads' columns of the output projection, in place: loads anywhere, same answers, no speed-up."""
    anatomy = anatomy_of(model)
    anatomy.layout.require(mask.layout, what="The mask")
    stays = {str(head) for item in kept_rows(mask).rows for head in _names(item)}
    with torch.no_grad():
        for site in anatomy.sites:
            for place, name in enumerate(_names(site.row)):
                if name not in stays:
                    site.projection.weight[:, place * site.head_size : (place + 1) * site.head_size] = 0


def _names(item: Row) -> list[str]:
    return [f"{item.name}.{index}" for index in item.heads]
