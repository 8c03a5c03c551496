"""The law of a small hidden Markov model's state paths, by adding up every path: what the samplers are judged by.

Nothing here is shared with the package. Transitions are integrated out one after another, as draws from one Pólya urn
for each state and one for the start; emissions by beta and gamma functions or by quadrature.
"""

import itertools
import math

import numpy as np
from scipy import integrate, special


def all_paths(states, regions, steps):
    """Every path, in the order of its digits in base `states`."""
    return np.array(list(itertools.product(range(states), repeat=regions * steps))).reshape(-1, regions, steps)


def path_numbers(paths, states):
    """The places of paths (…, regions, steps) in `all_paths`."""
    flat = np.asarray(paths).reshape(*np.shape(paths)[:-2], -1).astype(int)
    return flat @ states ** np.arange(flat.shape[-1])[::-1]


def log_urn(path, states, alpha):
    """ln p(Z): each transition is a draw from its row's urn, which starts with α balls of each state."""
    urns = np.full((states + 1, states), float(alpha))
    total = 0.0
    for region in path:
        previous = states
        for k in region:
            total += math.log(urns[previous, k] / urns[previous].sum())
            urns[previous, k] += 1.0
            previous = k
    return total


def normalised(logs):
    """e^logs, scaled to sum to 1."""
    weights = np.exp(logs - np.max(logs))
    return weights / weights.sum()


# -- where θ integrates out --------------------------------------------------------------------------------------------


def log_window(shapes, floor):
    """ln ∫ Π θ_j^{a_j − 1} over the simplex with every θ_j ≥ floor; two or three coordinates if the floor is not 0."""
    a = np.asarray(shapes, dtype=float)
    if floor == 0.0:
        return special.gammaln(a).sum() - special.gammaln(a.sum())
    if len(a) == 2:
        inside = special.betainc(a[0], a[1], 1.0 - floor) - special.betainc(a[0], a[1], floor)
        return special.betaln(a[0], a[1]) + math.log(inside)

    def density(x):
        lowest = floor / (1.0 - x)
        others = special.betainc(a[1], a[2], 1.0 - lowest) - special.betainc(a[1], a[2], lowest)
        return x ** (a[0] - 1.0) * (1.0 - x) ** (a[1] + a[2] - 1.0) * others

    value = integrate.quad(density, floor, 1.0 - 2.0 * floor, epsabs=0.0, epsrel=1e-11, limit=200)[0]
    return math.log(value) + special.betaln(a[1], a[2])


def joint_law(counts, trained, offsets, states, alpha, beta, *, power=1.0, floors=None):
    """π(Z) ∝ p(Z)^{1/T} Π_k Π_d ∫ Π_j θ_j^{(n_kdj + β − 1)/T} dθ over θ ≥ floor, where 1/T is `power`.

    `counts` (regions, steps, outcomes) may be any numbers at or above 0.
    """
    floors = [0.0] * (len(offsets) - 1) if floors is None else floors
    paths = all_paths(states, *trained.shape)
    known = {}

    def log_emissions(members):
        key = members.tobytes()
        if key not in known:
            shapes = (counts[members].sum(axis=0) + beta - 1.0) * power + 1.0
            parts = zip(itertools.pairwise(offsets), floors, strict=True)
            known[key] = sum(log_window(shapes[first:end], floor) for (first, end), floor in parts)
        return known[key]

    return normalised(
        np.array(
            [
                power * log_urn(path, states, alpha) + sum(log_emissions(trained & (path == k)) for k in range(states))
                for path in paths
            ]
        )
    )


# -- where there is no joint law ---------------------------------------------------------------------------------------


def beta_nodes(a, b, nodes):
    """Nodes θ, as ln θ and ln(1 − θ), and weights of Gauss's rule for a Beta(a, b)."""
    t, weights = special.roots_jacobi(nodes, b - 1.0, a - 1.0)
    return np.stack([np.log1p(t), np.log1p(-t)]) - math.log(2.0), weights / weights.sum()


