r"""KL, total variation and the largest log-ratio of pairs of posteriors, each KL by its closed form and by an integral.

Data are n records that are all 0 (all equal to μ), of which one becomes v, or bits of which one or all become 1; of
networks, records (0, 0) of which one becomes (1, 0) or (1, 1). Each pair is looked at both ways. Beside them:

    corners          every pair of data sets of one or two records, every event of the eight corners of A → B
    two parameters   one record with N values: p_a uniform, p_b = e^M times as likely at one value as at any other,
                     prior ξ(b) = e^{−cM}; under the discrete metric L(b) = M and L(a) = 0, so Assumption 2 holds with c
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.foundations.robust import bounds, constants
from dpsampling.foundations.robust.families import Bits, Exponential, Laplace, NormalPrecision, NormalVariance
from dpsampling.foundations.robust.networks import EDGE, INDEPENDENT
from reproduction.experiments.foundations import posterior_kl as said

Row = dict[str, Any]
Array = NDArray[np.float64]

RARE_VALUES, RARE_HEIGHT, RARE_C = 65_536, 25.0, 0.37  # N, M and c


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each pair; nothing here is random."""
    del rng
    kappa = constants.kappa().upper
    rows: list[Row] = [_rare(kappa, reverse) for reverse in (False, True)]
    for concentration in params["concentrations"]:
        for n in params["sizes"]:
            for change in params["changes"]:
                rows += _real_records(concentration, n, change, kappa)
            rows += _bits(concentration, n, kappa)
    for epsilon in params["least_probabilities"]:
        for n in params["sizes"]:
            if n <= said.LARGEST_NETWORK:
                rows += _networks(epsilon, n)
        rows += _corners(epsilon)
    return pd.DataFrame(rows).reindex(columns=list(said.COLUMNS))


# -- Assumption 2 ------------------------------------------------------------------------------------------------------


def _real_records(concentration: float, n: int, change: float, kappa: float) -> Iterator[Row]:
    """One record of n goes from 0 to `change`, and back."""
    still, moved = [0.0] * n, [0.0] * (n - 1) + [change]
    for name, kind in ((said.EXPONENTIAL, Exponential), (said.LAPLACE, Laplace), (said.NORMAL, NormalPrecision)):
        family = kind(concentration)
        about = _about(said.SECOND, name, f"{said.ONE}, 0 to {change:g}", n, concentration)
        laws = family.posterior(still), family.posterior(moved)
        yield from _relaxed(about, family, family.distance(still, moved), kappa, laws)
    # σ² has an improper posterior where all records are μ: they are 1 here.
    printed = NormalVariance(concentration)
    still, moved = [1.0] * n, [1.0] * (n - 1) + [1.0 + change]
    variances = printed.posterior(still), printed.posterior(moved)
    distance = printed.distance(still, moved)
    for v, w in (variances, variances[::-1]):
        yield {
            **_about(said.SECOND, said.PRINTED_NORMAL, f"{said.ONE}, 1 to {1 + change:g}", n, concentration),
            "constant": concentration,  # c = λ, as printed
            "distance": distance,
            "kl_exact": v.kl(w),
            "kl_quadrature": v.kl_by_quadrature(w),
            "bound": kappa * distance / concentration,
            "corrected_bound": bounds.corrected_kl(distance, v.mean_inverse() / 2.0, w.mean_inverse() / 2.0),
        }


