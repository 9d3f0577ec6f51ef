"""Where the heads of a model are: from what a forward pass showed to sites and a layout. Watching is `probe`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final
from weakref import WeakKeyDictionary

from torch import nn
from transformers.pytorch_utils import Conv1D

from headcount.core.errors import NotSupported
from headcount.core.heads import STACKS, Layout, Row, row
from headcount.model.probe import Sighting, plain_forward, watch

# Names of the three projections inside an attention module: needed for cutting alone, gates do without.
_PARTS = (
    ("query", "key", "value"),
    ("q_proj", "k_proj", "v_proj"),
    ("q_lin", "k_lin", "v_lin"),
    ("query_proj", "key_proj", "value_proj"),
    ("q", "k", "v"),
)
# One layer that makes all three, and how its outputs lie: all queries, all keys, all values; or head by head.
_FUSED = {"Wqkv": "in turn", "c_attn": "in turn", "qkv_proj": "in turn", "query_key_value": "by head"}
_CROSS = re.compile(r"cross|encoder_attn|EncDec", re.IGNORECASE)
# What a forward pass showed of each model, as names and numbers: it is watched once per object.
_seen: WeakKeyDictionary[nn.Module, tuple[Sighting, ...]] = WeakKeyDictionary()


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Site:
    """One attention block: its heads lie side by side in the input of `projection`.

    `rows` are several where layers share the block (ALBERT). `parts` are query, key and value where they are linear
    layers of their own; `fused` is the one layer that makes all three, with the order of its outputs.
    """

    rows: tuple[Row, ...]
    path: str
    owner: nn.Module
    projection: nn.Module
    parts: tuple[nn.Linear, nn.Linear, nn.Linear] | None
    fused: tuple[nn.Module, str] | None
    head_size: int

    @property
    def row(self) -> Row:
        """The row that owns the weights."""
        return self.rows[0]

    @property
    def query(self) -> nn.Linear:
        """The linear layer that makes the queries."""
        return self.linear_parts()[0]

    @property
    def key(self) -> nn.Linear:
        """The linear layer that makes the keys."""
        return self.linear_parts()[1]

    @property
    def value(self) -> nn.Linear:
        """The linear layer that makes the values."""
        return self.linear_parts()[2]

    def linear_parts(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        """Query, key and value, or a named error where they are fused or of another kind."""
        if self.parts is None:
            raise NotSupported(
                f"{self.path} makes queries, keys and values in a way this version cannot slice: its heads can be "
                "gated and measured, but not cut."
            )
        return self.parts

    @property
    def parameters_per_head(self) -> int | None:
        """Weights and biases that leave with one head and its share of keys; None where they cannot be told."""
        layers: tuple[nn.Module, ...] = self.parts or (self.fused[:1] if self.fused else ())
        if not layers or not self.row.heads:
            return None
        inward = sum(values.numel() for layer in layers for values in layer.parameters(recurse=False))
        return (inward + self.projection.weight.numel()) // len(self.row.heads)


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Anatomy:
    """All sites of a model and the layout they make; `layout` may count heads in other units."""

    family: str
    sites: tuple[Site, ...]
    layout: Layout

    def spans(self) -> list[tuple[Site, slice]]:
        """Each site with the place of its heads among all heads in row order."""
        starts, start = {}, 0
        for item in self.layout.rows:
            starts[item.name] = start
            start += len(item.heads)
        return [
            (site, slice(starts[site.row.name], starts[site.row.name] + len(site.row.heads))) for site in self.sites
        ]


def anatomy_of(model: nn.Module, *, players: str | None = None, forward: Callable[[], Any] | None = None) -> Anatomy:
    """Find every attention site by watching one forward pass; a model whose heads are not found is refused.

    `forward` runs the model once; without it a small input is made up from the model's config. Where layers share
    their weights the players are the shared heads, else the heads.
    """
    sightings = _seen.get(model) or tuple(watch(model, forward or plain_forward(model)))
    if not sightings:
        raise NotSupported(
            f"No attention was seen in a forward pass of {type(model).__name__}: no projection took the heads of an "
            "attention product, side by side."
        )
    _seen[model] = sightings
    sites = _sites(model, sightings)
    shared = any(len(site.rows) > 1 for site in sites)
    if shared and players == "heads":
        raise NotSupported(f"The layers of {type(model).__name__} share their heads: count players='shared'.")
    order = [item for stack in STACKS for site in sites for item in site.rows if item.stack == stack]
    order.sort(key=lambda item: (STACKS.index(item.stack), item.layer))
    layout = Layout(tuple(order), players or ("shared" if shared else "heads"))
    family = getattr(getattr(model, "config", None), "model_type", "") or type(model).__name__
    return Anatomy(family=family, sites=tuple(sites), layout=layout)


def inherit(model: nn.Module, copied: nn.Module) -> None:
    """An exact copy has the same heads in the same places: it need not be watched again."""
    if model in _seen:
        _seen[copied] = _seen[model]


def forget(model: nn.Module) -> None:
    """The model was changed: watch it again when it is next asked about."""
    _seen.pop(model, None)


def _sites(model: nn.Module, sightings: Sequence[Sighting]) -> list[Site]:
    by_projection: dict[str, list[Sighting]] = {}
    for item in sightings:
        by_projection.setdefault(item.projection, []).append(item)
    first = [calls[0] for calls in by_projection.values()]
    stacks = [_stack(model, item) for item in first]
    layers = _layers(sightings, {item.projection: stack for item, stack in zip(first, stacks, strict=True)})
    plan = _plan(model)
    sites = []
    for item, stack in zip(first, stacks, strict=True):
        owner = model.get_submodule(item.owner)
        parts = _parts(owner)
        groups = item.heads
        if parts is not None and parts[1].out_features < parts[0].out_features:
            groups = parts[1].out_features // item.head_size
        elif isinstance(share := getattr(owner, "num_key_value_groups", 1), int) and share > 1:
            groups = item.heads // share
        numbers = layers[item.projection]
        owned = f"{stack}.{numbers[0]}"
        rows = tuple(_row(plan, item, stack, number, groups=groups, shared=owned) for number in numbers)
        sites.append(
            Site(
                rows=rows,
                path=item.owner or item.projection,
                owner=owner,
                projection=model.get_submodule(item.projection),
                parts=parts,
                fused=None if parts is not None else _fused(owner),
                head_size=item.head_size,
            )
        )
    return sites


def _stack(model: nn.Module, item: Sighting) -> str:
    """Cross attention looks at another text; a decoder looks back only."""
    if item.queries != item.keys or _CROSS.search(item.owner):
        return "cross"
    if getattr(getattr(model, "config", None), "is_encoder_decoder", False):
        return "decoder" if "decoder" in item.owner.split(".") else "encoder"
    owner = model.get_submodule(item.owner)
    return "decoder" if getattr(owner, "is_causal", False) or getattr(owner, "is_decoder", False) else "encoder"


def _layers(sightings: Sequence[Sighting], stacks: dict[str, str]) -> dict[str, list[int]]:
    """Layer numbers of every projection's calls: the number in its path where that tells all apart, else the order."""
    numbers: dict[str, list[int]] = {}
    for stack in STACKS:
        calls = [item.projection for item in sightings if stacks[item.projection] == stack]
        told = [int(found[0]) if (found := re.search(r"(?<=\.)\d+(?=\.)", f".{path}.")) else -1 for path in calls]
        rising = told == sorted(set(told)) and -1 not in told
        for place, (path, number) in enumerate(zip(calls, told, strict=True)):
            numbers.setdefault(path, []).append(number if rising else place)
    return numbers