def swept_law(emissions, sums, trained, alpha, beta, *, nodes=48):
    """The stationary law of θ | Z from `sums`, clipped at 0 after adding, then a sweep of z | θ from `emissions`.

    Two states and one feature of two outcomes. The transition probabilities of a whole iteration over all pairs of
    paths are averages over θ. In a sweep each cell in turn is drawn from the urns' p(Z) times the likelihood, among
    the paths that agree everywhere else.
    """
    paths = all_paths(2, *trained.shape)
    flat = paths.reshape(len(paths), -1)
    prior = np.array([log_urn(path, 2, alpha) for path in paths])
    groups = [path_numbers(np.where(np.arange(flat.shape[1]) == s, 0, flat)[:, None], 2) for s in range(flat.shape[1])]
    kernel = np.empty((len(paths), len(paths)))
    for i, path in enumerate(paths):
        logs, weights = [], []
        for k in range(2):
            a, b = np.maximum(sums[trained & (path == k)].sum(axis=0), 0.0) + beta
            log_theta, weight = beta_nodes(a, b, nodes)
            mine = np.array([emissions[trained & (other == k)].sum(axis=0) for other in paths])
            logs.append(mine @ log_theta)
            weights.append(weight)
        joint = prior[:, None, None] + logs[0][:, :, None] + logs[1][:, None, :]
        joint = np.exp(joint - joint.max(axis=0))
        law = np.zeros_like(joint)
        law[i] = 1.0
        for group in groups:
            mass, weight = np.zeros_like(law), np.zeros_like(joint)
            np.add.at(mass, group, law)
            np.add.at(weight, group, joint)
            law = mass[group] * joint / weight[group]
        kernel[i] = np.einsum("zab,a,b->z", law, *weights)
    assert np.allclose(kernel.sum(axis=1), 1.0, atol=1e-12)
    equations = np.vstack([kernel.T - np.eye(len(paths)), np.ones(len(paths))])
    return np.linalg.lstsq(equations, np.append(np.zeros(len(paths)), 1.0), rcond=None)[0]


# -- where the true counts are unknown ---------------------------------------------------------------------------------


def evidence(noisy, means, scale, most=250):
    """E(y; μ) = Σ_n e^{−μ} μⁿ/n! · e^{−|y−n|/b} for an array of means, term by term."""
    n = np.arange(most)
    logs = special.xlogy(n, means[..., None]) - special.gammaln(n + 1.0) - means[..., None] - np.abs(noisy - n) / scale
    return np.exp(logs).sum(axis=-1)


def noise_aware_law(noisy, trained, states, scale, alpha, beta, *, highest=100.0, nodes=40, rates=160):
    """π(Z) ∝ p(Z) Π_k ∫ Π_{cells in k} [∫ λ^{−1/2} Π_{d,j} E(y_dj; λ θ_dj) dλ] dθ for two features of two outcomes.

    λ = u² up to `highest`, by Gauss-Legendre in u; θ by Gauss-Jacobi.
    """
    log_theta, weights = beta_nodes(beta, beta, nodes)
    theta = np.exp(log_theta)
    u, step = np.polynomial.legendre.leggauss(rates)
    u, step = (u + 1.0) * math.sqrt(highest) / 2.0, step * math.sqrt(highest)
    cells = np.full((*trained.shape, nodes, nodes), np.nan)
    for r, t in zip(*np.nonzero(trained), strict=True):
        by_feature = []
        for d in range(2):
            pair = noisy[r, t, 2 * d : 2 * d + 2]
            means = u[:, None, None] ** 2 * theta
            by_feature.append(evidence(pair[0], means[:, 0], scale) * evidence(pair[1], means[:, 1], scale))
        cells[r, t] = np.einsum("u,ua,ub->ab", step, *by_feature)
    logs = []
    for path in all_paths(states, *trained.shape):
        total = log_urn(path, states, alpha)
        for k in range(states):
            total += math.log(weights @ cells[trained & (path == k)].prod(axis=0) @ weights)
        logs.append(total)
    return normalised(np.array(logs))
