"""Second computations for profile-based privacy: exact fractions, fixed points, dense linear programs.

Nothing here imports dpsampling.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from mpmath import mp, mpf
from scipy.optimize import linprog


def growth(epsilon):
    """A fraction below e^ε by less than one part in 10^45."""
    with mp.workdps(70):
        mantissa, exponent = mp.frexp(mp.exp(mpf(epsilon)))
        digits = int(mp.floor(mantissa * mpf(2) ** 160))
    return Fraction(digits) * Fraction(2) ** (int(exponent) - 160)


def readings(profile):
    """The rational profiles that a row of floats may stand for."""
    exact = [Fraction(value) for value in profile]
    yield [value / sum(exact) for value in exact]
    if abs(sum(exact) - 1) <= Fraction(len(exact), 2**52):
        yield exact
        if len(exact) == 2:
            yield [1 - exact[1], exact[1]]


def violations(profiles, matrices, edges, epsilon):
    """(i, j, y) whose constraint fails for a reading of both profiles, with every row's sum checked on the way."""
    bound = growth(min(epsilon, 700.0))
    exact = [[[Fraction(value) for value in row] for row in matrix] for matrix in np.asarray(matrices).tolist()]
    assert all(sum(row) == 1 and min(row) >= 0 for matrix in exact for row in matrix)
    laws = [
        [[sum(p * row[y] for p, row in zip(P, matrix, strict=True)) for y in range(len(P))] for P in readings(profile)]
        for profile, matrix in zip(profiles, exact, strict=True)
    ]
    found = []
    for i, j in [*edges, *[(b, a) for a, b in edges]]:
        for a, b in zip(laws[i], laws[j], strict=False):
            found += [(i, j, y) for y in range(len(a)) if a[y] > bound * b[y]]
    return found


def least_flip(p, q, epsilon):
    """The least common flip of two bits, by bisection on fractions; what suffices once always does (Theorem 23)."""
    bound, p, q = growth(epsilon), Fraction(p), Fraction(q)

    def private(alpha):
        ones = [x * (1 - alpha) + (1 - x) * alpha for x in (p, q)]
        return all(a <= bound * b for a, b in (ones, ones[::-1], [1 - o for o in ones], [1 - o for o in ones[::-1]]))

    if private(Fraction(0)):
        return 0.0
    low, high = Fraction(0), Fraction(1, 2)
    while high - low > Fraction(1, 2**60):
        middle = (low + high) / 2
        low, high = (low, middle) if private(middle) else (middle, high)
    return float(high)


def feasible_flips(p, edges, epsilon, bounds):
    """Whether flips α_i in [0, bounds_i] exist, by the largest fixed point of o_i ≤ min(e^ε o_j, 1 − e^−ε(1 − o_j)).

    Output probabilities lie in intervals with ends p_i and p_i + (1 − 2p_i)·bound. All constraints are monotone, so the
    largest solution below the upper ends is found by lowering, and there is one if it stays above the lower ends.
    """
    p, bounds = np.asarray(p, dtype=float), np.asarray(bounds, dtype=float)
    ends = np.stack([p, p + (1 - 2 * p) * bounds])
    low, high = ends.min(axis=0), ends.max(axis=0)
    up = math.exp(epsilon)
    ends_of = np.array([*edges, *[(b, a) for a, b in edges]])
    for _ in range(20 * len(p) + 100):
        source = high[ends_of[:, 1]]
        cap = np.minimum(up * source, 1 - (1 - source) / up)
        lowered = high.copy()
        np.minimum.at(lowered, ends_of[:, 0], cap)
        if (lowered >= high - 1e-15).all():
            break
        high = lowered
    return bool((high >= low - 1e-13).all())


def least_largest_flip(p, edges, epsilon, fixed=None):
    """The least bound for all flips (or for those that are not fixed), by bisection on `feasible_flips`."""
    fixed = {} if fixed is None else fixed
    open_ = np.array([i not in fixed for i in range(len(p))])
    given = np.array([fixed.get(i, 0.0) for i in range(len(p))])
    low, high = 0.0, 0.5
    if feasible_flips(p, edges, epsilon, np.where(open_, 0.0, given)):
        return 0.0
    for _ in range(48):
        middle = (low + high) / 2
        private = feasible_flips(p, edges, epsilon, np.where(open_, middle, given))
        low, high = (low, middle) if private else (middle, high)
    return high


