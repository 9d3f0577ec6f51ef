"""HeadMask: which heads stay, worth a file. How a mask is chosen is `pruning`; how it acts is `model`."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt

from headcount.core import documents
from headcount.core.display import Cell, head_table
from headcount.core.errors import BadInput
from headcount.core.heads import Head, Layout
from headcount.core.signature import Signature, canonical_json, stable_key

FORMAT = "headcount.mask"
VERSION = 1
Keep = npt.NDArray[np.bool_]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class HeadMask:
    """Which heads stay: True keeps, in the order of the layout; with the reason and the settings behind it."""

    layout: Layout
    keep: Keep
    why: str = ""
    signature: Signature = field(default_factory=Signature)

    def __post_init__(self) -> None:
        keep = np.asarray(self.keep)
        if keep.dtype != np.bool_:
            raise BadInput(f"A mask keeps by True and closes by False; got values of type {keep.dtype}.")
        if keep.shape != (len(self.layout),):
            raise BadInput(f"A mask of this model needs {len(self.layout)} values, not an array of shape {keep.shape}.")
        object.__setattr__(self, "keep", documents.frozen(keep))

    @classmethod
    def closing(
        cls, layout: Layout, heads: Iterable[Head | str], *, why: str = "", signature: Signature | None = None
    ) -> "HeadMask":
        """All heads stay but these; an unknown head is refused."""
        keep = np.ones(len(layout), dtype=np.bool_)
        for head in heads:
            keep[layout.place(head)] = False
        return cls(layout=layout, keep=keep, why=why, signature=signature or Signature())

    @classmethod
    def open(cls, layout: Layout) -> "HeadMask":
        """Every head stays."""
        return cls.closing(layout, (), why="all heads open")

    @property
    def closed(self) -> tuple[str, ...]:
        """Names of the heads that leave, in layout order."""
        return tuple(name for name, stays in zip(self.layout.names, self.keep, strict=True) if not stays)

    @property
    def key(self) -> str:
        """Stable name of what is kept and closed, whatever the reason."""
        return stable_key({"layout": self.layout.to_json(), "closed": list(self.closed)})

    def to_json(self) -> dict[str, Any]:
        """Layout, closed heads by name, reason and settings."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "layout": self.layout.to_json(),
            "closed": list(self.closed),
            "why": self.why,
            "signature": self.signature.to_json(),
        }

    @classmethod
    def from_json(cls, document: Any) -> "HeadMask":
        """Read back strictly what `to_json` wrote."""
        documents.check_format(document, name=FORMAT, version=VERSION)
        documents.fields(
            document, what="A mask", required=["format", "version", "layout", "closed"], optional=["why", "signature"]
        )
        closed = document["closed"]
        if not isinstance(closed, list) or not all(isinstance(name, str) for name in closed):
            raise BadInput(f"A mask's closed heads must be a list of names like encoder.3.7, not {closed!r}.")
        if len(set(closed)) != len(closed):
            raise BadInput("A mask names a closed head twice.")
        return cls.closing(
            Layout.from_json(document["layout"]),
            closed,
            why=documents.text_field({"why": "", **document}, "why", what="A mask"),
            signature=Signature.from_json(document.get("signature", {})),
        )

    def save(self, path: Path | str) -> Path:
        """Write the mask as JSON, whole or not at all."""
        return documents.save(self.to_json(), path)

    @classmethod
    def load(cls, path: Path | str) -> "HeadMask":
        """Read a mask file; what is wrong with it is told with its name."""
        with documents.naming(path):
            return cls.from_json(documents.load(path, what="a head mask"))

    def to_frame(self) -> Any:
        """One row per head as a pandas data frame."""
        rows = [{"head": name, "keep": bool(keep)} for name, keep in zip(self.layout.names, self.keep, strict=True)]
        return documents.frame(rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeadMask) and canonical_json(self.to_json()) == canonical_json(other.to_json())

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        shown = ", ".join(self.closed[:6]) + (", …" if len(self.closed) > 6 else "")
        reason = f"; {self.why}" if self.why else ""
        return f"HeadMask(closes {len(self.closed)} of {len(self.layout)}: {shown or 'none'}{reason})"

    def _repr_html_(self) -> str:
        cells = {
            name: Cell("" if keep else "closed", None if keep else -1.0, f"{name}: {'stays' if keep else 'closed'}")
            for name, keep in zip(self.layout.names, self.keep, strict=True)
        }
        return head_table(self.layout, cells, caption=repr(self))
