"""What the text says of Figure 4.1, measured on its densities."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, Claim, agrees, at_least, never, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.posteriors.closed_form import temperature

EVIDENCE = EXACT

FIGURE, SECTION = "thesis Figure 4.1", "thesis section 4.3.2"
PRINTED = {"epsilon": 1, "truncation": 0.2}, 2.7  # the temperature that the text gives for this setting
SMALLEST = 1e-290  # density, below which floats have lost digits
HALF_A_DIGIT = 0.05  # of a number that is printed with one decimal


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Normalization, temperature, flatness and support."""
    curves = {key: rows.sort_values("p", kind="stable") for key, rows in table.groupby(["mechanism", "draw"])}
    ops, posterior = curves["ops", 0], curves["posterior", 0]
    low, high = params["truncation"], 1.0 - params["truncation"]
    inside = ops[(ops["p"] > low) & (ops["p"] < high)]
    outside = ops[(ops["p"] < low) | (ops["p"] > high)]
    expected = temperature(low, params["epsilon"])
    yield _mass(posterior, params)
    yield from _hotter(inside, params, expected)
    text, drawn = "OPS never draws outside [a₀, 1 − a₀]", int((outside["density"] > 0).sum())
    # Of privacy, for Δ is finite inside only.
    yield never("truncated", SECTION, text, violations=drawn, cases=len(outside), of_privacy=True)
    yield _flatter(posterior, ops, expected, (low, high))


def _flatter(posterior: pd.DataFrame, ops: pd.DataFrame, t: float, window: tuple[float, float]) -> Claim:
    text = "OPS is flatter than the posterior: its peak is lower (ratio of the posterior's peak to that of OPS)"
    mode = float(posterior["p"].iloc[int(np.argmax(posterior["density"].to_numpy()))])
    if t == 1.0 or not window[0] < mode < window[1]:
        return untestable("flatter", SECTION, text, "T is 1, or the posterior's mode is cut off", ours=True)
    return at_least("flatter", SECTION, text, limit=1.0, measured=_peak(posterior) / _peak(ops), ours=True)


def _mass(posterior: pd.DataFrame, params: Mapping[str, Any]) -> Claim:
    text, cells = "the posterior integrates to 1 (midpoint rule on the table's own grid)", len(posterior)
    a = params["prior"][0] + params["successes"]
    b = params["prior"][1] - params["prior"][0] + params["n"] - params["successes"]
    spread = math.sqrt(a * b / (a + b + 1.0)) / (a + b)
    if min(a, b) < 1.0 or spread * cells < 3.0:
        return untestable("mass", FIGURE, text, "the grid is too coarse for this posterior", ours=True)
    mass = float(posterior["density"].sum() / cells)
    return agrees("mass", FIGURE, text, expected=1.0, measured=mass, tolerance=1e-3, ours=True)


def _hotter(inside: pd.DataFrame, params: Mapping[str, Any], expected: float) -> Iterator[Claim]:
    """T as it is read off the density's logarithm, which is linear in 1/T: least squares lose eight digits at most."""
    text = "OPS is the posterior at temperature T = 2Δ/ε with Δ = ln((1−a₀)/a₀), read off the density's logarithm"
    setting, printed = PRINTED
    of_figure = f"the temperature of this figure is {printed:g}"
    visible = inside[inside["density"] > SMALLEST]
    if len(visible) < 10:
        reason = "too little of the density falls on the grid"
        yield untestable("temperature", SECTION, text, reason)
        yield untestable("printed", SECTION, of_figure, reason)
        return
    measured, slack = _temperature(visible, params), 1e-6 * expected
    yield agrees("temperature", SECTION, text, expected=expected, measured=measured, tolerance=slack, of_privacy=True)
    if any(params[name] != value for name, value in setting.items()):
        yield untestable("printed", SECTION, of_figure, "said of ε = 1 and a₀ = 0.2")
        return
    correction = (
        f"2.8, rounded from 2 ln 4 = {expected:.4f}; at T = {printed:g} the price would be "
        f"{expected * params['epsilon'] / printed:.4f}"
    )
    errors = abs(printed - measured), abs(2.8 - measured)
    yield mended("printed", SECTION, of_figure, correction, errors, tolerance=HALF_A_DIGIT, slip=True, of_privacy=True)


def _temperature(inside: pd.DataFrame, params: Mapping[str, Any]) -> float:
    """ln f = (A−1)/T ln p + (B−1)/T ln(1−p) + c: T from the least-squares fit of the two slopes."""
    prior, n, s = np.asarray(params["prior"], dtype=float), float(params["n"]), float(params["successes"])
    exponents = np.array([prior[0] + s - 1.0, prior[1] - prior[0] + n - s - 1.0])
    p = inside["p"].to_numpy()
    design = np.column_stack([np.log(p), np.log1p(-p), np.ones(len(p))])
    slopes = np.linalg.lstsq(design, np.log(inside["density"].to_numpy()), rcond=None)[0][:2]
    k = int(np.argmax(exponents))
    return float(exponents[k] / slopes[k])


def _peak(rows: pd.DataFrame) -> float:
    return float(rows["density"].max())
