"""The removal curve: what is left when the lowest 0, 1, … N heads of a ranking are closed, without training."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch

from headcount.core.progress import Progress, counted, silent
from headcount.core.scores import HeadScores
from headcount.pruning.strategies import nested
from headcount.stats.resample import bootstrap
from headcount.training.objective import Game

_TOGETHER = 8


@final
@dataclass(frozen=True, kw_only=True)
class Removal:
    """One ranking's curve on one subject; point n has the n lowest heads closed."""

    method: str
    language: str
    figure: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain lists, with the numbers of heads removed."""
        return {
            "method": self.method,
            "language": self.language,
            "removed": list(range(len(self.figure))),
            "accuracy": list(self.figure),
            "low": list(self.low),
            "high": list(self.high),
        }


def removal_curve(game: Game, scores: HeadScores, *, rng: np.random.Generator, progress: Progress = silent) -> Removal:
    """Close the lowest heads one after the other and look at the figure each time."""
    game.layout.require(scores.layout, what="The ranking")
    gates = torch.tensor(np.stack([mask.keep for mask in nested(scores)]), dtype=torch.float32)
    chunks = torch.split(gates, _TOGETHER)
    estimates = []
    task = f"removal curve of {scores.method}"
    for chunk in counted(chunks, total=len(chunks), task=task, progress=progress):
        estimates += [bootstrap(tallies, game.figure, rng=rng) for tallies in game.worth(chunk)]
    return Removal(
        method=scores.method,
        language=str(game.settings()["language"]),
        figure=tuple(item.value for item in estimates),
        low=tuple(item.low for item in estimates),
        high=tuple(item.high for item in estimates),
    )
