"""The compiled chains visit every state path as often as the exact law says, whatever the mechanism.

A long chain, cut into BATCHES batches, gives as many vectors of path frequencies, whose mean is compared with the law
by Hotelling's T². Batches are many times as long as the chain's memory, and the mean of so many is close to normal: a
right sampler fails with probability ERROR_RATE. Planted errors must fail the same test.
"""

import numpy as np
import pytest
from scipy import special, stats

from dpsampling.event_logs import gibbs, latent
from hmm_enumeration import all_paths, joint_law, log_urn, noise_aware_law, path_numbers, swept_law

ERROR_RATE = 1e-6 / 30  # a test: 1e-6 for all of them
BATCHES, LENGTH, BURN_IN = 500, 400, 1000
RARE = 0.003  # paths less likely than this are counted together


def chance(frequencies, law):
    """The probability of a T² at least this large if the mean of the rows of `frequencies` is `law`."""
    order = np.argsort(law)
    rare = order[: np.searchsorted(np.cumsum(law[order]), RARE, side="right")]
    common = np.setdiff1d(order[:-1], np.union1d(rare, order[law[order] < RARE]))
    apart = frequencies[:, common] - law[common]
    batches, classes = apart.shape
    mean, scatter = apart.mean(axis=0), np.atleast_2d(np.cov(apart.T))
    squared = batches * mean @ np.linalg.solve(scatter + 1e-12 * np.eye(classes), mean)
    return stats.f.sf(squared * (batches - classes) / (classes * (batches - 1)), classes, batches - classes)


def batch_frequencies(states, count):
    numbers = path_numbers(states, count).reshape(BATCHES, LENGTH)
    size = count ** states[0].size
    counts = np.bincount((numbers + size * np.arange(BATCHES)[:, None]).ravel(), minlength=BATCHES * size)
    return counts.reshape(BATCHES, size) / LENGTH


def flat(counts):
    return np.ascontiguousarray(counts, dtype=np.float64).reshape(-1, counts.shape[-1])


def run(case, seed, *, emissions=None, sums=None, power=None, floors=None):
    """Path frequencies of `gibbs.chain`."""
    counts, trained = case["counts"], case["trained"]
    emissions = counts if emissions is None else emissions
    floors = case.get("floors", [0.0] * (len(case["offsets"]) - 1)) if floors is None else floors
    trace = gibbs.chain(
        np.random.default_rng(seed),
        flat(emissions),
        flat(emissions if sums is None else sums),
        trained,
        flat(counts)[~trained.ravel()],
        np.array(case["offsets"], dtype=np.int64),
        case["states"],
        case["alpha"],
        case["beta"],
        case.get("power", 1.0) if power is None else power,
        np.array(floors, dtype=np.float64),
        BURN_IN + BATCHES * LENGTH,
        BURN_IN,
    )
    return batch_frequencies(trace.states, case["states"])


def law_of(case):
    given = {key: case[key] for key in ("power", "floors") if key in case}
    return joint_law(*(case[name] for name in ("counts", "trained", "offsets", "states", "alpha", "beta")), **given)


def held(shape, *cells):
    trained = np.ones(shape, dtype=bool)
    for cell in cells:
        trained[cell] = False
    return trained


