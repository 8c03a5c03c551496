"""Every specimen, in the groups of those who published them, with the parameters they are published with.

DP-Sniper (Bichsel, Steffen, Bogunovic and Vechev 2021) gathers most of its mechanisms from Lyu, Su and Li 2017 and Ding
et al. 2018; CheckDP (Wang, Ding, Kifer and Zhang 2020) has right and wrong versions side by side; dp_auditorium (Kong,
Muñoz Medina and Ribero 2023) has sparse vectors whose queries repeat a record, a noisy maximum and noisy means.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from dpsampling.audit.known_mechanisms import geometric, noisy_max, rappor
from dpsampling.audit.known_mechanisms import sparse_vector_values as values
from dpsampling.audit.known_mechanisms.inputs import ALL_DIFFER, ONE_DIFFERS, Pair, published_pairs, revealed_records
from dpsampling.audit.known_mechanisms.laplace_vectors import released, smart_sum
from dpsampling.audit.known_mechanisms.means import NoisyMean
from dpsampling.audit.known_mechanisms.names import AUDITORIUM, BROKEN, CHECKDP, DELTA, EPSILON, RIGHT, SNIPER
from dpsampling.audit.known_mechanisms.price import Price, Setting, Specimen
from dpsampling.audit.known_mechanisms.sparse_vector import ONE_WAY, SparseVector, without_query_noise

LYU, DING, WANG, CHECK = "Lyu et al. 2017", "Ding et al. 2018", "Wang et al. 2019", "Wang et al. 2020"
BICHSEL, KONG, RAPPOR = "Bichsel et al. 2021", "Kong et al. 2023", "Erlingsson et al. 2014"

BINS = 5  # of a noisy histogram
PARALLEL = 20  # Laplace mechanisms at once, each with a twentieth of ε
PEOPLE = 5  # of the truncated geometric mechanism's count
HASHES, BITS = 4, 20  # of RAPPOR's Bloom filter
ONCE = rappor.permanent(HASHES, BITS, f=0.95)
TWICE = rappor.instantaneous(HASHES, BITS, f=0.75, p=0.45, q=0.55)
LOOKED_AT = (0, 1, 2)  # the values whose reports were compared
SHORT, BLOCK = 5, 2  # CheckDP's queries, and the block of its partial sums
SHORT_PAIRS = published_pairs(SHORT, ALL_DIFFER)

LAPLACE, GAUSSIAN = "Laplace", "Gaussian"  # noise of a mean

Pricing = Callable[[Setting], Price]
Row = tuple[str, str, str, str, Pricing]


def algorithm(number: int, epsilon: float, *, cutoff: int = 1, threshold: float = 1.0) -> SparseVector:
    """Algorithms 1 to 4 of Lyu, Su and Li, by their scales, with ε₁ = ε₂ = ε/2 but for Algorithm 4."""
    half = 2.0 / epsilon
    scales = {
        1: (half, 2.0 * cutoff * half),
        2: (cutoff * half, 2.0 * cutoff * half),
        3: (half, cutoff * half),
        4: (4.0 / epsilon, 4.0 / (3.0 * epsilon)),
    }
    return SparseVector(*scales[number], cutoff, threshold, renewed=number == 2)


def without_cutoff(epsilon: float, queries: int, threshold: float = 1.0) -> SparseVector:
    """Algorithm 6: it never stops, and its noise does not know."""
    return SparseVector(2.0 / epsilon, 2.0 / epsilon, queries, threshold)


def with_gaps(epsilon: float, cutoff: int = 1) -> SparseVector:
    """The scales of CheckDP's sparse vectors: half of ε for the threshold, half for the ⊤."""
    return SparseVector(2.0 / epsilon, 4.0 * cutoff / epsilon, cutoff)


def numerical(epsilon: float, cutoff: int = 2) -> tuple[SparseVector, float]:
    """The numerical sparse vector: a third of ε for each of threshold, answers and releases; and the latter's scale."""
    return SparseVector(3.0 / epsilon, 6.0 * cutoff / epsilon, cutoff), 3.0 * cutoff / epsilon


