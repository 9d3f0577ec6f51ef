"""headcount: which attention heads earn their place? Names only; nothing is loaded until it is used."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 an older Python gets here by a copied folder, and must be told plainly
    raise ImportError(
        "headcount needs Python 3.11 or newer; this is Python %d.%d. Make an environment with a newer one."  # noqa: UP031
        % sys.version_info[:2]
    )

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Where each public name lives; it is imported when it is first asked for (tests/house/test_import.py).
_HOMES = {
    "Head": "core.heads",
    "HeadMask": "core.mask",
    "HeadScores": "core.scores",
    "HeadcountError": "core.errors",
    "Layout": "core.heads",
    "Runtime": "core.runtime",
    "Signature": "core.signature",
    "cut": "study.steps",
    "evaluate": "study.steps",
    "gated": "model.gates",
    "inspect": "study.steps",
    "load": "study.steps",
    "load_scores": "core.scores",
    "measure": "study.steps",
    "prune": "pruning.strategies",
    "save_scores": "core.scores",
}
__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"headcount has no name {name!r}; it has {', '.join(__all__)}.")
    value = getattr(import_module(f"headcount.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
