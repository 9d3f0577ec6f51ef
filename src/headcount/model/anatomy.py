"""Where the heads of a model are, found by structure and checked. Opening and closing them is `gates` and `surgery`."""

import re
from dataclasses import dataclass, replace
from typing import final

from torch import nn

from headcount.core.errors import NotSupported
from headcount.core.heads import Layout, Row, row

SUPPORTED = "BERT and RoBERTa types (BERT, RoBERTa, XLM-R, CamemBERT, ELECTRA) as encoders"


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Site:
    """One attention block: its heads lie side by side in the input of `projection`."""

    row: Row
    path: str
    query: nn.Linear
    key: nn.Linear
    value: nn.Linear
    projection: nn.Linear
    head_size: int

    @property
    def parameters_per_head(self) -> int:
        """Weights and biases that leave when one head is cut; the projection's bias stays."""
        inward = sum(part.in_features + (part.bias is not None) for part in (self.query, self.key, self.value))
        return self.head_size * (inward + self.projection.out_features)


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Anatomy:
    """All sites of a model and the layout they make; `layout` may count heads in other units."""

    family: str
    sites: tuple[Site, ...]
    layout: Layout


def anatomy_of(model: nn.Module, *, players: str = "heads") -> Anatomy:
    """Find every attention site; a model whose heads cannot be found exactly is refused."""
    sites = [_site(model, path) for path in _attention_paths(model)]
    if not sites:
        raise NotSupported(
            f"No attention site was found in {type(model).__name__}. This version knows {SUPPORTED}; "
            "`headcount inspect MODEL` tells what a model is."
        )
    sites = _with_kept_heads(model, sites)
    layout = Layout(tuple(site.row for site in sites), players)
    family = getattr(getattr(model, "config", None), "model_type", "") or type(model).__name__
    return Anatomy(family=family, sites=tuple(sites), layout=layout)


def _attention_paths(model: nn.Module) -> list[str]:
    """Paths of modules that hold query, key and value: the shape of attention in the BERT types."""
    return [
        path
        for path, module in model.named_modules()
        if all(isinstance(getattr(module, name, None), nn.Linear) for name in ("query", "key", "value"))
    ]


def _site(model: nn.Module, path: str) -> Site:
    attention = model.get_submodule(path)
    parent = model.get_submodule(path.rpartition(".")[0])
    projection = getattr(getattr(parent, "output", None), "dense", None)
    size = getattr(attention, "attention_head_size", None)
    numbers = re.findall(r"(?<=\.)\d+(?=\.)", f".{path}.")
    if not isinstance(projection, nn.Linear) or not isinstance(size, int) or not numbers:
        raise NotSupported(f"{path} looks like attention but not like any this version knows ({SUPPORTED}).")
    if getattr(attention, "is_decoder", False) or "cross" in path.lower():
        raise NotSupported(f"{path} belongs to a decoder; this version knows {SUPPORTED}.")
    query, key, value = attention.query, attention.key, attention.value
    if projection.in_features != value.out_features or value.out_features % size:
        raise NotSupported(
            f"{path}: the output projection takes {projection.in_features} values, "
            f"the heads of size {size} give {value.out_features}."
        )
    return Site(
        row=row("encoder", int(numbers[-1]), value.out_features // size),
        path=path,
        query=query,
        key=key,
        value=value,
        projection=projection,
        head_size=size,
    )


def _with_kept_heads(model: nn.Module, sites: list[Site]) -> list[Site]:
    """A cut model remembers in its config which heads it kept, so that they keep their names."""
    plan = getattr(getattr(model, "config", None), "headcount_layout", None)
    if plan is None:
        return sites
    rows = {item.name: item for item in Layout.from_json(plan).rows}
    named = []
    for site in sites:
        kept = rows.get(site.row.name)
        if kept is None or len(kept.heads) != len(site.row.heads):
            raise NotSupported(f"{site.path} has {len(site.row.heads)} heads, but the model's own plan says {kept}.")
        named.append(replace(site, row=kept))
    return named
