"""Gates: multiply the output of single heads, reversibly. Cutting them out for good is `surgery`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn

from headcount.core.errors import BadInput, SeamBroken
from headcount.core.heads import Layout
from headcount.core.mask import HeadMask
from headcount.model.anatomy import Anatomy, Site, anatomy_of

Hook = Callable[[nn.Module, tuple[Any, ...]], tuple[Any, ...]]


# How many gates are around each model at this moment.
_gated_now: WeakKeyDictionary[nn.Module, int] = WeakKeyDictionary()


def is_gated(model: nn.Module) -> bool:
    """Whether gates are in place right now."""
    return _gated_now.get(model, 0) > 0


@contextmanager
def gated(model: nn.Module, gates: HeadMask | Tensor, *, anatomy: Anatomy | None = None) -> Iterator[nn.Module]:
    """Let each head speak only as loudly as its gate says; the model comes back as it was, also after an error.

    `gates` is a mask, or numbers [players] for all rows, or [rows, players] with one set for each row of the batch.
    """
    anatomy = anatomy or anatomy_of(model)
    per_head = gates_per_head(gates, layout=anatomy.layout)
    with ExitStack() as stack:
        _gated_now[model] = _gated_now.get(model, 0) + 1
        stack.callback(lambda: _gated_now.update({model: _gated_now[model] - 1}))
        for site, span in anatomy.spans():
            handle = site.projection.register_forward_pre_hook(_scale(site, per_head[..., span]))
            stack.callback(handle.remove)
        yield model


def gates_per_head(gates: HeadMask | Tensor, *, layout: Layout) -> Tensor:
    """Numbers per player → numbers per head in row order, checked."""
    if isinstance(gates, HeadMask):
        layout.require(gates.layout, what="The mask")
        gates = torch.from_numpy(np.array(gates.keep, dtype=np.float32))
    if not isinstance(gates, Tensor) or not gates.is_floating_point():
        found = gates.dtype if isinstance(gates, Tensor) else type(gates).__name__
        raise BadInput(f"Gates are a HeadMask or a tensor of floating-point numbers, not {found}.")
    if gates.ndim not in (1, 2) or gates.shape[-1] != len(layout):
        raise BadInput(
            f"Gates must have the shape [{len(layout)}] or [rows, {len(layout)}] ({layout.describe()}), "
            f"not {list(gates.shape)}."
        )
    if not torch.isfinite(gates).all():
        raise BadInput("Gates must be finite numbers.")
    if layout.players == "heads":
        return gates
    return gates[..., torch.as_tensor(layout.player_of_head, device=gates.device)]


def _scale(site: Site, gates: Tensor) -> Hook:
    """The hook of one site: gates are [heads] or [rows, heads]."""

    def hook(_module: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        entering = arguments[0]
        factors = gates.to(device=entering.device, dtype=entering.dtype)
        if factors.ndim == 2:
            factors = _match_rows(site, factors, rows=entering.shape[0])
            factors = factors.reshape(factors.shape[0], *([1] * (entering.ndim - 2)), -1, 1)
        else:
            factors = factors[:, None]
        heads = entering.reshape(*entering.shape[:-1], len(site.row.heads), site.head_size)
        return ((heads * factors).reshape(entering.shape), *arguments[1:])

    return hook


def _match_rows(site: Site, gates: Tensor, *, rows: int) -> Tensor:
    """Beams repeat every row of a batch a whole number of times; anything else is a mistake."""
    if rows % gates.shape[0]:
        raise BadInput(f"{site.path} sees {rows} rows, which {gates.shape[0]} rows of gates do not divide.")
    return gates.repeat_interleave(rows // gates.shape[0], dim=0)


@torch.no_grad()
def check_seam(model: nn.Module, forward: Callable[[], Any], *, anatomy: Anatomy) -> tuple[str, ...]:
    """Prove that the gates do what gates must; give the paths of sites that say nothing whatever their gates.

    `forward` runs the model once, always on the same input. All-ones must leave what leaves every projection bit-equal;
    random gates must change it, site by site, unless the site is dead (nothing enters, or the weights are zero).
    """
    bare = _leaving(forward, anatomy)
    with gated(model, torch.ones(len(anatomy.layout)), anatomy=anatomy):
        ones = _leaving(forward, anatomy)
    silent = []
    for place, site in enumerate(anatomy.sites):
        if site.path not in bare:
            raise SeamBroken(f"{site.path}: its output projection was never called; its heads cannot be gated there.")
        if not torch.equal(bare[site.path], ones[site.path]):
            raise SeamBroken(f"{site.path}: gates of one change its output; the model or its input is not repeatable.")
        if not site.row.heads:
            continue
        changed = _leaving_when_random(forward, anatomy, place)
        if torch.equal(bare[site.path], changed):
            if bool(site.projection.weight.any()) and _something_enters(forward, site):
                raise SeamBroken(f"{site.path}: random gates do not change what leaves its output projection.")
            silent.append(site.path)
    return tuple(silent)


def _leaving_when_random(forward: Callable[[], Any], anatomy: Anatomy, place: int) -> Tensor:
    """What leaves one site when its own gates are random and all others open."""
    site = anatomy.sites[place]
    source = torch.Generator().manual_seed(0)
    random = 0.1 + 0.8 * torch.rand(len(site.row.heads), generator=source)
    handle = site.projection.register_forward_pre_hook(_scale(site, random))
    try:
        return _leaving(forward, anatomy)[site.path]
    finally:
        handle.remove()


def _leaving(forward: Callable[[], Any], anatomy: Anatomy) -> dict[str, Tensor]:
    """Run once and keep what left each projection at its first call."""
    seen: dict[str, Tensor] = {}
    with ExitStack() as stack:
        for site in anatomy.sites:

            def keep(_module: nn.Module, _arguments: Any, output: Tensor, path: str = site.path) -> None:
                seen.setdefault(path, output.detach().clone())

            stack.callback(site.projection.register_forward_hook(keep).remove)
        forward()
    return seen


def _something_enters(forward: Callable[[], Any], site: Site) -> bool:
    entered: list[bool] = []
    handle = site.projection.register_forward_pre_hook(
        lambda _module, arguments: entered.append(bool(arguments[0].any()))
    )
    try:
        forward()
    finally:
        handle.remove()
    return any(entered)