def _bits(alpha: float, n: int, kappa: float) -> Iterator[Row]:
    """The first 1, one more 1 in the middle, and all of them."""
    family = Bits(alpha)
    for pair, (low, high) in {
        f"{said.ONE}, k = 0 to 1": (0, 1),
        f"{said.ONE}, k = {n // 2} to {n // 2 + 1}": (n // 2, n // 2 + 1),
        f"{said.ALL}, k = 0 to {n}": (0, n),
    }.items():
        if high > n:
            continue
        about = _about(said.SECOND, said.BITS, pair, n, alpha)
        laws = family.counted(low, n), family.counted(high, n)
        yield from _relaxed(about, family, float(high - low), kappa, laws)


def _relaxed(about: Row, family: Any, distance: float, kappa: float, laws: tuple[Any, Any]) -> Iterator[Row]:
    """Both ways between the posteriors of two data sets."""
    per_unit = bounds.kl_per_unit(c=family.c, kappa=kappa)
    for p, q in (laws, laws[::-1]):
        yield {
            **about,
            "constant": family.c,
            "distance": distance,
            "kl_exact": p.kl(q),
            "kl_quadrature": p.kl_by_quadrature(q),
            "bound": per_unit * distance,
            "corrected_bound": bounds.corrected_kl(distance, family.mean_lipschitz(p), family.mean_lipschitz(q)),
            "tv": p.total_variation(q),
            "tv_bound": bounds.total_variation(per_unit, distance),
        }


def _rare(kappa: float, reverse: bool) -> Row:
    """Posterior odds of b at the value that b favours, and at another."""
    prior = math.exp(-RARE_C * RARE_HEIGHT)
    whole = math.exp(RARE_HEIGHT) + RARE_VALUES - 1.0
    likelihoods = [(1.0 / RARE_VALUES, math.exp(RARE_HEIGHT) / whole), (1.0 / RARE_VALUES, 1.0 / whole)]
    weights = np.array([1.0 - prior, prior])
    x, y = (np.array(pair) for pair in (likelihoods[::-1] if reverse else likelihoods))
    per_unit = bounds.kl_per_unit(c=RARE_C, kappa=kappa)
    p, q = (weights * at / np.sum(weights * at) for at in (x, y))
    levels = np.array([0.0, RARE_HEIGHT])
    return {
        **_about(said.SECOND, said.RARE, "the rare value" + (" is y" if reverse else " is x"), 1, RARE_C),
        "constant": RARE_C,
        "distance": 1.0,
        "kl_exact": float(np.sum(p * np.log(p / q))),
        "kl_quadrature": float(np.sum(p * np.log(x / y)) + np.log(np.sum(weights * y) / np.sum(weights * x))),
        "bound": per_unit,
        "corrected_bound": bounds.corrected_kl(1.0, float(p @ levels), float(q @ levels)),
        "tv": float(np.abs(p - q).sum()) / 2.0,
        "tv_bound": bounds.total_variation(per_unit, 1.0),
        "log_ratio": float(np.max(np.log(p / q))),
    }


# -- Assumption 1 ------------------------------------------------------------------------------------------------------


def _networks(epsilon: float, n: int) -> Iterator[Row]:
    """A → B under the weighted distance, and A, B apart, where it is Hamming's."""
    for name, network in ((said.EDGE, EDGE), (said.INDEPENDENT, INDEPENDENT)):
        for to in ((1, 0), (1, 1)):
            still, moved = [(0, 0)] * n, [(0, 0)] * (n - 1) + [to]
            p, q = network.posterior(still, epsilon), network.posterior(moved, epsilon)
            apart = network.hamming if network is INDEPENDENT else network.weighted
            about = _lipschitz(name, f"{said.ONE}, (0, 0) to {to}", n, epsilon, float(apart((0, 0), to)))
            for v, w in ((p, q), (q, p)):
                kl, integral, ratio = v.kl(w), v.kl_by_quadrature(w), v.log_ratio(w)
                yield {**about, "kl_exact": kl, "kl_quadrature": integral, "log_ratio": ratio}


def _corners(epsilon: float) -> Iterator[Row]:
    """Every pair of data sets of one or two records, and every event; the worst of each distance."""
    logs = np.array([EDGE.log_probabilities(corner) for corner in EDGE.corners(epsilon)])
    corners = len(logs)
    events = np.array(list(product((0.0, 1.0), repeat=corners)))[1:]
    for n in (1, 2):
        data = list(product(range(len(EDGE.outcomes)), repeat=n))
        likelihood = np.array([logs[:, list(records)].sum(axis=1) for records in data])
        posterior = np.exp(likelihood) / np.exp(likelihood).sum(axis=1, keepdims=True)
        masses = posterior @ events.T
        by_distance: dict[float, list[tuple[float, float, float, float]]] = {}
        for i, j in product(range(len(data)), repeat=2):
            pairs = zip(data[i], data[j], strict=True)
            distance = float(sum(EDGE.weighted(EDGE.outcomes[a], EDGE.outcomes[b]) for a, b in pairs))
            if distance:
                by_distance.setdefault(distance, []).append(_events(posterior, masses, likelihood, i, j))
        for distance, measured in sorted(by_distance.items()):
            about = _lipschitz(said.CORNERS, f"all pairs of {n} records, all events", n, epsilon, distance)
            worst = zip(
                ("kl_exact", "kl_quadrature", "tv", "log_ratio"), np.max(measured, axis=0).tolist(), strict=True
            )
            yield {**about, **dict(worst), "cases": len(measured) * len(events)}


def _events(posterior: Array, masses: Array, likelihood: Array, i: int, j: int) -> tuple[float, float, float, float]:
    """KL, KL from likelihoods and evidences, the largest P(B) − Q(B) and ln P(B)/Q(B) of all events."""
    p, q = posterior[i], posterior[j]
    evidence = np.log(np.exp(likelihood[j]).sum() / np.exp(likelihood[i]).sum())
    return (
        float(np.sum(p * np.log(p / q))),
        float(np.sum(p * (likelihood[i] - likelihood[j])) + evidence),
        float(np.max(masses[i] - masses[j])),
        float(np.max(np.log(masses[i] / masses[j]))),
    )


def _lipschitz(family: str, pair: str, n: int, epsilon: float, distance: float) -> Row:
    """L = ln(1/ε), and what it promises."""
    lipschitz = math.log(1.0 / epsilon)
    bound = bounds.kl_per_unit(lipschitz=lipschitz) * distance
    return {
        **_about(said.FIRST, family, pair, n, epsilon),
        "constant": lipschitz,
        "distance": distance,
        "bound": bound,
        "corrected_bound": bound,
        "log_ratio_bound": bound,
    }


def _about(statement: str, family: str, pair: str, n: int, concentration: float) -> Row:
    return {"statement": statement, "family": family, "pair": pair, "n": n, "concentration": concentration, "cases": 1}