def lexicographic_flips(p, edges, epsilon):
    """Lexicographically least flips: lower the common bound, fix what cannot go below it alone, repeat."""
    fixed = {}
    while len(fixed) < len(p):
        level = least_largest_flip(p, edges, epsilon, fixed)
        free = [i for i in range(len(p)) if i not in fixed]
        stuck = []
        for i in free:
            bounds = [fixed.get(k, level + 1e-11) for k in range(len(p))]
            bounds[i] = level - 1e-7
            if level <= 1e-7 or not feasible_flips(p, edges, epsilon, bounds):
                stuck.append(i)
        assert stuck
        fixed.update(dict.fromkeys(stuck, level + 1e-10))  # a little more than bisection may have missed
    return np.array([fixed[i] for i in range(len(p))])


class DenseProgram:
    """Eqs. (7.6) and (7.7) written out: one dense row a constraint, whole matrices as unknowns, an interior point."""

    def __init__(self, profiles, edges, epsilon, *, one_bit=False):
        self.P = np.asarray(profiles, dtype=float)
        self.P = self.P / self.P.sum(axis=1, keepdims=True)
        self.k, self.d = self.P.shape
        self.size = self.k * self.d**2 + 1
        self.above, self.limits, self.equal, self.values = [], [], [], []
        for i, x in product(range(self.k), range(self.d)):
            self.equal.append(self.row({(i, x, y): 1 for y in range(self.d)}))
            self.values.append(1)
        if one_bit:
            for i in range(self.k):
                self.equal.append(self.row({(i, 0, 1): 1, (i, 1, 0): -1}))
                self.values.append(0)
        for i, j in [*edges, *[(b, a) for a, b in edges]]:
            for y in range(self.d):
                entries = {(i, x, y): self.P[i, x] / math.expm1(epsilon) for x in range(self.d)}
                entries |= {(j, x, y): -self.P[j, x] * math.exp(epsilon) / math.expm1(epsilon) for x in range(self.d)}
                self.at_most(entries, 0)

    def row(self, entries, last=0.0):
        row = np.zeros(self.size)
        for (i, x, y), value in entries.items():
            row[(i * self.d + x) * self.d + y] = value
        row[-1] = last
        return row

    def at_most(self, entries, limit, last=0.0):
        self.above.append(self.row(entries, last))
        self.limits.append(limit)

    def flips(self):
        return [(i, x, y) for i, x, y in product(range(self.k), range(self.d), range(self.d)) if x != y]

    def solve(self, cost, method="highs-ipm"):
        bounds = [(0, 1)] * (self.size - 1) + [(0, None)]
        arrays = np.array(self.above), self.limits, np.array(self.equal), self.values
        solved = linprog(cost, *arrays, bounds, method=method)
        assert solved.status == 0, solved.message
        return solved.fun

    def least_largest(self):
        """Stage 1, which stays a constraint for what follows."""
        keep = len(self.above)
        for entry in self.flips():
            self.at_most({entry: 1}, 0, last=-1)
        value = self.solve(self.row({}, 1))
        del self.above[keep:], self.limits[keep:]
        for entry in self.flips():
            self.at_most({entry: 1}, value + 1e-8)
        return value

    def least_corruption(self):
        """Stage 2, likewise."""
        cost = {(i, x, y): self.P[i, x] for i, x, y in self.flips()}
        value = self.solve(self.row(cost))
        self.at_most(cost, value + 1e-8)
        return value

    def least_costs(self):
        """Stage 3: the least largest cost; which cannot go below it alone; and on with the others."""
        fixed = {}
        while len(fixed) < self.d:
            level = self._bounded(fixed, range(self.d))
            for y in [y for y in range(self.d) if y not in fixed]:
                others = {**fixed, **{z: level for z in range(self.d) if z not in fixed and z != y}}
                if self._bounded(others, [y]) > level - 1e-5 * max(level, 1e-3):
                    fixed[y] = level
        return np.array([fixed[y] for y in range(self.d)])

    def _bounded(self, fixed, free):
        keep = len(self.above)
        for i, y, sign in product(range(self.k), range(self.d), (1, -1)):
            entries = {(i, x, y): sign * self.P[i, x] for x in range(self.d)}
            if y in fixed:
                self.at_most(entries, sign * self.P[i, y] + fixed[y] + 1e-8)
            elif y in free:
                self.at_most(entries, sign * self.P[i, y], last=-1)
        value = self.solve(self.row({}, 1))
        del self.above[keep:], self.limits[keep:]
        return value
