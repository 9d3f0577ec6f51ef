"""Invented tallies whose truth is known."""

import numpy as np


def rng(seed):
    return np.random.default_rng(seed)


def tagged(seed, examples):
    """Sentences of 1 to 12 words, some of them tagged right: [right, words]."""
    chance = rng(seed)
    words = chance.integers(1, 13, examples)
    return np.stack([chance.binomial(words, 0.7), words], axis=1).astype(float)


def accuracy(sums):
    return sums[..., 0] / sums[..., 1]


def mean(sums):
    return sums[..., 0] / sums[..., 1]


TALLIES = np.array([[1.0, 1], [0, 1], [1, 1]])
