"""What thesis section 4.3.3 says that posteriors and draws tend to, against exact expectations at finite N."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, Claim, agrees, at_least, at_most, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.posteriors import posterior_limits as said
from reproduction.experiments.posteriors.closed_form import temperature

EVIDENCE = EXACT

SECTION = "thesis section 4.3.3"
LARGE = 10_000  # records from which a limit is asked to be near
NEAR = 0.02  # of a limit at N ≥ LARGE: the next term of each, of order T²/N, is below half of it
TWICE = 2.0  # of the fall that a rate of 1/N gives between two N
SOLID = 10.0  # expected rare outcomes from which the rate can show
FAINT, LOUD = 1.0, 100.0  # expected count over the scale of the noise


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Theorems 4 and 5 as they say what the posterior tends to, then the sentences about them."""
    numbers = table.loc[table["statement"] == said.SPREAD, "n"]
    needed = _needed(params)
    if numbers.max() < needed or numbers.nunique() < 2:
        return [untestable("limits", SECTION, "limits in N", f"of these parameters, no N reaches {needed:.3g}")]
    return [
        *_theorem(table, "thm4", said.POSTERIOR, "4", "the Laplace mechanism, whose posterior tends to the true one"),
        *_theorem(table, "thm5", said.TEMPERED, "5", "the exponential mechanism"),
        *_draws(table),
        *_ratio(table),
        *_interior(table),
        *_gaussian(table),
        *_counts(table),
    ]


def _needed(params: Mapping[str, Any]) -> float:
    """N from which terms of order 1/N are small: of temperature, prior, noise, and truncation at six deviations."""
    p, a0, epsilon = float(params["p"]), float(params["truncation"]), float(params["epsilon"])
    t, room, spread = temperature(a0, epsilon), min(p - a0, 1.0 - a0 - p), p * (1.0 - p)
    noise = 2.0 * (2.0 / epsilon) ** 2
    of_prior, of_window = 2000.0 * params["prior"][1] ** 2, 36.0 * (1.0 + t) * spread / room**2
    return max(LARGE, 200.0 * t**2, of_prior, 100.0 * noise / spread, of_window)


def _last(table: pd.DataFrame, statement: str, case: str) -> pd.Series:
    rows = table[(table["statement"] == statement) & (table["case"] == case)]
    return rows.iloc[int(rows["n"].to_numpy().argmax())]


def _theorem(table: pd.DataFrame, name: str, case: str, number: str, of: str) -> Iterator[Claim]:
    """By its variance, and by its distance from both normal laws."""
    spread = _last(table, said.SPREAD, case)
    printed, right = _last(table, said.DISTANCE_PRINTED, case), _last(table, said.DISTANCE_RIGHT, case)
    factor, true = ("2", "1") if number == "4" else ("(1 + T)", "T")
    where = f"{SECTION}, Theorem {number}"
    text = f"the asymptotic posterior of {of} has variance {factor} I⁻¹/N (N = {spread['n']}, in units of I⁻¹/N)"
    correction = (
        f"{true} I⁻¹/N, here {spread['exact']:.5g}, not {spread['printed']:.5g}, about the estimate of "
        "its own data and not about the true parameter; the printed law is that of a draw over all data, and the "
        "efficiency of a draw is as stated"
    )
    errors = abs(spread["exact"] - spread["printed"]), abs(spread["exact"] - spread["right"])
    yield mended(f"{name}-posterior", where, text, correction, errors, tolerance=NEAR, slip=False)
    text = (
        f"the posterior of {of} approaches N(θ₀, {factor} I⁻¹/N) as N grows (expected total variation at N = "
        f"{printed['n']})"
    )
    correction = (
        f"N(θ̂, {true} I⁻¹/N), θ̂ the estimate: the distance tends to {printed['exact']:.3g} from the "
        "law as printed and to 0 from this"
    )
    errors = float(printed["exact"]), float(right["exact"])
    yield mended(f"{name}-law", where, text, correction, errors, tolerance=NEAR, slip=False)


def _draws(table: pd.DataFrame) -> Iterator[Claim]:
    for name, case, text in (
        ("sampling-2", said.POSTERIOR, "a draw from the true posterior has asymptotic relative efficiency 2"),
        ("sampling-2-laplace", said.LAPLACE, "a draw of the Laplace mechanism matches it"),
    ):
        row = _last(table, said.DRAW, case)
        text = f"{text} (N times its squared error times I, N = {row['n']})"
        yield agrees(name, SECTION, text, expected=row["right"], measured=row["exact"], tolerance=NEAR)


