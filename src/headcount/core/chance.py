"""Chance is an argument: generators spawned by name, so that adding one does not shift the others."""

import hashlib

import numpy as np


def generator(seed: int, *names: str) -> np.random.Generator:
    """A generator for one named purpose under one seed; the same in every process."""
    digest = hashlib.sha256("\x1f".join(names).encode()).digest()
    words = [int.from_bytes(digest[start : start + 4], "little") for start in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))
