"""Random streams that depend on what is computed, and on nothing else.

A stream is named by (seed, experiment, wildcard values). Its name is hashed into the spawn key of a
`numpy.random.SeedSequence`, so that a point's numbers are the same whatever the number of cores, the order of
the jobs, the size of the chunks, or which other points are computed. Whoever reads the seed can draw them all again:
what is made with them evaluates a mechanism and protects nobody.
"""

from __future__ import annotations

import hashlib

import numpy as np

Name = str | int | float
EVALUATION = "evaluation, protects nothing"  # what says so in figures


def stream(seed: int, *names: Name) -> np.random.Generator:
    """The generator named (seed, *names)."""
    return np.random.default_rng(np.random.SeedSequence(entropy=seed, spawn_key=_key(names)))


def substream(rng: np.random.Generator, *names: Name) -> np.random.Generator:
    """The generator named `names` below `rng`; it neither reads nor moves the state of `rng`."""
    parent = rng.bit_generator.seed_seq
    if not isinstance(parent, np.random.SeedSequence):
        raise TypeError("a substream needs a generator made from a numpy SeedSequence, such as default_rng(seed)")
    return np.random.default_rng(
        np.random.SeedSequence(entropy=parent.entropy, spawn_key=(*parent.spawn_key, *_key(names)))
    )


def _key(names: tuple[Name, ...]) -> tuple[int, ...]:
    """Four 32-bit words from the names' exact values (a float by all its bits, so 0.1 and 0.1000001 differ)."""
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    exact = "\x1f".join(name.hex() if isinstance(name, float) else repr(name) for name in plain)
    digest = hashlib.sha256(exact.encode()).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
