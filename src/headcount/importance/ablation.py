"""Ablation: close one head and see what is lost. Signed: a head whose closing helps has a negative value."""

import numpy as np
import torch

from headcount.core.progress import Progress, counted
from headcount.importance.result import Measured, verdicts_of
from headcount.stats.resample import simultaneous_gains
from headcount.training.objective import Game

# Half-width of what counts as no effect, by metric: 0.2 points of accuracy; nothing is assumed of a user's own payoff.
ZONES = {"accuracy": 0.002}


def ablation(
    game: Game, *, rng: np.random.Generator, confidence: float, zone: float | None, progress: Progress
) -> Measured:
    """worth(all) − worth(all without h) for every head h, with intervals that hold for all heads together."""
    players = len(game.layout)
    closed_one = torch.ones(players, players) - torch.eye(players)
    base = game.worth(torch.ones(1, players))[0]
    parts = []
    chunks = torch.split(closed_one, 1)  # one head a call: each is seen as progress
    for chunk in counted(chunks, total=len(chunks), task="closing one head at a time", progress=progress):
        parts.append(game.worth(chunk))
    others = np.concatenate(parts) if parts else base[None][:0]
    unit = str(game.settings()["metric"])
    if zone is None:
        zone = ZONES.get(unit, 0.0)
    options = {"close": "one", "ablate": "zero", "zone": zone, "interval": "simultaneous"}
    if base.shape[0] < 2:
        value = game.figure(base.sum(axis=0)) - game.figure(others.sum(axis=1))
        return Measured(value=value, low=None, high=None, verdicts=None, unit=unit, examples=1, options=options)
    bands = simultaneous_gains(base, others, game.figure, rng=rng, confidence=confidence)
    return Measured(
        value=bands.value,
        low=bands.low,
        high=bands.high,
        verdicts=verdicts_of(bands.low, bands.high, zone=zone, examples=base.shape[0]),
        unit=unit,
        examples=base.shape[0],
        options=options,
    )