def _parts(owner: nn.Module) -> tuple[nn.Linear, nn.Linear, nn.Linear] | None:
    for names in _PARTS:
        query, key, value = (getattr(owner, name, None) for name in names)
        if isinstance(query, nn.Linear) and isinstance(key, nn.Linear) and isinstance(value, nn.Linear):
            return query, key, value
    return None


def _fused(owner: nn.Module) -> tuple[nn.Module, str] | None:
    for name, order in _FUSED.items():
        layer = getattr(owner, name, None)
        if isinstance(layer, nn.Linear | Conv1D):
            return layer, order
    return None


def _plan(model: nn.Module) -> dict[str, Row]:
    """A cut model remembers in its config which heads it kept, so that they keep their names."""
    plan = getattr(getattr(model, "config", None), "headcount_layout", None)
    return {} if plan is None else {item.name: item for item in Layout.from_json(plan).rows}


def _row(plan: dict[str, Row], item: Sighting, stack: str, layer: int, *, groups: int, shared: str) -> Row:
    kept = plan.get(f"{stack}.{layer}")
    if plan and (kept is None or len(kept.heads) != item.heads):
        raise NotSupported(f"{item.owner} has {item.heads} heads, but the model's own plan says {kept}.")
    return row(stack, layer, kept.heads if kept else item.heads, groups=groups, shared=shared)