def some_counts(shape, offsets, mean, seed):
    """Counts of a chain that changes in the middle, weak enough for a sampler to move."""
    rng = np.random.default_rng(seed)
    means = np.tile(mean, (*shape, offsets[-1])) * rng.uniform(0.4, 1.6, (*shape, offsets[-1]))
    means[:, shape[1] // 2 :, ::2] *= 1.7
    return rng.poisson(means).astype(float)


THREE = {"states": 3, "offsets": [0, 3, 5], "alpha": 0.3, "beta": 0.7, "trained": held((1, 4), (0, 2))}
THREE["counts"] = some_counts((1, 4), THREE["offsets"], 1.5, 1)
TWO = {"states": 2, "offsets": [0, 2], "alpha": 0.1, "beta": 1.0, "trained": held((2, 3), (0, 0), (1, 2))}
TWO["counts"] = some_counts((2, 3), TWO["offsets"], 2.0, 2)
EMPTY = {**TWO, "states": 3, "alpha": 0.5, "trained": np.zeros((1, 4), dtype=bool), "counts": np.ones((1, 4, 2))}
REAL = {**TWO, "alpha": 0.4, "beta": 0.5}
REAL["counts"] = np.maximum(REAL["counts"] + np.random.default_rng(3).laplace(scale=2.0, size=(2, 3, 2)), 0.0)
TEMPERED = {**THREE, "power": 0.4, "counts": some_counts((1, 4), THREE["offsets"], 4.0, 4)}
FLOORED = {**TEMPERED, "floors": [1 / 9, 1 / 6]}
BINARY = {**TWO, "power": 0.4, "floors": [0.1], "alpha": 0.15, "counts": some_counts((2, 3), [0, 2], 6.0, 5)}
JOINT = {
    "three states": THREE, "two regions": TWO, "no data": EMPTY, "noisy and clipped": REAL, "tempered": TEMPERED,
    "tempered above floors": FLOORED, "binary above a floor": BINARY,
    "floors at temperature 1": {**FLOORED, "power": 1.0},
}  # fmt: skip


@pytest.mark.parametrize("name", JOINT)
def test_chain_has_the_enumerated_law(name):
    assert chance(run(JOINT[name], 11), law_of(JOINT[name])) > ERROR_RATE


def test_left_out_floors_and_temperature_are_noticed():
    law = law_of(FLOORED)
    assert chance(run(FLOORED, 12, floors=[0.0, 0.0]), law) < ERROR_RATE
    assert chance(run(FLOORED, 13, power=0.5), law) < ERROR_RATE


# -- sum, then clip ----------------------------------------------------------------------------------------------------

UNCLIPPED = np.array([[[-3.1, 4.2], [2.4, -2.6], [5.3, 0.7], [-1.2, 2.9]]])
SUMMED = {"states": 2, "offsets": [0, 2], "alpha": 0.4, "beta": 0.8, "trained": held((1, 4), (0, 3))}
SUMMED["counts"] = np.maximum(UNCLIPPED, 0.0)


def test_sums_clipped_last_have_the_law_of_their_transition_matrix():
    law = swept_law(SUMMED["counts"], UNCLIPPED, SUMMED["trained"], 0.4, 0.8)
    coarser = swept_law(SUMMED["counts"], UNCLIPPED, SUMMED["trained"], 0.4, 0.8, nodes=32)
    assert np.max(np.abs(law - coarser)) < 1e-4
    assert chance(run(SUMMED, 21, sums=UNCLIPPED), law) > ERROR_RATE
    assert chance(run(SUMMED, 22), law) < ERROR_RATE


def test_transition_matrix_agrees_with_the_joint_law_where_there_is_one():
    law = swept_law(SUMMED["counts"], SUMMED["counts"], SUMMED["trained"], 0.4, 0.8)
    assert law == pytest.approx(law_of(SUMMED), abs=1e-4)


# -- noise-aware -------------------------------------------------------------------------------------------------------

SCALE, SEEN_ALPHA, SEEN_BETA = 1.3, 0.5, 1.2
SEEN = held((1, 4), (0, 1))
NOISY = np.array([[[4.6, -1.1, 0.5, 3.3], [9.0, 9.0, 9.0, 9.0], [-0.7, 3.0, 4.8, -0.4], [1.4, 2.5, 2.0, 0.2]]])


def run_latent(share, seed):
    trace = latent.chain(
        np.random.default_rng(seed), flat(NOISY), SCALE, share, SEEN, flat(NOISY)[~SEEN.ravel()],
        np.array([0, 2, 4]), 2, SEEN_ALPHA, SEEN_BETA, BURN_IN + BATCHES * LENGTH, BURN_IN,
    )  # fmt: skip
    return batch_frequencies(trace.states, 2)


@pytest.fixture(scope="module")
def noise_aware():
    law = noise_aware_law(NOISY, SEEN, 2, SCALE, SEEN_ALPHA, SEEN_BETA)
    finer = noise_aware_law(NOISY, SEEN, 2, SCALE, SEEN_ALPHA, SEEN_BETA, highest=200.0, nodes=50, rates=240)
    assert np.max(np.abs(law - finer)) < 1e-8
    return law


@pytest.mark.parametrize("share", [1, 3])
def test_noise_aware_chain_has_the_enumerated_law(noise_aware, share):
    assert chance(run_latent(share, 31), noise_aware) > ERROR_RATE


def slow_noise_aware(seed, *, rate=2.0, chains=BATCHES, sweeps=300, burn_in=50, most=25):
    """The same chain in NumPy, many at once, true counts by inversion of a table; λ | n ~ Gamma(½ + Σ n, rate)."""
    rng = np.random.default_rng(seed)
    n = np.arange(most)
    steps = SEEN.shape[1]
    state = rng.integers(0, 2, (chains, 1, steps))
    counts = np.maximum(np.round(NOISY[0]), 0.0)[None].repeat(chains, axis=0) * SEEN[0][:, None]
    visits, rows = np.zeros((chains, 2**steps)), np.arange(chains)
    table = -np.abs(NOISY[0][:, :, None] - n) / SCALE - special.gammaln(n + 1.0)
    prior = np.exp([log_urn(path, 2, SEEN_ALPHA) for path in all_paths(2, 1, steps)])
    for sweep in range(sweeps):
        sums = np.stack([(counts * (state[:, 0] == k)[:, :, None]).sum(axis=1) for k in range(2)], axis=1)
        theta = np.empty((chains, 2, 4))
        for d in range(2):
            theta[:, :, 2 * d] = rng.beta(sums[:, :, 2 * d] + SEEN_BETA, sums[:, :, 2 * d + 1] + SEEN_BETA)
            theta[:, :, 2 * d + 1] = 1.0 - theta[:, :, 2 * d]
        for t in range(steps):
            proposals = np.stack([state, state], axis=1)
            proposals[:, 0, 0, t], proposals[:, 1, 0, t] = 0, 1
            weights = prior[path_numbers(proposals, 2)]
            terms = None
            if SEEN[0, t]:
                lam = rng.standard_gamma(0.5 + counts[:, t].sum(axis=1)) / rate
                means = np.maximum(lam[:, None, None] * theta, 1e-200)
                terms = np.exp(n * np.log(means)[..., None] - means[..., None] + table[t])
                weights = weights * terms.sum(axis=-1).prod(axis=-1)
            state[:, 0, t] = rng.random(chains) * weights.sum(axis=1) > weights[:, 0]
            if terms is not None:
                cumulated = np.cumsum(terms[rows, state[:, 0, t]], axis=-1)
                counts[:, t] = (cumulated < rng.random((chains, 4, 1)) * cumulated[:, :, -1:]).sum(axis=-1)
        if sweep >= burn_in:
            visits[rows, path_numbers(state, 2)] += 1.0
    return visits / visits.sum(axis=1, keepdims=True)


def test_noise_awareness_is_judged_sharply(noise_aware):
    assert chance(slow_noise_aware(41), noise_aware) > ERROR_RATE
    assert chance(slow_noise_aware(42, rate=1.0), noise_aware) < ERROR_RATE
    clipped = {"states": 2, "offsets": [0, 2, 4], "alpha": SEEN_ALPHA, "beta": SEEN_BETA, "trained": SEEN}
    assert chance(run({**clipped, "counts": np.maximum(NOISY, 0.0)}, 43), noise_aware) < ERROR_RATE


# -- planted errors ----------------------------------------------------------------------------------------------------


def slow(case, seed, error=None, *, chains=BATCHES, sweeps=500, burn_in=200):
    """(48) and (49) for binary features in NumPy, many chains at once, right or with an error."""
    rng = np.random.default_rng(seed)
    counts, trained, states = case["counts"], case["trained"], case["states"]
    alpha, beta, power = case["alpha"], case["beta"], case.get("power", 1.0)
    floor = case.get("floors", [0.0])[0]
    regions, steps = trained.shape
    state = rng.integers(0, states, (chains, regions, steps))
    rows, every = np.arange(chains), np.arange(states)
    moves = np.zeros((chains, states + 1, states), dtype=np.int64)
    for r in range(regions):
        for t in range(steps):
            moves[rows, state[:, r, t - 1] if t else states, state[:, r, t]] += 1
    visits = np.zeros((chains, states ** (regions * steps)))
    tempered_z = 1.0 if error == "only θ tempered" else power
    tempered_moves = 1.0 if error in ("only θ tempered", "transitions not tempered") else power
    for sweep in range(sweeps):
        member = (state[..., None] == every) & trained[None, :, :, None]
        shapes = (np.einsum("crtk,rtj->ckj", member, counts) + beta - 1.0) * power + 1.0
        theta = rng.beta(shapes[..., 0], shapes[..., 1])
        while np.any(outside := np.abs(theta - 0.5) > 0.5 - floor):
            theta[outside] = rng.beta(shapes[..., 0], shapes[..., 1])[outside]
        logs = np.log(np.stack([theta, 1.0 - theta], axis=-1))
        for r in range(regions):
            for t in range(steps):
                p = state[:, r, t - 1] if t else np.full(chains, states)
                moves[rows, p, state[:, r, t]] -= 1
                early = moves[rows, p] + alpha
                if t + 1 < steps:
                    q = state[:, r, t + 1]
                    moves[rows, state[:, r, t], q] -= 1
                weight = early if error == "transition after left in" else moves[rows, p] + alpha
                if t + 1 < steps:
                    stays = every == p[:, None]
                    returns = stays & (every == q[:, None]) & (error != "indicator left out")
                    leaving = moves.sum(axis=2)
                    row = leaving[rows, p][:, None] if error == "second denominator of (48)" else leaving[:, :states]
                    into = np.take_along_axis(moves, q[:, None, None], axis=2)[:, :states, 0]
                    weight = weight * (into + returns + alpha) / (row + stays + states * alpha)
                weight = weight**tempered_moves
                if trained[r, t]:
                    weight = weight * np.exp(tempered_z * (logs @ counts[r, t]))
                cumulated = np.cumsum(weight, axis=1)
                state[:, r, t] = (cumulated < rng.random((chains, 1)) * cumulated[:, -1:]).sum(axis=1)
                moves[rows, p, state[:, r, t]] += 1
                if t + 1 < steps:
                    moves[rows, state[:, r, t], q] += 1
        if sweep >= burn_in:
            visits[rows, path_numbers(state, states)] += 1.0
    return visits / visits.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("case", [TWO, BINARY], ids=["plain", "tempered"])
def test_slow_sampler_passes(case):
    assert chance(slow(case, 51), law_of(case)) > ERROR_RATE


@pytest.mark.parametrize(
    ("case", "error"),
    [
        (TWO, "second denominator of (48)"),
        (TWO, "indicator left out"),
        (TWO, "transition after left in"),
        (BINARY, "transitions not tempered"),
        (BINARY, "only θ tempered"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_planted_errors_fail(case, error):
    assert chance(slow(case, 52, error), law_of(case)) < ERROR_RATE
