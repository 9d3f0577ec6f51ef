"""Head and Layout: how attention heads are named and ordered. What is known about them is `scores` and `mask`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt

from headcount.core.documents import fields
from headcount.core.errors import BadInput, LayoutMismatch, UnknownName, suggestion
from headcount.core.signature import stable_key

STACKS = ("encoder", "decoder", "cross")
PLAYERS = ("heads", "groups", "shared", "layers")
# One name per head: no leading zeros, no digits of other scripts.
_HEAD_NAME = re.compile(r"(encoder|decoder|cross)\.(0|[1-9][0-9]{0,4})\.(0|[1-9][0-9]{0,4})")
_MOST = 99_999  # layers or heads; a damaged number must not eat the memory


@final
@dataclass(frozen=True)
class Head:
    """One attention head, counted from 0 and written `encoder.3.7`; heads sort in layout order."""

    stack: str
    layer: int
    index: int

    @classmethod
    def parse(cls, name: str) -> "Head":
        """Read `encoder.3.7`; layers and heads count from 0."""
        match = _HEAD_NAME.fullmatch(name)
        if match is None:
            raise UnknownName(f"{name!r} is no head. Heads are written stack.layer.head from 0, as in encoder.3.7.")
        return cls(match[1], int(match[2]), int(match[3]))

    @property
    def prose(self) -> str:
        """For pages and sentences, counted from 1: 'layer 4, head 8 (encoder.3.7)'."""
        stack = "" if self.stack == "encoder" else f"{self.stack} "
        return f"{stack}layer {self.layer + 1}, head {self.index + 1} ({self})"

    def __lt__(self, other: "Head") -> bool:
        return (STACKS.index(self.stack), self.layer, self.index) < (
            STACKS.index(other.stack),
            other.layer,
            other.index,
        )

    def __str__(self) -> str:
        return f"{self.stack}.{self.layer}.{self.index}"


@final
@dataclass(frozen=True)
class Row:
    """The heads of one attention site in one layer.

    `heads` holds the indices the heads had in the full model, so that a cut model keeps their names; `groups` is the
    number of key groups; `shared` names the row that owns the weights where layers share them (ALBERT).
    """

    stack: str
    layer: int
    heads: tuple[int, ...]
    groups: int
    shared: str

    @property
    def name(self) -> str:
        """`encoder.3`."""
        return f"{self.stack}.{self.layer}"


def row(stack: str, layer: int, heads: int | Sequence[int], *, groups: int | None = None, shared: str = "") -> Row:
    """A row of a layout; `heads` as a number means all of 0 … heads − 1, no `groups` means one key per head."""
    if stack not in STACKS:
        raise UnknownName(f"No stack is called {stack!r}.{suggestion(stack, STACKS)} Known: {', '.join(STACKS)}.")
    _require_numbers(stack, layer, heads, groups)
    if not isinstance(shared, str):
        raise BadInput(f"{stack}.{layer} shares its heads with a row by name, not {shared!r}.")
    indices = tuple(range(heads)) if isinstance(heads, int) else tuple(heads)
    if list(indices) != sorted(set(indices)):
        raise BadInput(f"Heads of {stack}.{layer} must rise without repeats, not {indices}.")
    count = len(indices) if groups is None else groups
    if count if not indices else count < 1 or len(indices) % count:
        raise BadInput(f"{stack}.{layer}: {len(indices)} heads cannot share {count} key groups evenly.")
    return Row(stack, layer, indices, count, shared or f"{stack}.{layer}")


def _require_numbers(stack: str, layer: Any, heads: Any, groups: Any) -> None:
    parts = heads if isinstance(heads, list | tuple | range) else [heads]
    for value in (layer, *parts, *(() if groups is None else (groups,))):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
            raise BadInput(
                f"A row of {stack} has layer {layer!r}, heads {heads!r}, groups {groups!r}: "
                f"these must be whole numbers from 0 to {_MOST}."
            )


@final
@dataclass(frozen=True)
class Player:
    """What is opened and closed as one: a head, a key group, a head shared by layers, or a layer."""

    name: str
    heads: tuple[Head, ...]


@final
@dataclass(frozen=True)
class Layout:
    """The ordered players of a model, over encoder, decoder and cross attention; layers may be ragged."""

    rows: tuple[Row, ...]
    players: str = "heads"

    def __post_init__(self) -> None:
        if self.players not in PLAYERS:
            raise UnknownName(
                f"No kind of player is called {self.players!r}.{suggestion(self.players, PLAYERS)} "
                f"Known: {', '.join(PLAYERS)}."
            )
        order = [(STACKS.index(item.stack), item.layer) for item in self.rows]
        if order != sorted(set(order)):
            raise BadInput("Rows of a layout must go encoder, decoder, cross, and upwards by layer, each once.")
        owners = {item.name: item for item in self.rows if item.shared == item.name}
        for item in self.rows:
            if item.shared not in owners or owners[item.shared].heads != item.heads:
                raise BadInput(
                    f"{item.name} cannot share the heads of {item.shared!r}: no such row has the same heads."
                )

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def members(self) -> tuple[Player, ...]:
        """All players in flat order."""
        return tuple(player for item in self.rows for player in self._players_of(item))

    def _players_of(self, item: Row) -> list[Player]:
        heads = [Head(item.stack, item.layer, index) for index in item.heads]
        if self.players == "layers":
            return [Player(item.name, tuple(heads))] if heads else []
        if self.players == "groups" and item.groups:
            size = len(heads) // item.groups
            parts = [heads[start : start + size] for start in range(0, len(heads), size)]
            return [Player(_span(part), tuple(part)) for part in parts]
        if self.players == "shared":
            if item.shared != item.name:
                return []
            layers = [other for other in self.rows if other.shared == item.name]
            span = self._span_of(item)
            return [
                Player(
                    f"{item.stack}.{span}.{head.index}",
                    tuple(Head(other.stack, other.layer, head.index) for other in layers),
                )
                for head in heads
            ]
        return [Player(str(head), (head,)) for head in heads]

    def _span_of(self, owner: Row) -> str:
        """`*` where a whole stack shares one row of heads, else the layers: `0+1` and `2+3` are other heads."""
        stack = [item for item in self.rows if item.stack == owner.stack]
        layers = [str(item.layer) for item in stack if item.shared == owner.name]
        return "*" if len(layers) == len(stack) > 1 else "+".join(layers)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the players in flat order, as in `encoder.3.7`."""
        return tuple(player.name for player in self.members)

    @cached_property
    def heads(self) -> tuple[Head, ...]:
        """All heads, row by row, whatever the players are."""
        return tuple(Head(item.stack, item.layer, index) for item in self.rows for index in item.heads)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def place(self, player: Head | str) -> int:
        """Where a player stands in the flat order; an unknown one is told with its nearest neighbour."""
        name = str(player)
        if name in self._places:
            return self._places[name]
        raise UnknownName(f"This model has no head {name!r}.{suggestion(name, self.names)} It has {self.describe()}.")

    @property
    def player_of_head(self) -> npt.NDArray[np.int64]:
        """For every head in row order the place of its player: gates per player → gates per head."""
        # A new array each time: a shared one could be changed, a read-only one makes torch warn.
        return np.asarray(self._owners, dtype=np.int64)

    @cached_property
    def _owners(self) -> tuple[int, ...]:
        owner = {head: place for place, player in enumerate(self.members) for head in player.heads}
        return tuple(owner[head] for head in self.heads)

    def with_players(self, players: str) -> "Layout":
        """The same heads, counted in other units."""
        return replace(self, players=players)

    def describe(self) -> str:
        """'72 heads: encoder 6 layers × 12'."""
        parts = []
        for stack in STACKS:
            counts = [len(item.heads) for item in self.rows if item.stack == stack]
            if counts:
                width = f"{counts[0]}" if len(set(counts)) == 1 else f"{min(counts)}–{max(counts)}"
                parts.append(f"{stack} {len(counts)} layers × {width}")
        unit = "heads" if self.players == "heads" else f"players ({self.players})"
        return f"{len(self)} {unit}: {', '.join(parts) or 'no attention'}"

    def require(self, other: "Layout", *, what: str) -> None:
        """Refuse what was made for another model."""
        if self == other:
            return
        difference = ""
        if self.describe() == other.describe():
            mine, theirs = _first_difference(self, other)
            difference = f" They first differ in {mine} against {theirs}."
        raise LayoutMismatch(
            f"{what} belongs to another model: it has {other.describe()}; this model has {self.describe()}.{difference}"
        )

    @property
    def key(self) -> str:
        """Stable short name of this layout."""
        return stable_key(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Rows as small tables; a full row keeps only its number of heads."""
        return {"players": self.players, "rows": [_row_to_json(item) for item in self.rows]}

    @classmethod
    def from_json(cls, document: Any) -> "Layout":
        """Read back strictly what `to_json` wrote."""
        if not isinstance(document, Mapping):
            raise BadInput(f"A layout must be a table, not {document!r}.")
        fields(document, what="A layout", required=["players", "rows"])
        if not isinstance(document["rows"], list):
            raise BadInput("A layout's rows must be a list.")
        return cls(tuple(_row_from_json(item) for item in document["rows"]), document["players"])

    def __repr__(self) -> str:
        return f"Layout({self.describe()})"


def _first_difference(one: Layout, other: Layout) -> tuple[Any, Any]:
    """The first rows (or the units) in which two layouts of one description differ."""
    for mine, theirs in zip(one.rows, other.rows, strict=False):
        if mine != theirs:
            return _row_to_json(mine), _row_to_json(theirs)
    return one.players, other.players


def _span(heads: Sequence[Head]) -> str:
    """`encoder.3.4-7` for a group of heads, `encoder.3.4` for a group of one."""
    first, last = heads[0], heads[-1]
    return str(first) if len(heads) == 1 else f"{first}-{last.index}"


def _row_to_json(item: Row) -> dict[str, Any]:
    full = item.heads == tuple(range(len(item.heads)))
    document: dict[str, Any] = {
        "stack": item.stack,
        "layer": item.layer,
        "heads": len(item.heads) if full else list(item.heads),
    }
    if item.groups != len(item.heads):
        document["groups"] = item.groups
    if item.shared != item.name:
        document["shared"] = item.shared
    return document


def _row_from_json(document: Any) -> Row:
    if not isinstance(document, Mapping):
        raise BadInput(f"A row of a layout must be a table, not {document!r}.")
    fields(document, what="A row of a layout", required=["stack", "layer", "heads"], optional=["groups", "shared"])
    if any(value is None for value in document.values()):
        raise BadInput(f"A row of a layout has an empty field: {dict(document)!r}.")
    return row(
        document["stack"],
        document["layer"],
        document["heads"],
        groups=document.get("groups"),
        shared=document.get("shared", ""),
    )
