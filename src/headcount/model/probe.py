"""One forward pass, watched: which tensors of heads enter which projection. What they mean is `anatomy`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from headcount.core.errors import NotSupported

# How many products of attention are remembered until the projection comes that takes one of them.
_REMEMBERED = 6
_PRODUCTS = ("scaled_dot_product_attention", "matmul", "__matmul__", "bmm")


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Sighting:
    """A projection that took the heads of an attention product, side by side, in one call."""

    owner: str
    projection: str
    heads: int
    head_size: int
    queries: int
    keys: int


@dataclass(frozen=True, eq=False)
class _Product:
    """What an attention product gave: [rows, heads, queries, size], or [rows × heads, queries, size]."""

    output: Tensor
    keys: int
    owner: str


class _Products(TorchFunctionMode):
    """Remembers the last outputs of whatever can be an attention product, whichever kernel makes it."""

    def __init__(self, stack: list[str]) -> None:
        super().__init__()
        self.stack = stack
        self.last: list[_Product] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "")
        if name in _PRODUCTS and isinstance(output, Tensor) and output.ndim in (3, 4):
            named = kwargs or {}
            if name == "scaled_dot_product_attention":
                keys = (args[1] if len(args) > 1 else named["key"]).shape[-2]
            else:
                keys = (args[0] if args else named.get("input", output)).shape[-1]
            self.last = [*self.last, _Product(output, keys, self.stack[-1])][-_REMEMBERED:]
        return output


def watch(model: nn.Module, forward: Callable[[], Any]) -> list[Sighting]:
    """Every call of a projection whose input is exactly the heads of a product, in the order of the calls.

    Only the first call of the model counts, so that a layer that runs twice in it is a shared layer.
    """
    sightings: list[Sighting] = []
    stack = [""]
    products = _Products(stack)
    with ExitStack() as hooks, torch.no_grad():
        turn = _Turn()
        hooks.callback(model.register_forward_pre_hook(turn.begin).remove)
        hooks.callback(model.register_forward_hook(turn.end).remove)
        for path, module in model.named_modules():
            if path:
                hooks.enter_context(_named(module, path, stack))
            if _projects(module):

                def look(_module: nn.Module, arguments: Any, path: str = path) -> None:
                    found = _match(products.last, arguments, path) if turn.first else None
                    if found is not None:
                        sightings.append(found)
                        products.last.clear()

                hooks.callback(module.register_forward_pre_hook(look).remove)
        hooks.enter_context(products)
        forward()
    return sightings


class _Turn:
    """Whether the model's first call is on (or its parts are called without it)."""

    def __init__(self) -> None:
        self.first = True

    def begin(self, *_given: Any) -> None:
        """The model is called."""

    def end(self, *_given: Any) -> None:
        """The model's first call is over."""
        self.first = False


@contextmanager
def _named(module: nn.Module, path: str, stack: list[str]) -> Iterator[None]:
    """Keep the path of the innermost running module on top of the stack."""
    begin = module.register_forward_pre_hook(lambda *_given: stack.append(path))
    end = module.register_forward_hook(lambda *_given: stack.remove(path), always_call=True)
    try:
        yield
    finally:
        begin.remove()
        end.remove()


def _projects(module: nn.Module) -> bool:
    """Linear layers by shape, whatever their class: a matrix of weights and no parts of their own."""
    weight = getattr(module, "weight", None)
    return isinstance(weight, Tensor) and weight.ndim == 2 and not isinstance(module, nn.Embedding)


def _match(products: list[_Product], arguments: Any, path: str) -> Sighting | None:
    entering = arguments[0] if arguments else None
    if not isinstance(entering, Tensor) or entering.ndim not in (2, 3):
        return None
    for product in reversed(products):
        output = product.output
        rows = entering.shape[0] if entering.ndim == 3 else output.shape[0]
        if output.ndim == 3:
            if output.shape[0] % rows:
                continue
            output = output.reshape(rows, -1, *output.shape[1:])
        side_by_side = output.transpose(1, 2).flatten(2)
        fits = side_by_side.numel() == entering.numel() and side_by_side.shape[-1] == entering.shape[-1]
        if fits and torch.equal(side_by_side.reshape(entering.shape), entering):
            return Sighting(
                owner=product.owner,
                projection=path,
                heads=output.shape[1],
                head_size=output.shape[3],
                queries=output.shape[2],
                keys=product.keys,
            )
    return None


def plain_forward(model: nn.Module) -> Callable[[], Any]:
    """A small forward pass of a Transformers model, made from its config; texts of 6 pieces in, 5 out."""
    config, name = getattr(model, "config", None), getattr(model, "main_input_name", None)
    part = next(model.parameters(), None)
    if config is None or name is None or part is None:
        raise NotSupported(
            f"{type(model).__name__} is no Transformers model, so it is not known what to feed it: give a payoff "
            "that runs it, measure(model, worth=my_function)."
        )
    if name not in _SHAPES:
        raise NotSupported(f"{type(model).__name__} reads {name}, which cannot be made up: give a payoff that runs it.")
    source = torch.Generator().manual_seed(0)
    shape = _SHAPES[name](config)
    if shape is None:
        inputs = {name: _pieces(config, 6, source).to(part.device)}
    else:
        inputs = {name: torch.randn(shape, generator=source).to(device=part.device, dtype=part.dtype)}
    if getattr(config, "is_encoder_decoder", False):
        inputs["decoder_input_ids"] = _pieces(config, 5, source).to(part.device)
    return lambda: model(**inputs)


def _pieces(config: Any, length: int, source: torch.Generator) -> Tensor:
    """Two rows of random pieces, past the special ones that masks are made from."""
    vocabulary = config.get_text_config().vocab_size
    return torch.randint(min(5, vocabulary - 1), vocabulary, (2, length), generator=source)


def _image(config: Any) -> tuple[int, ...]:
    size = config.image_size
    height, width = (size, size) if isinstance(size, int) else size
    return 2, config.num_channels, height, width


# What a model's main input looks like, by its name; None: pieces of text.
_SHAPES: dict[str, Callable[[Any], tuple[int, ...] | None]] = {
    "input_ids": lambda config: None,
    "pixel_values": _image,
    "input_features": lambda config: (2, config.num_mel_bins, 2 * config.max_source_positions),
}
