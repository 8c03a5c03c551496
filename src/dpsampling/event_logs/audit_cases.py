r"""The mechanisms of event logs, exposed: one entry with two binary features in two cells, and models of one state.

Noise: an entry that moves to the other cell and changes both features moves 2D = 4 counts by one each, which is all
that the noise of scale 2D/ε is for. OPS: θ of both features is one joint draw; as everywhere at a temperature, one
record spends half of 2Δ/T, and a corpus of entries all alike spends it but for `EDGE` (see
`mechanisms.audit_cases.tempered`). The sampler is the compiled one that every fit uses.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product

import numpy as np

from dpsampling.event_logs.mechanisms import NoisyCounts, OnePosteriorSample
from dpsampling.event_logs.names import CLIP, NOISE_AWARE, SUM_THEN_CLIP
from dpsampling.mechanisms.audit_cases.tempered import DIGITS, EDGE, HALF, HALF_UNSEEN
from dpsampling.mechanisms.known_laws import clipped_laplace, laplace
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.truncated_beta import LogitBeta
from dpsampling.privacy.audit_case import AuditCase, Laws, all_pairs, both_ways
from dpsampling.privacy.laws import Independent, OnLine

SIZES = (2, 2)
OFFSETS = np.array([0, 2, 4], dtype=np.int64)
MULTIPLIER = 10.0
BETA = 1.0


def noisy_counts(_order: float, epsilon: float) -> list[AuditCase]:
    """Return what each variant sees of the log, and the corpus-wide counts of a model of one state."""
    places = list(product((0, 1), (0, 1), (0, 1)))  # cell and both outcomes
    cells = {f"cell {c}, outcomes {a}{b}": _counts(a, b, cell=c) for c, a, b in places}
    corpus = {f"outcomes {a}{b}": _counts(a, b) for a, b in product((0, 1), (0, 1))}
    return [
        _noisy("clipped counts of two cells", NoisyCounts(epsilon, CLIP), cells),
        _noisy("counts of two cells, clipped in sums only", NoisyCounts(epsilon, SUM_THEN_CLIP), cells),
        _noisy("counts of two cells for the noise-aware chain", NoisyCounts(epsilon, NOISE_AWARE), cells),
        _noisy("corpus-wide counts", NoisyCounts(epsilon), corpus),
    ]


def _noisy(what: str, mechanism: NoisyCounts, logs: dict[str, Array]) -> AuditCase:
    clipped, scale = mechanism.variant == CLIP, 2.0 * len(SIZES) / mechanism.epsilon

    def laws(factor: float) -> Laws:
        one = clipped_laplace if clipped else laplace
        return {name: Independent(tuple(one(c, scale / factor) for c in counts)) for name, counts in logs.items()}

    def draw(counts: Array, rng: np.random.Generator, size: int) -> Array:
        noisy = mechanism.simulate(np.broadcast_to(counts, (size, len(counts))), len(SIZES), rng)
        return np.maximum(noisy, 0.0) if clipped else noisy

    honest = {name: Independent(law.parts, partial(draw, logs[name])) for name, law in _parts(laws(1.0)).items()}
    return AuditCase(what, mechanism.guarantee(SIZES, 1), honest, all_pairs(logs), {"noise": laws})


def _parts(laws: Laws) -> dict[str, Independent]:
    return {name: law for name, law in laws.items() if isinstance(law, Independent)}


def _counts(first: int, second: int, cell: int | None = None) -> Array:
    """The counts of one entry: of its cell among two, or of the corpus."""
    row = np.concatenate([np.eye(2)[first], np.eye(2)[second]])
    if cell is None:
        return row
    return np.concatenate([row if cell == c else np.zeros(4) for c in (0, 1)])


def one_posterior_sample(_order: float, epsilon: float) -> list[AuditCase]:
    """The model of one state: θ of both features, drawn together."""
    mechanism = OnePosteriorSample(epsilon, MULTIPLIER)
    t, a0 = mechanism.temperature(SIZES), float(mechanism.floors(SIZES)[0])
    n = math.ceil(t / (a0 * (1.0 - a0)) / (EDGE * mechanism.sensitivity(SIZES)))
    one = {f"outcomes {a}{b}": _counts(a, b) for a, b in product((0, 1), (0, 1))}
    alike = {"all 00": n * _counts(0, 0), "one 11": (n - 1.0) * _counts(0, 0) + _counts(1, 1)}
    return [
        AuditCase(
            "one state, two features, one entry",
            mechanism.guarantee(SIZES, 1),
            _draws(mechanism, one),
            all_pairs(one),
            {"temperature": partial(_draws, mechanism, one)},
            loose=HALF,
            unseen=HALF_UNSEEN,
        ),
        AuditCase(
            f"one state, two features, {n} entries, all alike",
            mechanism.guarantee(SIZES, 1),
            _draws(mechanism, alike),
            both_ways(("all 00", "one 11")),
            {"temperature": partial(_draws, mechanism, alike)},
            loose=DIGITS,
            unseen=DIGITS,
        ),
    ]


def _draws(mechanism: OnePosteriorSample, logs: dict[str, Array], factor: float = 1.0) -> Laws:
    """θ₁/θ₂ of each feature on the log scale, in the window that a₀ leaves."""
    floors, power = mechanism.floors(SIZES), factor / mechanism.temperature(SIZES)
    end = math.log1p(-floors[0]) - math.log(floors[0])

    def part(counts: Array) -> OnLine:
        a, b = (counts + BETA - 1.0) * power + 1.0
        law = LogitBeta(a, b, -end, end)
        return OnLine(law.log_density, law.sample, -end, end)

    def draw(counts: Array, rng: np.random.Generator, size: int) -> Array:
        from dpsampling.event_logs import gibbs  # loads numba, which only a fit and this draw need

        # Scored on the unit vectors, a draw tells its own ln θ.
        own, _ = gibbs.naive_bayes(
            rng, counts[np.newaxis, :].copy(), np.eye(4), OFFSETS, BETA, power, np.asarray(floors), size
        )
        return np.clip(own[:, ::2] - own[:, 1::2], -end, end)

    return {
        name: Independent((part(counts[:2]), part(counts[2:])), partial(draw, counts)) for name, counts in logs.items()
    }
