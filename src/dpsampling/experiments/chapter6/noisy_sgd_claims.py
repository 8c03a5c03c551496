"""What Theorem 22 and Lemma 7 say, and what holds at best."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.iteration import through
from dpsampling.amplification.noisy_sgd import CONVEX, OPTIMAL, PRINTED, NoisySGD
from dpsampling.claims import Claim, agrees, at_least, at_most, corrected, never, untestable
from dpsampling.experiments.chapter6.logistic import Logistic
from dpsampling.experiments.chapter6.noisy_sgd import CONSTANTS
from dpsampling.experiments.contract import parameters_of
from dpsampling.randomness import stream

THEOREM, LEMMA, SECTION = "thesis Theorem 22", "thesis Lemma 7", "thesis section 6.4.1"
ROUNDING = 1e-9
PAIRS = 20_000
STANDARD_ERRORS = 5.0
FEW = 50  # repeats, below which a mean over its standard error is not close to normal


def judge(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """The forms of ε_i against one another and against exact kernels, the contraction, and the loss."""
    params = parameters_of(table, experiment)
    sgd = NoisySGD(**{name: float(params[name]) for name in CONSTANTS})
    wide = table.pivot_table(index="index", columns="curve", values="epsilon")
    above = int(np.sum(wide[OPTIMAL] > wide[PRINTED] * (1.0 + ROUNDING)))
    return [
        never(
            "printed",
            THEOREM,
            "the printed ε_i holds: it is nowhere below the best form",
            violations=above,
            cases=len(wide),
        ),
        _attained(wide, sgd),
        _improvement(wide),
        _quoted(wide, sgd),
        at_most(
            "contraction",
            LEMMA,
            f"x − η∇f contracts by the printed L = {sgd.printed_contraction:.6g} (the sharp constant)",
            limit=sgd.printed_contraction,
            measured=sgd.contraction,
            tolerance=1e-12,
        ),
        _quadratic(sgd),
        _measured_contraction(sgd, int(params["dimension"])),
        unharmed(table[table["curve"] == OPTIMAL].sort_values("index", ascending=False), sgd, params),
    ]


def _attained(wide: pd.DataFrame, sgd: NoisySGD) -> Claim:
    """Linear gradients ρx ∓ C: Gaussians at distance 2ηC L^r with variance η²σ² Σ_{j≤r} L^{2j}."""
    n, contraction = int(wide.index.max()), sgd.contraction
    worst = 0.0
    for index, level in wide[OPTIMAL].items():
        after = n - int(str(index))
        powers = contraction ** (2.0 * np.arange(after + 1))
        exact = 2.0 * (sgd.lipschitz / sgd.sigma) ** 2 * powers[-1] / powers.sum()
        if exact > 1e-290:
            worst = max(worst, abs(level / exact - 1.0))
    text = "the best form (2C²/σ²)·L^{2r}(1−L²)/(1−L^{2(r+1)}) is attained by linear gradients (relative error)"
    return agrees("attained", THEOREM, text, expected=0.0, measured=worst, tolerance=ROUNDING)


def _improvement(wide: pd.DataFrame) -> Claim:
    first = wide.loc[wide.index.min()]
    text = "strong convexity improves on the convex case exponentially (ln of their ratio at i = 1)"
    if not (first[PRINTED] > 0 and wide.index.max() > wide.index.min()):
        return untestable(
            "improvement", THEOREM, text, "there is one record, or the printed ε_1 is too small for a float"
        )
    return at_least(
        "improvement", THEOREM, text, limit=0.0, measured=math.log(first[CONVEX]) - math.log(first[PRINTED])
    )


def _quoted(wide: pd.DataFrame, sgd: NoisySGD) -> Claim:
    """At L = 1 the exact kernels give 2C²/((n − i + 1)σ²), so n − i is too much everywhere and infinite at i = n."""
    n, own = int(wide.index.max()), 2.0 * (sgd.lipschitz / sgd.sigma) ** 2
    printed, merged = 0.0, 0.0
    for index, level in wide[CONVEX].items():
        after = n - int(str(index))
        # n − i + 1 noises, all maps isometries, and a shift of 2ηC: what `through` gives for the Rényi order 2, halved
        noise = sgd.rate * sgd.sigma
        exact = through(2.0 * sgd.rate * sgd.lipschitz, [1.0] * (after + 1), [noise] * (after + 1)).epsilon(2.0) / 2.0
        printed = max(printed, abs(level / exact - 1.0))
        merged = max(merged, abs(own / (after + 1) / exact - 1.0))
    return corrected(
        "convex",
        SECTION,
        "for convex losses the guarantee at index i is O(C²/((n − i)σ²)), here with the constant 2",
        correction="2C²/((n − i + 1)σ²), which is finite at i = n; the limit L → 1 of the best form, exact for "
        "isometries (errors are relative, the largest over i)",
        error_as_printed=printed,
        error_as_corrected=merged,
        tolerance=ROUNDING,
    )


def _quadratic(sgd: NoisySGD) -> Claim:
    curvatures = np.array([sgd.convexity, (sgd.convexity + sgd.smoothness) / 2.0, sgd.smoothness])
    measured = float(np.linalg.norm(np.diag(1.0 - sgd.rate * curvatures), 2))
    text = "the sharp constant is 1 − ηρ: a quadratic with curvatures from ρ to β has it as its operator norm"
    return agrees("sharp", LEMMA, text, expected=sgd.contraction, measured=measured, tolerance=1e-12)


def _measured_contraction(sgd: NoisySGD, dimension: int) -> Claim:
    """Random pairs of points of the ball and random records, near and far."""
    rng = stream(0, "contraction", dimension)
    problem = Logistic.draw(dimension, sgd.lipschitz, sgd.smoothness, sgd.convexity, rng)
    ratio = measured_contraction(problem, sgd.rate, PAIRS, rng)
    text = f"gradient steps of the problem that is run contract by 1 − ηρ (largest ratio of {PAIRS} pairs)"
    return at_most("measured", LEMMA, text, limit=sgd.contraction, measured=ratio, tolerance=1e-12)


def measured_contraction(problem: Logistic, rate: float, pairs: int, rng: np.random.Generator) -> float:
    """The largest ‖ψ(x) − ψ(y)‖/‖x − y‖ over random pairs of the ball, at distances over six powers of ten."""
    dimension = problem.population.shape[1]
    x = problem.project(problem.radius * rng.standard_normal((pairs, dimension)))
    step = rng.standard_normal((pairs, dimension)) * 10.0 ** rng.uniform(-6.0, 0.0, (pairs, 1)) * problem.radius
    y = problem.project(x + step)
    records = problem.sample((pairs,), rng)
    told_apart = np.linalg.norm(x - y, axis=1) > 1e-7 * problem.radius
    x, y, records = x[told_apart], y[told_apart], records[told_apart]
    x_next, y_next = (point - rate * problem.gradient(point, records) for point in (x, y))
    # Differences of numbers of size R lose digits at small distances.
    noise = 8.0 * np.finfo(float).eps * problem.radius
    moved = np.linalg.norm(x_next - y_next, axis=1) - noise
    return float(np.max(moved / np.linalg.norm(x - y, axis=1), initial=0.0))


def unharmed(rows: pd.DataFrame, sgd: NoisySGD, params: dict[str, Any]) -> Claim:
    """The loss with the most public steps against that with none; `rows` are in the order of public steps."""
    text = "public steps cost no loss: mean excess after the most of them, less that after none, in standard errors"
    if params["repeats"] < FEW or not settled(sgd, int(params["n"])):
        return untestable(
            "loss", SECTION, text, "the private steps alone do not reach the loss's level, or repeats are few"
        )
    first, last = rows.iloc[0], rows.iloc[-1]
    error = math.hypot(first["sem"], last["sem"])
    measured = float((last["excess_loss"] - first["excess_loss"]) / error) if len(rows) > 1 else 0.0
    return at_most("loss", SECTION, text, limit=STANDARD_ERRORS, measured=measured)


def settled(sgd: NoisySGD, n: int) -> bool:
    """Whether the start is forgotten after n steps."""
    return sgd.contraction**n < 1e-3