def _ratio(table: pd.DataFrame) -> Iterator[Claim]:
    posteriors, draws = (_last(table, said.RATIO, said.TEMPERED), _last(table, said.RATIO_OF_DRAWS, said.TEMPERED))
    text = (
        "the ratio of variances between the sampled posterior and the true posterior given N records tends to "
        f"(1 + T)/2 (N = {posteriors['n']}, T = {posteriors['at']:.4g})"
    )
    correction = (
        f"to T, here {posteriors['exact']:.5g}, not {posteriors['printed']:.5g}; (1 + T)/2 is the ratio "
        "of the squared errors of draws about the true parameter"
    )
    errors = abs(posteriors["exact"] - posteriors["printed"]), abs(posteriors["exact"] - posteriors["right"])
    yield mended("ratio", SECTION, text, correction, errors, tolerance=NEAR, slip=False)
    text = "the squared error of a draw at temperature T over that of one from the true posterior tends to (1 + T)/2"
    expected, measured = draws["printed"], draws["exact"]
    yield agrees("ratio-draws", SECTION, text, expected=expected, measured=measured, tolerance=NEAR, ours=True)


def _interior(table: pd.DataFrame) -> Iterator[Claim]:
    """Between the two largest N, where enough of the rare outcome is expected."""
    rows = table[table["statement"] == said.DIVERGENCE]
    before, after = _sizes(rows)
    inside = [float(p) for p in sorted(rows["at"].unique()) if p > said.EDGE and p * before >= SOLID]
    falls = {p: _fall(rows[rows["at"] == p]) for p in inside}
    edge = _fall(rows[rows["at"] == said.EDGE])
    text = (
        "for p in (0, 1) the Beta-Bernoulli system has what Lemma 1 assumes (fall of E KL from N = "
        f"{before} to {after}; the largest of p = {', '.join(f'{p:g}' for p in falls)})"
    )
    if falls:
        yield at_most("p-interior", SECTION, text, limit=TWICE * before / after, measured=max(falls.values()))
    else:
        yield untestable("p-interior", SECTION, text, "the second largest N of this table has too few of either record")
    text = "for p = 0 or 1 Lemma 1 does not apply: the divergence does not tend to 0 (its fall between the same N)"
    yield at_least("p-edge", SECTION, text, limit=0.9, measured=edge)


def _sizes(rows: pd.DataFrame) -> tuple[int, int]:
    before, after = sorted(rows["n"].unique())[-2:]
    return int(before), int(after)


def _fall(rows: pd.DataFrame) -> float:
    before, after = rows.sort_values("n", kind="stable")["exact"].to_numpy()[-2:]
    return float(after / before)


def _gaussian(table: pd.DataFrame) -> Iterator[Claim]:
    rows, sensitivities = (table[table["statement"] == s] for s in (said.BOUNDED, said.BOUNDED_SENSITIVITY))
    before, after = _sizes(rows)
    slope = np.polyfit(np.log(sensitivities["at"]), np.log(sensitivities["exact"]), 1)[0]
    error = float((rows["exact"] / rows["right"] - 1.0).abs().max())
    text = (
        f"for a Gaussian mean with bounded records Lemma 1 holds (fall of E KL from N = {before} to {after}, the "
        f"largest over bounds; it is (2b/ε)²/(N + 1) to {error:.1g})"
    )
    measured = max(_fall(mine) for _, mine in rows.groupby("at"))
    yield at_most("gaussian-bounded", SECTION, text, limit=TWICE * before / after, measured=measured)
    text = (
        "for a Gaussian mean the sensitivity is infinite unless bounds are placed on the data (exponent with which "
        "it grows with the bound)"
    )
    yield agrees("gaussian-sensitivity", SECTION, text, expected=1.0, measured=float(slope), tolerance=1e-9)


def _counts(table: pd.DataFrame) -> Iterator[Claim]:
    rows = table[table["statement"] == said.USEFUL]
    faint, loud = rows[rows["at"] < FAINT], rows[rows["at"] >= LOUD]
    text = "to be useful the statistics must be large relative to the noise"
    where = "thesis section 4.4.2"
    if not len(faint) or not len(loud):
        yield untestable("counts", where, text, "no row has so little noise, or so much", ours=True)
        return
    below = f"{text}: below it the private mean is further off than the prior's, which looks at no data (least ratio)"
    least = float((faint["exact"] / faint["right"]).min())
    yield at_least("counts-small", where, below, limit=1.0, measured=least, ours=True)
    text = (
        f"{text}: at a hundred times its scale the private mean is as good as the true one (largest ratio of "
        "squared errors)"
    )
    yield at_most("counts-large", where, text, limit=1.05, measured=float(loud["exact"].max()), ours=True)
