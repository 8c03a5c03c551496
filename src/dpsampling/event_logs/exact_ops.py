r"""One Posterior Sample of the hidden Markov model, exact: every conditional of its Gibbs chain is an ideal draw.

The conditionals are those of `gibbs`, at power 1/T and with θ kept above the features' floors a₀,

    θ^(k,d) | Z ~ Dirichlet((n_{k,d} + β − 1)/T + 1) given every θ_j ≥ a₀,
    Pr(z_{r,t} = k | ·) ∝ [(c[p,k] + α) · (c[k,q] + 1[p = k = q] + α) / (s[k] + 1[p = k] + Kα) · Π θ_j^n]^{1/T}.

An iteration is one program on the tape: θ is real numbers, of which as many digits are looked at as the states that
follow from them need, and only these states go on to the next. So what comes out, the last states and the digits of the
last θ, is what the chain of exact conditionals gives, and each of its 2 × iterations updates costs 2Δ/T. A model of one
state needs no chain: its θ is one exact draw from the posterior of corpus-wide counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, fmpz_mat

from dpsampling.errors import InputError
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.mechanisms import OnePosteriorSample
from dpsampling.numerics.arrays import Integers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import rational
from dpsampling.numerics.exact.tape import BitSource, Tape, floor, positive, system_bits
from dpsampling.numerics.exact.truncated import exponent
from dpsampling.numerics.exact.truncated_dirichlet import TruncatedDirichlet
from dpsampling.privacy.guarantee import Pure

Theta = list[list[arb]]  # of each state, the features' outcomes side by side


@dataclass(frozen=True, eq=False)
class ExactSample:
    """What is released: the chain's last states and last θ, and what they cost."""

    states: Integers  # (regions, steps)
    probabilities: FixedPoint  # (K, J): each k·2⁻ᵇ is below its θ_j ≥ a₀ by less than 2⁻ᵇ
    guarantee: Pure


def release(
    counts: EventCounts,
    mechanism: OnePosteriorSample,
    states: int,
    *,
    iterations: int = 200,
    alpha: float = 1.0,
    beta: float = 1.0,
    source: BitSource = system_bits,
) -> ExactSample:
    """One exact draw for one state, or the end of a chain for more, at the certain price of its updates."""
    if not 1 <= states <= 100:
        raise InputError(f"states is {states}; a model has 1 to 100.")
    if not iterations >= 1:
        raise InputError(f"iterations is {iterations}; a chain has 1 or more.")
    model = Conditionals(
        counts.counts.reshape(-1, counts.counts.shape[-1]),
        counts.counts.shape[1],
        [int(offset) for offset in counts.offsets],
        states,
        Fraction(alpha),
        Fraction(beta),
        1 / Fraction(mechanism.temperature(counts.sizes)),
        [Fraction(a0) for a0 in mechanism.floors(counts.sizes).tolist()],
    )
    tape = Tape(source)
    updates = 1 if states == 1 else 2 * iterations
    last = model.first(tape)
    digits = exponent(float(min(model.floors)))
    for _ in range(1 if states == 1 else iterations):
        last, theta = tape.draw(model.iteration(last, digits))
    return ExactSample(
        last.reshape(counts.counts.shape[:2]), FixedPoint.of(theta, digits), mechanism.guarantee(counts.sizes, updates)
    )


@dataclass(frozen=True, eq=False)
class Conditionals:
    """The model's parameters and counts, one row a cell, region by region of `steps` cells each."""

    counts: Integers  # (cells, J)
    steps: int
    offsets: list[int]
    states: int
    alpha: Fraction
    beta: Fraction
    power: Fraction
    floors: list[Fraction]

    def first(self, tape: Tape) -> Integers:
        """Where a chain starts: states that do not depend on the data, all alike likely."""
        count = len(self.counts)
        return np.array(tape.draw(lambda tape: [floor(self.states * tape.uniform()) for _ in range(count)]))

    def iteration(self, state: Integers, digits: int) -> Callable[[Tape], tuple[Integers, list[list[int]]]]:
        """θ given the states, and then new states given θ; θ comes out as ⌊2ᵇθ⌋."""
        laws = self._laws(state)
        counts = fmpz_mat(self.counts.tolist())

        def program(tape: Tape) -> tuple[Integers, list[list[int]]]:
            theta = [[part for law in row for part in law(tape)] for row in laws]
            new = self._sweep(tape, state, theta, counts) if self.states > 1 else state
            return new, [[floor(part, digits) for part in row] for row in theta]

        return program

    def _laws(self, state: Integers) -> list[list[TruncatedDirichlet]]:
        """That of θ, by state and feature."""
        spans = list(zip(self.offsets, self.offsets[1:], self.floors, strict=False))
        rows = []
        for k in range(self.states):
            sums = self.counts[state == k].sum(axis=0).tolist()
            shapes = [(n + self.beta - 1) * self.power + 1 for n in sums]
            rows.append([TruncatedDirichlet(shapes[start:end], a0) for start, end, a0 in spans])
        return rows

    def _sweep(self, tape: Tape, state: Integers, theta: Theta, counts: fmpz_mat) -> Integers:
        """Every cell's state in turn, given θ and all others."""
        count, cells = self.states, len(self.counts)
        power = arb(rational(self.power))
        log_theta = arb_mat([[part.log() * power for part in row] for row in theta])
        evidence = (arb_mat(counts) * log_theta.transpose()).tolist()
        ahead = _powers(self.alpha, self.power, cells + 2)  # (c + α)^{1/T}
        leaving = _powers(count * self.alpha, self.power, cells + 2)  # (s + Kα)^{1/T}
        new = state.tolist()
        transitions = [[0] * count for _ in range(count + 1)]  # the start row is the last
        for cell, k in enumerate(new):
            transitions[new[cell - 1] if cell % self.steps else count][k] += 1
        sums = [sum(row) for row in transitions]
        for cell in range(cells):
            previous = new[cell - 1] if cell % self.steps else count
            following = new[cell + 1] if (cell + 1) % self.steps else None
            k = new[cell]
            transitions[previous][k] -= 1
            sums[previous] -= 1
            if following is not None:
                transitions[k][following] -= 1
                sums[k] -= 1
            weights = []
            for k in range(count):
                weight = ahead[transitions[previous][k]]
                if following is not None:
                    stays = previous == k
                    returns = stays and following == k
                    weight = weight * ahead[transitions[k][following] + returns] / leaving[sums[k] + stays]
                weights.append(weight * (evidence[cell][k] - evidence[cell][0]).exp())
            k = new[cell] = _pick(tape, weights)
            transitions[previous][k] += 1
            sums[previous] += 1
            if following is not None:
                transitions[k][following] += 1
                sums[k] += 1
        return np.array(new)


def _pick(tape: Tape, weights: list[arb]) -> int:
    """k with probability ∝ its weight."""
    point = tape.uniform() * sum(weights, start=arb(0))
    for k, weight in enumerate(weights[:-1]):
        point = point - weight
        if not positive(point):
            return k
    return len(weights) - 1


def _powers(first: Fraction, power: Fraction, count: int) -> list[arb]:
    """(first + c)^power for c = 0, 1, …"""
    exact, start = arb(rational(power)), rational(first)
    return [arb(start + c) ** exact for c in range(count)]
