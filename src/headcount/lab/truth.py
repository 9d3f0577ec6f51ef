"""Truth by exact removal: every head cut out of the weights in its turn, on text that no method sees."""

import numpy as np
import numpy.typing as npt
import torch

from headcount.core.mask import HeadMask
from headcount.core.progress import Progress, counted, silent
from headcount.model import surgery
from headcount.training.subject import Subject

Floats = npt.NDArray[np.float64]


def removals(subject: Subject, *, progress: Progress = silent) -> tuple[Floats, Floats]:
    """Tallies of the whole model [examples, columns] and of the model without each head [heads, examples, columns].

    The heads leave the weights, so that no gate has a part in what is called true.
    """
    whole = subject.worth(torch.ones(1, len(subject.layout)))[0]
    others = []
    names = subject.layout.names
    task = f"exact removal in {subject.language}"
    for name in counted(names, total=len(names), task=task, progress=progress):
        mask = HeadMask.closing(subject.layout, [name])
        smaller = subject.with_model(
            surgery.cut(subject.model, mask, anatomy=subject.anatomy), change=f"without:{name}"
        )
        others.append(smaller.worth(torch.ones(1, len(smaller.layout)))[0])
    return whole, np.stack(others)
