r"""What is drawn at a temperature, exposed: OPS, the exponential mechanism, Gibbs, Metropolis and annealed steps.

The promise 2Δ/T is one Δ/T for the utilities and one for the normalizers. With one record under a uniform prior both
data sets have the same normalizer, and half of the promise is all that can be spent. All of it is spent where the other
records hold the law at one end of its window, so that the record in question moves the normalizer by its whole e^{Δ/T}:
there `EDGE` of 2Δ/T is left unspent. Both instances are looked at. Of finite sets the second is that of many outcomes,
where one outcome is raised or all others are.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_softmax, logsumexp

from dpsampling.mechanisms import tempering
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.known_laws import coin, laplace
from dpsampling.mechanisms.markov_chains import (
    AnnealedImportanceSampler,
    MetropolisChain,
    amplified,
    gibbs_random_scan,
    gibbs_scan,
    gibbs_update,
    simulate_weights,
)
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.numerics import truncated_beta
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import halving_to_both_ends, legendre
from dpsampling.numerics.truncated_beta import LogitBeta
from dpsampling.privacy.audit_case import AuditCase, Laws, Pair, all_pairs, both_ways, with_less_noise
from dpsampling.privacy.guarantee import Guarantee, Pure
from dpsampling.privacy.laws import Finite, Independent, OnLine, OnNodes

UNIFORM = (1.0, 2.0)
WINDOW = 0.05  # a₀
EDGE = 0.02
FOR_DRAWS = "it is for draws, which tell a lie soonest where many records agree; the others show what can be spent"
HALF = "with one record both normalizers are equal, and their half of 2Δ/T is not spent; the next row spends it"
DIGITS = "at so small an ε the law is e^-1000 and less where it is most exposed, and ln P/Q has too few digits to count"
HALF_UNSEEN = "a lie of 2× spends no more than the whole promise here; the instance with more records sees 5%"
OUTCOMES = 100
STATES = 60


# -- One Posterior Sample ----------------------------------------------------------------------------------------------


def ops(order: float, epsilon: float) -> list[AuditCase]:
    """One record, an edge of the window, and the exact Rényi curve."""
    family = BetaBernoulli()
    one = OnePosteriorSample.calibrate(family, UNIFORM, 1, WINDOW, epsilon=epsilon)
    n = _records_at_the_edge(one.temperature, WINDOW, 2)
    edge = replace(one, n=float(n))
    small, large = (0.0, 1.0), (0.0, 1.0, float(n - 1), float(n))
    return [
        AuditCase(
            f"n = 1, Beta(1, 1), a₀ = {WINDOW:g}",
            one.guarantee,
            _posterior_samples(one, small),
            both_ways(("s = 0", "s = 1")),
            {"temperature": partial(_colder, one, small)},
            {"Jacobian dropped": lambda: _without_jacobian(one, small)},
            named=_named(one, math.inf),
            loose=HALF,
            unseen=HALF_UNSEEN,
        ),
        AuditCase(
            f"n = {n}, all alike, Beta(1, 1), a₀ = {WINDOW:g}",
            edge.guarantee,
            _posterior_samples(edge, large),
            both_ways(("s = 0", "s = 1"), (f"s = {n - 1}", f"s = {n}")),
            {"temperature": partial(_colder, edge, large)},
            loose=DIGITS,
            unseen=DIGITS,
        ),
        AuditCase(
            f"exact curve, n = 1, Beta(1, 1), a₀ = {WINDOW:g}",
            one.renyi_guarantee,
            _posterior_samples(one, small),
            both_ways(("s = 0", "s = 1")),
            {"temperature": partial(_colder, one, small)},
            named=_named(one, order),
        ),
    ]


def _posterior_samples(mechanism: OnePosteriorSample, statistics: tuple[float, ...]) -> Laws:
    return {
        _s(s): OnLine(partial(mechanism.log_density, statistic=s), partial(mechanism.simulate, s), *mechanism.support)
        for s in statistics
    }


def _colder(mechanism: OnePosteriorSample, statistics: tuple[float, ...], factor: float) -> Laws:
    """T/f; the shapes are written out here, for the mechanism refuses temperatures below 1."""
    t = mechanism.temperature / factor
    laws = {_s(s): LogitBeta(s / t + 1.0, (mechanism.n - s) / t + 1.0, *mechanism.support) for s in statistics}
    return {name: OnLine(law.log_density, law.sample, *mechanism.support) for name, law in laws.items()}


def _without_jacobian(mechanism: OnePosteriorSample, statistics: tuple[float, ...]) -> Laws:
    """The density of p at p(θ), taken for that of θ."""

    def log_density(s: float, theta: Array) -> Array:
        return mechanism.log_density(theta, s) + np.logaddexp(0.0, theta) + np.logaddexp(0.0, -theta)

    laws = _posterior_samples(mechanism, statistics)
    return {_s(s): OnLine(partial(log_density, s), laws[_s(s)].sample, *mechanism.support) for s in statistics}


def ops_categorical(_order: float, epsilon: float) -> list[AuditCase]:
    """Three categories under a uniform prior: one record, and many alike."""
    one = OneCategoricalSample.calibrate(np.ones(3), WINDOW, epsilon=epsilon)
    n = _records_at_the_edge(one.temperature, WINDOW, 3)
    small = [np.eye(3)[i] for i in range(3)]
    large = [np.array([n, 0.0, 0.0]), np.array([n - 1.0, 1.0, 0.0])]
    return [
        AuditCase(
            f"K = 3, n = 1, uniform prior, a₀ = {WINDOW:g}",
            one.guarantee,
            laws := _on_triangle(one, small),
            all_pairs(laws),
            {"temperature": partial(_on_triangle, one, small)},
            loose=HALF,
            unseen=HALF_UNSEEN,
        ),
        AuditCase(
            f"K = 3, n = {n}, all alike, a₀ = {WINDOW:g}",
            one.guarantee,
            laws := _on_triangle(one, large),
            all_pairs(laws),
            {"temperature": partial(_on_triangle, one, large)},
            loose=DIGITS,
            unseen=DIGITS,
        ),
    ]


def _on_triangle(mechanism: OneCategoricalSample, counts: list[Array], factor: float | None = None) -> Laws:
    """θ₁ = u and θ₂ = a₀ + (1 − u − 2a₀)v, with nodes that get dense at all edges, and the corners."""
    a0 = mechanism.truncation
    x, w = halving_to_both_ends(16, 6)
    u, v = a0 + (1.0 - 3.0 * a0) * x[:, np.newaxis], x[np.newaxis, :]
    rest = 1.0 - u - 2.0 * a0
    second = a0 + rest * v
    inner = np.stack(np.broadcast_arrays(u, second, 1.0 - u - second), axis=-1).reshape(-1, 3)
    weights = np.log((1.0 - 3.0 * a0) * w[:, np.newaxis] * rest * w).ravel()
    corners = np.full((3, 3), a0) + (1.0 - 3.0 * a0) * np.eye(3)
    points = np.concatenate([np.maximum(inner, a0), corners])
    log_weights = np.concatenate([weights, np.full(3, -np.inf)])
    power = mechanism.temperature / (factor or 1.0)

    def law(count: Array) -> OnNodes:
        # Under a uniform prior the log-density is Σ c_j/T ln θ_j, up to the normalizer.
        def shape(theta: Array) -> Array:
            return np.asarray(np.log(theta) @ (count / power))

        if factor is None:
            normalizer = logsumexp(log_weights + mechanism.log_density(points, count))
            return OnNodes(
                lambda theta: mechanism.log_density(np.maximum(theta, a0), count) - normalizer,
                lambda rng, size: mechanism.simulate(count, rng, size).theta,
                points,
                log_weights,
            )
        normalizer = logsumexp(log_weights + shape(points))
        colder = OneCategoricalSample(mechanism.prior, a0, max(power, 1.0))
        return OnNodes(
            lambda theta: shape(theta) - normalizer,
            lambda rng, size: colder.simulate(count * colder.temperature / power, rng, size).theta,
            points,
            log_weights,
        )

    return {"c = " + " ".join(f"{c:.0f}" for c in count): law(count) for count in counts}


def _records_at_the_edge(temperature: float, a0: float, outcomes: int) -> int:
    """So many that p is 1 − (K−1)a₀ but for EDGE·2Δ of its logit, whose mean there is T/n/(a₀(1 − a₀)) away."""
    spread = (outcomes - 1) * temperature / (a0 * (1.0 - (outcomes - 1) * a0))
    return math.ceil(spread / (EDGE * 2.0 * tempering.sensitivity(a0, outcomes)))


def _s(value: float) -> str:
    return f"s = {value:.0f}"


def _named(mechanism: OnePosteriorSample, order: float) -> Pair:
    (p, *_), (q, *_) = mechanism.worst_pair(order)
    return _s(float(p)), _s(float(q))


# -- finite sets -------------------------------------------------------------------------------------------------------


def exponential(order: float, epsilon: float) -> list[AuditCase]:
    """One outcome against all others, with Δ for both directions and with a ranged one; two even halves for Rényi."""
    first, others = np.eye(OUTCOMES)[0], 1.0 - np.eye(OUTCOMES)[0]
    plain, ranged = (ExponentialMechanism(delta, epsilon, ranged=delta > 1) for delta in (1.0, 2.0))
    halves = np.repeat([1.0, 0.0], 2)
    few = f"all of ε is spent by many more than e^(ε/2) outcomes, and these are {OUTCOMES}"
    bent = f"λε²/8 is its value as ε → 0; at λ = {order:g}, ε = {epsilon:g} the laws' curve bends below it"
    votes = max(4, math.ceil(4.0 / epsilon))
    elections = np.array([votes, 0.0]), np.array([votes - 1.0, 1.0])
    return [
        _chosen(f"{OUTCOMES} outcomes, one against all others", plain, plain.guarantee, (first, others), few),
        _chosen(
            f"ranged Δ, {OUTCOMES} outcomes, one against all others", ranged, ranged.guarantee, (first, others), few
        ),
        _chosen("Rényi curve, two against two outcomes", plain, plain.renyi_guarantee, (halves, 1.0 - halves), bent),
        _chosen(f"two outcomes, {votes} votes", plain, plain.guarantee, elections, FOR_DRAWS),
    ]


def _chosen(
    what: str, mechanism: ExponentialMechanism, guarantee: Guarantee, utilities: tuple[Array, Array], loose: str
) -> AuditCase:
    # Raising some and lowering others by 1 changes a utility by Δ = 1, and their range by 2.
    def law(u: Array, factor: float, draw: bool) -> Finite:
        own = partial(_pick, mechanism, u) if draw else None
        return Finite(np.asarray(log_softmax(u * factor * mechanism.epsilon / 2.0)), own)

    def laws(factor: float, draw: bool = False) -> Laws:
        return {f"u{i}": law(u, factor, draw) for i, u in enumerate(utilities)}

    honest = laws(1.0, draw=True)
    return AuditCase(what, guarantee, honest, both_ways(("u0", "u1")), {"temperature": laws}, loose=loose, unseen=loose)


def _pick(mechanism: ExponentialMechanism, utilities: Array, rng: np.random.Generator, size: int) -> Array:
    # Gumbel-max needs a number for every outcome of every draw: a few thousand draws at once.
    step = max(1, 2_000_000 // len(utilities))
    parts = [mechanism.simulate(utilities, rng, min(step, size - start)) for start in range(0, size, step)]
    return np.concatenate(parts).astype(float)


def gibbs(_order: float, epsilon: float) -> list[AuditCase]:
    """Two coupled variables, each with its own record, enumerated: a sequential and a random scan from public states.

    Record 1 is for state 0 of z₁ or against it; z₁ is drawn given z₂ = 0, then z₂ given z₁.
    """
    delta = 1.0
    t = tempering.temperature(delta, epsilon)
    utilities = {"x₁ = 0": delta * np.eye(STATES)[0], "x₁ = 1": delta * (1.0 - np.eye(STATES)[0])}
    coupling = np.where(np.eye(STATES, dtype=bool), 0.3, 0.0)  # ln-weight of equal states; public

    def scan(factor: float) -> Laws:
        second = log_softmax(coupling, axis=1)
        return {
            name: Finite((log_softmax((u + coupling[0]) / t * factor)[:, np.newaxis] + second).ravel())
            for name, u in utilities.items()
        }

    def random_scan(factor: float) -> Laws:
        either = [log_softmax((u + coupling[0]) / t * factor) for u in utilities.values()]
        untouched = log_softmax(coupling[0])
        return {
            name: Finite(np.concatenate([one, untouched]) - math.log(2.0))
            for name, one in zip(utilities, either, strict=True)
        }

    records = max(4, math.ceil(2.0 * t / delta))

    def many_records(factor: float) -> Laws:
        """One variable of two states, each record a vote for one of them."""
        counts = {f"k = {k}": np.array([records - k, k]) for k in (records - 1, records)}
        return {name: Finite(np.asarray(log_softmax(delta * k / t * factor))) for name, k in counts.items()}

    return [
        AuditCase(
            f"two variables of {STATES} states, a scan",
            gibbs_scan(delta, 2, t, own_records=True),
            scan(1.0),
            both_ways(("x₁ = 0", "x₁ = 1")),
            {"temperature": scan},
        ),
        AuditCase(
            f"two variables of {STATES} states, one of them at random",
            gibbs_random_scan(delta, t),
            random_scan(1.0),
            both_ways(("x₁ = 0", "x₁ = 1")),
            {"temperature": random_scan},
        ),
        AuditCase(
            f"one variable of two states, {records} records",
            gibbs_update(delta, t),
            many_records(1.0),
            both_ways((f"k = {records}", f"k = {records - 1}")),
            {"temperature": many_records},
            loose=FOR_DRAWS,
            unseen=FOR_DRAWS,
        ),
    ]


def secret_sample(_order: float, epsilon: float) -> list[AuditCase]:
    """One of two records, taken in secret, answered by randomized response: which one it was is not told."""

    def laws(factor: float) -> Laws:
        lie = math.exp(-epsilon * factor) / (1.0 + math.exp(-epsilon * factor))
        return {f"x₁ = {x}": coin(0.5 if x else lie) for x in (0, 1)}

    return [
        AuditCase(
            "one of two records, a bit",
            amplified(epsilon, 1, 2),
            laws(1.0),
            both_ways(("x₁ = 0", "x₁ = 1")),
            {"level of the response": laws},
        )
    ]


# -- chains ------------------------------------------------------------------------------------------------------------

STEP, NARROW = 0.002, 0.495  # half-width of the proposal, and a₀ of a window where every slope is nearly the same
WIDE_STEP = 0.2


def metropolis(_order: float, epsilon: float) -> list[AuditCase]:
    """One step of a chain, from the window's upper end, where every proposal goes down.

    If the one record is a success, all of them risk to be refused; if it is a failure, none. Of many records that are
    successes most are refused, which is no more private data but tells a wrong temperature from few draws.
    """
    one = MetropolisChain(UNIFORM, 1, NARROW, epsilon, STEP)
    many = MetropolisChain(UNIFORM, 2 * math.ceil(one.temperature), WINDOW, epsilon, WIDE_STEP)
    many = replace(many, n=2.0 * math.ceil(many.temperature))
    return [
        _stepped(one, (0, 1), f"one step from p = {1 - NARROW:g}, n = 1, w = {STEP:g}", ""),
        _stepped(
            many,
            (int(many.n) - 1, int(many.n)),
            f"one step from p = {1 - WINDOW:g}, n = {many.n:g}, all alike, w = {WIDE_STEP:g}",
            FOR_DRAWS,
        ),
    ]


def _stepped(chain: MetropolisChain, counts: tuple[int, int], what: str, words: str) -> AuditCase:
    names = (f"k = {counts[0]}", f"k = {counts[1]}")

    def laws(colder: float = 1.0, wider: float = 1.0) -> Laws:
        return {name: _step(chain, k, colder, wider) for name, k in zip(names, counts, strict=True)}

    lies = {"temperature": laws, "proposal": lambda factor: laws(wider=factor)}
    return AuditCase(what, chain.guarantee, laws(), both_ways(names), lies, loose=words, unseen=words)


def _step(chain: MetropolisChain, k: int, colder: float = 1.0, wider: float = 1.0) -> OnLine:
    """The density of an accepted move down from the upper end, and the atom of a refused one."""
    start, width, power = chain.window[1], chain.half_width * wider, colder / chain.temperature

    def rise(p: Array) -> Array:
        return np.asarray(k * (np.log(p) - math.log(start)) + (chain.n - k) * (np.log1p(-p) - math.log1p(-start)))

    def log_accepted(p: Array) -> Array:
        return np.minimum(0.0, rise(p) * power)

    # Between the mode and the start's height beyond it, every proposal is accepted.
    mode, low = k / chain.n, start - width
    beyond = low < mode < start and rise(np.array(low)) < 0.0
    bends = (float(brentq(lambda p: float(rise(np.array(p))), low, mode)),) if beyond else ()
    x, w = legendre(40)
    refused = 0.0
    for left, right in pairwise((low, *bends, start)):
        inner = (left + right) / 2.0 + (right - left) / 2.0 * x
        refused += float(w @ -np.expm1(log_accepted(inner))) * (right - left) / 2.0 / width
    stays = math.log(refused) if refused > 0 else -math.inf

    def log_density(p: Array) -> Array:
        p = np.asarray(p, dtype=float)
        inside = (p >= start - width) & (p < start)
        moved = log_accepted(np.where(inside, p, start)) - math.log(width)  # reflected, both halves go down
        return np.where(p == start, stays, np.where(inside, moved, -np.inf))

    def lie(rng: np.random.Generator, size: int) -> Array:
        to = start - rng.uniform(0.0, width, size)
        return np.where(-rng.standard_exponential(size) <= log_accepted(to), to, start)

    def draw(rng: np.random.Generator, size: int) -> Array:
        return chain.simulate(k, rng, size, start).states[-1]

    honest = colder == wider == 1.0
    return OnLine(log_density, draw if honest else lie, start - width, start, (start,), bends)


def annealing(_order: float, epsilon: float) -> list[AuditCase]:
    """One sample of a path with two temperatures, with one record and at the window's edge; and the weights."""
    weights_epsilon = epsilon * EDGE / 10.0
    level = min(epsilon - weights_epsilon, tempering.cost(tempering.sensitivity(WINDOW)))
    one = AnnealedImportanceSampler(UNIFORM, 1, WINDOW, (level, level), 1, weights_epsilon)
    t = tempering.temperature(tempering.sensitivity(WINDOW), level)
    n = _records_at_the_edge(t, WINDOW, 2)
    edge = replace(one, n=float(n))
    records = {f"w = {i}": np.eye(2)[i] for i in range(2)}

    def drawn(weights: Array, rng: np.random.Generator, size: int) -> Array:
        return simulate_weights(np.broadcast_to(weights, (size, len(weights))), epsilon, rng)

    def weights(factor: float, own: bool = False) -> Laws:
        return {
            name: Independent(
                tuple(laplace(w, 2.0 / epsilon / factor) for w in at), partial(drawn, at) if own else None
            )
            for name, at in records.items()
        }

    return [
        replace(_annealed(one, t, (0.0, 1.0), "one sample, n = 1"), loose=HALF, unseen=HALF_UNSEEN),
        replace(
            _annealed(edge, t, (float(n - 1), float(n)), f"one sample, n = {n}, all alike"), loose=DIGITS, unseen=DIGITS
        ),
        with_less_noise("the weights of two samples", Pure(epsilon), weights),
    ]


def _annealed(sampler: AnnealedImportanceSampler, t: float, counts: tuple[float, ...], what: str) -> AuditCase:
    low, high = sampler.a0, tempering.upper_end(sampler.a0)

    def law(k: float, factor: float) -> OnLine:
        a, b = k / t * factor + 1.0, (sampler.n - k) / t * factor + 1.0
        return OnLine(
            lambda p: truncated_beta.log_density(p, a, b, low, high),
            lambda rng, size: truncated_beta.sample(a, b, low, high, rng, size),
            low,
            high,
        )

    def draw(k: float, rng: np.random.Generator, size: int) -> Array:
        return replace(sampler, samples=size).anneal(k, rng)[0]

    def laws(factor: float) -> Laws:
        return {f"k = {k:.0f}": law(k, factor) for k in counts}

    honest = {f"k = {k:.0f}": replace(law(k, 1.0), draw=partial(draw, k)) for k in counts}
    return AuditCase(what, sampler.guarantee, honest, all_pairs(honest), {"temperature": laws})
