r"""k means and Dirichlet posteriors, exposed: one centre, one coordinate, and the noisy numbers themselves.

blocks, mean      two blocks, and a record that takes one of their centres from −1 to 1
blocks, smooth    three blocks at −1, −1, c and −1, c, c, c = 2e^{−2β} − 1: the median moves by 2e^{−2β} = S of the
                  second, and S of the first is 2e^{−β}: the largest shift and ratio of scales there may be
noisy Lloyd       one record at a distance of c: count and sum of two rounds; with Gaussian noise the sum of both,
                  each over its variance, which tells all that they tell
posteriors        one record in one of two categories: the nodes of every level
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from dpsampling.foundations.smooth_noise import SmoothNoise
from dpsampling.learners.block_k_means import BlockKMeans
from dpsampling.learners.conjugate import NoisyDirichlet
from dpsampling.learners.lloyd import Totals
from dpsampling.learners.noise import InFloats
from dpsampling.learners.noisy_lloyd import NoisyLloyd
from dpsampling.mechanisms.known_laws import clipped_geometric, laplace, normal
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, with_less_noise
from dpsampling.privacy.laws import Finite, Independent, Sampler

DELTA = 1e-5
START = np.zeros((1, 1))
COINS = np.arange(3)
UPDATES = 4
REACH = 50.0  # deviations of geometric noise that are kept: e^{−50} is beyond them


def block_means(_order: float, epsilon: float) -> list[AuditCase]:
    """Two blocks of a record each."""
    learner = BlockKMeans.mean(START, bound=1.0, blocks=2, epsilon=epsilon)
    data = {"(−1, −1)": (-1.0, -1.0), "(−1, 1)": (-1.0, 1.0)}

    def laws(factor: float, own: bool = False) -> Laws:
        return {
            name: laplace(sum(x) / 2.0, 1.0 / epsilon / factor, _of_blocks(learner, x) if own else None)
            for name, x in data.items()
        }

    return [with_less_noise("one centre in [−1, 1], two blocks", learner.guarantee, laws)]


def block_medians(_order: float, epsilon: float) -> list[AuditCase]:
    """Three blocks of a record each."""
    learner = BlockKMeans.smooth(START, bound=1.0, blocks=3, epsilon=epsilon, delta=DELTA)
    noise = _noise_of(learner)
    c = 2.0 * math.exp(-2.0 * noise.beta) - 1.0
    data = {"(−1, −1, c)": (-1.0, -1.0, c), "(−1, c, c)": (-1.0, c, c)}
    smooth = dict(zip(data, (2.0 * math.exp(-noise.beta), 2.0 * math.exp(-2.0 * noise.beta)), strict=True))

    def laws(factor: float, own: bool = False) -> Laws:
        return {
            name: laplace(x[1], 2.0 * smooth[name] / epsilon / factor, _of_blocks(learner, x) if own else None)
            for name, x in data.items()
        }

    return [with_less_noise("one centre in [−1, 1], three blocks, δ = 1e-5", learner.guarantee, laws)]


def noisy_lloyd(_order: float, epsilon: float) -> list[AuditCase]:
    """No record and one, pure and with δ = 1e-5."""
    pure, gaussian = (NoisyLloyd(START, 1.0, epsilon, delta, rounds=2) for delta in (0.0, DELTA))
    scales, mu = pure.scales, gaussian.gaussian.mu

    def numbers(factor: float, own: bool = False) -> Laws:
        scale = [float(s) / factor for s in (scales.counts, scales.sums)] * 2
        return {
            name: Independent(tuple(laplace(x, s) for s in scale), partial(_rounds, pure, int(x)) if own else None)
            for name, x in (("none", 0.0), ("one", 1.0))
        }

    def weighed(factor: float, own: bool = False) -> Laws:
        return {
            name: normal(x * mu * mu, mu / factor, partial(_weighed_rounds, gaussian, int(x)) if own else None)
            for name, x in (("none", 0.0), ("one", 1.0))
        }

    return [
        with_less_noise("one centre, two rounds", pure.guarantee, numbers),
        with_less_noise("one centre, two rounds, δ = 1e-5", gaussian.guarantee, weighed),
    ]


def posteriors(_order: float, epsilon: float) -> list[AuditCase]:
    """One record of four batches, at the end and by a binary tree."""
    prior = np.ones(2)
    audit_cases = []
    for what, learner in (
        ("counts at the end", NoisyDirichlet.at_the_end(prior, updates=UPDATES, epsilon=epsilon)),
        ("nodes of a binary tree", NoisyDirichlet.by_tree(prior, updates=UPDATES, epsilon=epsilon, fan_out=2)),
    ):
        levels = 1 if learner.fan_out is None else 2
        outputs = int(REACH * levels / epsilon) + 3

        def laws(
            factor: float,
            own: bool = False,
            learner: NoisyDirichlet = learner,
            levels: int = levels,
            outputs: int = outputs,
        ) -> Laws:
            scale = levels / epsilon / factor
            return {
                name: _together(
                    [clipped_geometric(x, scale, outputs) for _ in range(levels)],
                    partial(_first_nodes, learner, x, outputs - 1) if own else None,
                )
                for name, x in (("none", 0), ("one", 1))
            }

        audit_cases.append(with_less_noise(f"{what}, one record", learner.guarantee, laws))
    return audit_cases


def _noise_of(learner: BlockKMeans) -> SmoothNoise:
    noise = getattr(learner.each, "noise", None)
    assert isinstance(noise, SmoothNoise)
    return noise


def _of_blocks(learner: BlockKMeans, records: tuple[float, ...]) -> Sampler:
    """Return what it draws of a record a block."""
    results = learner.results(np.array(records)[:, np.newaxis], COINS[: len(records)]).ravel()
    return lambda rng, size: learner.each.simulate(results, rng, size)


def _round(learner: NoisyLloyd, n: int, rng: np.random.Generator, size: int) -> tuple[Array, Array]:
    """Counts and sums of `size` cells that are alike."""
    cells = Totals(np.full(size, n, dtype=np.int64), np.full((size, 1), float(n)))
    counts, sums = learner.noisy(cells, InFloats(rng))
    return counts, sums[:, 0]


def _rounds(learner: NoisyLloyd, n: int, rng: np.random.Generator, size: int) -> Array:
    return np.stack([column for _ in range(learner.rounds) for column in _round(learner, n, rng, size)], axis=-1)


def _weighed_rounds(learner: NoisyLloyd, n: int, rng: np.random.Generator, size: int) -> Array:
    weights = [1.0 / float(s) ** 2 for s in (learner.scales.counts, learner.scales.sums)] * learner.rounds
    return np.asarray(_rounds(learner, n, rng, size) @ np.array(weights))


def _together(parts: list[Finite], draw: Sampler | None) -> Finite | Independent:
    return Finite(parts[0].log_mass, draw) if len(parts) == 1 else Independent(tuple(parts), draw)


def _first_nodes(learner: NoisyDirichlet, n: int, most: int, rng: np.random.Generator, size: int) -> Array:
    """The first node of each level, clipped at 0, for so many categories that are alike."""
    batches = np.zeros((UPDATES, size), dtype=np.int64)
    batches[0] = n
    first = [np.clip(level[0], 0, most).astype(float) for level in learner.noisy(batches, InFloats(rng))]
    return first[0] if len(first) == 1 else np.stack(first, axis=-1)