def rappor_claim(reports: rappor.BitReports) -> float:
    """h ln(q*(1 − p*)/(p*(1 − q*))); for one-time RAPPOR this is 2h ln((1 − f/2)/(f/2))."""
    odds = [p / (1.0 - p) for p in (reports.one_of_set, reports.one_of_clear)]
    return reports.hashes * math.log(odds[0] / odds[1])


def _patterns(s: Setting) -> list[Pair]:
    return published_pairs(s.queries, ALL_DIFFER)


def _doublings(s: Setting) -> int:
    return geometric.doublings_by_natural_logarithm(s.epsilon)


def _histogram(scale: Callable[[float], float], s: Setting) -> Price:
    return released(np.eye(BINS), scale(s.epsilon), ONE_DIFFERS, published=True)


def _prefix_sums(relation: str, s: Setting) -> Price:
    return released(np.eye(s.queries), 1.0 / s.epsilon, relation, published=relation == ALL_DIFFER)


def _maximum(pricing: Callable[[int, float], Price], s: Setting) -> Price:
    return pricing(s.candidates, 2.0 / s.epsilon)


def _sparse(number: int, threshold: float, s: Setting) -> Price:
    return algorithm(number, s.epsilon, threshold=threshold).price(s.queries, _patterns(s))


def _sparse_3_and_4(s: Setting) -> Price:
    two = [algorithm(number, s.epsilon, cutoff=2) for number in (3, 4)]
    return values.released_beside(two[0], two[1], s.queries, _patterns(s))


def _short(pricing: Callable[[SparseVector, int], Price], vector: Callable[[float], SparseVector], s: Setting) -> Price:
    return pricing(vector(s.epsilon), SHORT)


def _short_maximum(pricing: Callable[[int, float], Price], s: Setting) -> Price:
    return replace(pricing(SHORT, 2.0 / s.epsilon), on_published=None)


def _sum(scale: float, s: Setting) -> Price:
    return released(np.ones((1, SHORT)), scale / s.epsilon, ONE_DIFFERS)


def _smart_sum(block_scale: float, s: Setting) -> Price:
    return released(*smart_sum(SHORT, BLOCK, 1.0 / s.epsilon, block_scale / s.epsilon), ONE_DIFFERS)


def _on_records(number: int, s: Setting) -> Price:
    return algorithm(number, s.epsilon, threshold=0.5).price_on(revealed_records(s.queries), s.queries)


def _mean(noise: str, divisor: bool, scale: bool, s: Setting) -> Price:
    return NoisyMean(s.epsilon, s.delta if noise == GAUSSIAN else 0.0, noisy_divisor=divisor, noisy_scale=scale).price()


def _repaired_mean(noise: str, s: Setting) -> Price:
    delta = s.delta if noise == GAUSSIAN else 0.0
    return NoisyMean(s.epsilon, delta, noisy_divisor=True, noisy_scale=True).price_by_magnitude()


def _of(group: str, claimed: Callable[[Setting], float], *rows: Row, measure: str = EPSILON) -> tuple[Specimen, ...]:
    """Specimens that claim the same: name, source, label, truth and price of each."""
    return tuple(
        Specimen(name, group, source, label, truth, claimed, price, measure)
        for name, source, label, truth, price in rows
    )


SPECIMENS = (
    *_of(
        SNIPER,
        lambda s: s.epsilon,
        ("laplace", "Dwork et al. 2006", "Laplace", RIGHT,
         lambda s: released([[1.0]], 1.0 / s.epsilon, ONE_DIFFERS, published=True)),
        ("laplace-parallel", BICHSEL, f"{PARALLEL} Laplace in parallel", RIGHT,
         lambda s: released(np.ones((PARALLEL, 1)), PARALLEL / s.epsilon, ONE_DIFFERS, published=True)),
        ("histogram-1", f"{DING}, Alg. 9", "noisy histogram 1", RIGHT, partial(_histogram, lambda e: 1 / e)),
        ("histogram-2", f"{DING}, Alg. 10", "noisy histogram 2", BROKEN, partial(_histogram, lambda e: e)),
        ("noisy-max-1", f"{DING}, Alg. 5", "noisy max 1", RIGHT, partial(_maximum, noisy_max.laplace_index)),
        ("noisy-max-2", f"{DING}, Alg. 6", "noisy max 2", RIGHT, partial(_maximum, noisy_max.exponential_index)),
        ("noisy-max-3", f"{DING}, Alg. 7", "noisy max 3", BROKEN, partial(_maximum, noisy_max.laplace_value)),
        ("noisy-max-4", f"{DING}, Alg. 8", "noisy max 4", BROKEN, partial(_maximum, noisy_max.exponential_value)),
        ("svt-1", f"{LYU}, Alg. 1", "sparse vector 1", RIGHT, partial(_sparse, 1, 0.5)),
        ("svt-2", f"{LYU}, Alg. 2", "sparse vector 2", RIGHT, partial(_sparse, 2, 1.0)),
        ("svt-3", f"{LYU}, Alg. 3", "sparse vector 3", BROKEN,
         lambda s: values.released_queries(algorithm(3, s.epsilon), s.queries, _patterns(s))),
        ("svt-4", f"{LYU}, Alg. 4", "sparse vector 4", BROKEN, partial(_sparse, 4, 1.0)),
        ("svt-5", f"{LYU}, Alg. 5", "sparse vector 5", BROKEN,
         lambda s: without_query_noise(2.0 / s.epsilon, 1.0, _patterns(s))),
        ("svt-6", f"{LYU}, Alg. 6", "sparse vector 6", BROKEN,
         lambda s: without_cutoff(s.epsilon, s.queries).price(s.queries, _patterns(s))),
        ("numerical-svt", WANG, "numerical sparse vector", RIGHT,
         lambda s: values.fresh_releases(*numerical(s.epsilon), s.queries, _patterns(s))),
        ("prefix-sum", WANG, "prefix sums, one differs", RIGHT, partial(_prefix_sums, ONE_DIFFERS)),
    ),
    *_of(
        SNIPER,
        lambda s: s.queries * s.epsilon,
        ("prefix-sum-all", WANG, "prefix sums, all differ", RIGHT, partial(_prefix_sums, ALL_DIFFER)),
    ),
    *_of(
        SNIPER,
        lambda s: 2.0 * s.epsilon,
        ("svt-34-parallel", BICHSEL, "sparse vectors 3 and 4", BROKEN, _sparse_3_and_4),
    ),
    *_of(
        SNIPER,
        lambda s: math.log1p(2.0 ** -_doublings(s)),
        ("truncated-geometric", "Balcer and Vadhan 2018", "truncated geometric", RIGHT,
         lambda s: geometric.truncated_geometric(PEOPLE, _doublings(s))),
    ),
    *_of(
        SNIPER,
        lambda _: rappor_claim(TWICE),
        ("rappor", RAPPOR, "RAPPOR", RIGHT, lambda _: TWICE.price(LOOKED_AT)),
    ),
    *_of(
        SNIPER,
        lambda _: rappor_claim(ONCE),
        ("rappor-once", RAPPOR, "one-time RAPPOR", RIGHT, lambda _: ONCE.price(LOOKED_AT)),
    ),
    *_of(
        CHECKDP,
        lambda s: s.epsilon,
        ("noisy-max", CHECK, "NoisyMax", RIGHT, partial(_short_maximum, noisy_max.laplace_index)),
        ("bad-noisy-max", CHECK, "BadNoisyMax", BROKEN, partial(_short_maximum, noisy_max.laplace_value)),
        ("svt", CHECK, "SVT", RIGHT, partial(_short, SparseVector.price, with_gaps)),
        ("svt-one-way", CHECK, "SVT, monotone queries", RIGHT,
         lambda s: SparseVector(2.0 / s.epsilon, 2.0 / s.epsilon, 1, ranges=ONE_WAY).price(SHORT)),
        ("bad-svt-1", CHECK, "BadSVT1", BROKEN,
         lambda s: replace(without_query_noise(2.0 / s.epsilon, 0.0, SHORT_PAIRS), on_published=None)),
        ("bad-svt-2", CHECK, "BadSVT2", BROKEN, lambda s: without_cutoff(s.epsilon, SHORT).price(SHORT)),
        ("bad-svt-3", CHECK, "BadSVT3", BROKEN, partial(_short, SparseVector.price, partial(algorithm, 4))),
        ("gap-svt", CHECK, "GapSVT", RIGHT, partial(_short, values.gaps, with_gaps)),
        ("bad-gap-svt", CHECK, "BadGapSVT", BROKEN, partial(_short, values.released_queries, with_gaps)),
        ("adaptive-svt", CHECK, "AdaptiveSVT", RIGHT, partial(_short, values.adaptive, with_gaps)),
        ("bad-adaptive-svt", CHECK, "BadAdaptiveSVT", BROKEN, partial(_short, values.adaptive_released, with_gaps)),
        ("num-svt", CHECK, "NumSVT", RIGHT, lambda s: values.fresh_releases(*numerical(s.epsilon, cutoff=1), SHORT)),
        ("partial-sum", CHECK, "PartialSum", RIGHT, partial(_sum, 1.0)),
        ("bad-partial-sum", CHECK, "BadPartialSum", BROKEN, partial(_sum, 0.5)),
    ),
    *_of(
        CHECKDP,
        lambda s: 2.0 * s.epsilon,
        ("smart-sum", CHECK, "SmartSum", RIGHT, partial(_smart_sum, 1.0)),
        ("bad-smart-sum", CHECK, "BadSmartSum", BROKEN, partial(_smart_sum, 0.0)),
    ),
    *_of(
        AUDITORIUM,
        lambda s: s.epsilon,
        ("records-svt-1", KONG, "SVT1 on records", RIGHT, partial(_on_records, 1)),
        ("records-svt-2", KONG, "SVT2 on records", RIGHT, partial(_on_records, 2)),
        ("records-svt-3", KONG, "SVT3 on records", BROKEN,
         lambda s: values.released_queries_on(algorithm(3, s.epsilon, threshold=0.5), revealed_records(s.queries))),
        ("records-svt-4", KONG, "SVT4 on records", BROKEN, partial(_on_records, 4)),
        ("records-svt-5", KONG, "SVT5 on records", BROKEN,
         lambda s: without_query_noise(2.0 / s.epsilon, 0.5, revealed_records(s.queries))),
        ("records-svt-6", KONG, "SVT6 on records", BROKEN,
         lambda s: without_cutoff(s.epsilon, s.queries, 0.5).price_on(revealed_records(s.queries), s.queries)),
        ("gumbel-max", KONG, "noisy max, Gumbel noise", RIGHT, partial(_maximum, noisy_max.gumbel_index)),
        ("mean-true", KONG, "Laplace mean, true counts", BROKEN, partial(_mean, LAPLACE, False, False)),
        ("mean-true-scale", KONG, "Laplace mean, true scale", BROKEN, partial(_mean, LAPLACE, True, False)),
        ("mean-true-divisor", KONG, "Laplace mean, true divisor", BROKEN, partial(_mean, LAPLACE, False, True)),
        ("mean-noisy", KONG, "Laplace mean, noisy counts", RIGHT, partial(_mean, LAPLACE, True, True)),
        ("mean-repaired", "ours", "Laplace mean, repaired", RIGHT, partial(_repaired_mean, LAPLACE)),
    ),
    *_of(
        AUDITORIUM,
        lambda s: s.delta,
        ("gaussian-true", KONG, "Gaussian mean, true counts", BROKEN, partial(_mean, GAUSSIAN, False, False)),
        ("gaussian-true-scale", KONG, "Gaussian mean, true scale", BROKEN, partial(_mean, GAUSSIAN, True, False)),
        ("gaussian-true-divisor", KONG, "Gaussian mean, true divisor", BROKEN, partial(_mean, GAUSSIAN, False, True)),
        ("gaussian-noisy", KONG, "Gaussian mean, noisy counts", RIGHT, partial(_mean, GAUSSIAN, True, True)),
        ("gaussian-repaired", "ours", "Gaussian mean, repaired", RIGHT, partial(_repaired_mean, GAUSSIAN)),
        measure=DELTA,
    ),
)  # fmt: skip
