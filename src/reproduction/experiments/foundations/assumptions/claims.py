"""The constant κ, section 2.2, Lemmas 3 to 7 and the lines of their proofs (Robust 2014)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.claims import EXACT, Claim, agrees, at_least, at_most, corrected, never, untestable
from reproduction.experiments.foundations import assumptions as said
from reproduction.experiments.foundations.judging import alike, none, saved
from reproduction.experiments.foundations.rows import Finder, finder, where

EVIDENCE = EXACT
Array = NDArray[np.float64]

PAPER = "Robust 2014"
PROOF_5 = f"{PAPER} proof of Lemma 5"
ROUNDING = 1e-9
DIGITS = 1e-10
NEAR = 1e-5  # of a supremum that is a limit, and of a search


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """By sections of the paper."""
    del params  # all of it is in the table
    rows = finder(table)
    mass = rows(said.MASS)
    return [
        *_constants(rows),
        *_definitions(rows),
        *_lemmas_3_4_6(mass),
        *_lemma_5(rows, where(mass, family=said.BINOMIAL), where(mass, family=said.BITS)),
        *_lemma_7(rows(said.HAMMING), rows(said.WEIGHTED)),
        *_learning(rows),
    ]


def _shortfall(rows: pd.DataFrame) -> float:
    """By how much the mass is below what is asked, at the worst L."""
    return float((rows["bound"] - rows["exact"]).clip(lower=0.0).max()) if len(rows) else 0.0


def _errors(rows: pd.DataFrame) -> pd.Series[float]:
    """Return exact/bound − 1, or exact − bound where that is less, but for the sign."""
    return (rows["exact"] - rows["bound"]) / rows["bound"].abs().clip(lower=1.0)


def _constants(rows: Finder) -> list[Claim]:
    source = f"{PAPER} section 3 and proof of Theorem 1"
    omega, kappa, both, convex = rows(said.OMEGA), rows(said.KAPPA), rows(said.OMEGA, said.KAPPA), rows(said.CONVEX)
    return [
        agrees("kappa", source, "κ ≈ 4.91081", expected=4.91081, measured=float(kappa["exact"].max()), tolerance=5e-6),
        agrees("omega", source, "ω ≈ 1.25643", expected=1.25643, measured=float(omega["exact"].max()), tolerance=5e-6),
        at_most(
            "kappa-digits",
            source,
            "κ and ω are enclosed to ten digits and more (relative width)",
            limit=DIGITS,
            measured=float((both["exact"] / both["bound"] - 1.0).max()),
            ours=True,
        ),
        alike(
            "kappa-search",
            source,
            "κ is the least of c·2α/(1 − e^{−αc})², for every c (largest difference)",
            _errors(rows(said.SEARCHED_KAPPA)),
            ROUNDING,
        ),
        alike(
            "omega-search",
            source,
            "c·2α/(1 − e^{−αc})² is least at α = ω/c, for every c (largest difference of αc)",
            _errors(rows(said.SEARCHED_OMEGA)),
            NEAR,
        ),
        never(
            "kappa-convex",
            source,
            "(C.4) is convex in α (second differences)",
            violations=int((convex["exact"] <= 0).sum()),
            cases=int(convex["cases"].sum()),
        ),
    ]


def _definitions(rows: Finder) -> list[Claim]:
    events, bits, natural = rows(said.EVENTS), rows(said.UNBOUNDED), rows(said.NATURAL)
    return [
        alike(
            "def2-events",
            f"{PAPER} Definition 2",
            "the largest P(B) − e^{ερ}Q(B) of all events is Σ(p − e^{ερ}q)₊, at ε = 0, L/2, L, 2L "
            f"({int(events['cases'].sum())} events; largest difference)",
            events["exact"],
            1e-12,
            ours=True,
        ),
        at_most(
            "def2-lipschitz",
            f"{PAPER} Definition 2 and Theorem 2 (i)",
            "at ε = 2L no event of any pair exceeds e^{ερ}Q(B) (largest excess)",
            limit=0.0,
            measured=float(where(events, level=1.0)["bound"].max()),
            tolerance=1e-12,
            of_privacy=True,
        ),
        alike(
            "def2-pseudo-metric",
            f"{PAPER} Definition 2",
            "data sets at distance |k − k′| = 0 have one posterior (largest difference)",
            rows(said.SAME)["exact"],
            1e-12,
            ours=True,
        ),
        none(
            "s2.2-bernoulli",
            f"{PAPER} section 2.2",
            "Assumption 1 fails for the Bernoulli family: for every L there is a θ with a log-ratio above it",
            bits["exact"] <= bits["level"],
        ),
        alike(
            "s5-natural",
            f"{PAPER} section 5",
            "with constant h and scalar T, Θ_L is a bound on |η|: L(θ) = |η|·sup|T(x) − T(y)|/ρ "
            f"({int(natural['cases'].sum())} pairs; largest relative error)",
            _errors(natural),
            ROUNDING,
        ),
        alike(
            "s5-natural-general",
            f"{PAPER} section 5",
            "otherwise Θ_L is sup |ln h(x)/h(y) + η(T(x) − T(y))|/ρ ≤ L: ln n + |η| of binomials, m/(2σ²) of normals "
            "(largest relative error of a search)",
            _errors(rows(said.SMOOTH)),
            NEAR,
        ),
    ]


def _lemmas_3_4_6(mass: pd.DataFrame) -> list[Claim]:
    exponential, laplace = (where(mass, family=name) for name in (said.EXPONENTIAL, said.LAPLACE))
    # Of normal families the name ends with the mean.
    normal, printed = (
        mass[mass["family"].str.startswith(f"{name}, mean")] for name in (said.NORMAL, said.PRINTED_NORMAL)
    )
    return [
        none(
            "lemma3",
            f"{PAPER} Lemma 3",
            "exponential likelihood, prior Exp(λ): ξ(Θ_L) ≥ 1 − e^{−λL} for every L",
            _short(exponential),
            of_privacy=True,
        ),
        alike(
            "lemma3-tight",
            f"{PAPER} Lemma 3",
            "exponential likelihood, prior Exp(λ): ξ(Θ_L) = 1 − e^{−λL}, so that no larger c would serve (largest gap)",
            exponential["exact"] - exponential["bound"],
            ROUNDING,
            ours=True,
        ),
        _lemma_4(where(mass, family=said.LOCATION), laplace),
        _scales(laplace),
        corrected(
            "lemma6",
            f"{PAPER} Lemma 6",
            "normal likelihood, σ² ~ Exp(λ): ξ(Θ_L) ≥ 1 − e^{−λL} for every L",
            correction="1/σ² ~ Exp(λ), and c = 2λ/max(|μ|, 1): with σ² ~ Exp(λ) the mass is e^{−λm/(2L)}, which is "
            "below every 1 − e^{−cL} for small L (errors are shortfalls of mass)",
            error_as_printed=_shortfall(printed),
            error_as_corrected=_shortfall(normal),
            tolerance=ROUNDING,
            slip=False,
            of_privacy=True,
        ),
        alike(
            "lemma6-tight",
            f"{PAPER} Lemma 6",
            "c = 2λ/max(|μ|, 1) is the largest that serves (largest gap)",
            normal["exact"] - normal["bound"],
            NEAR,
            ours=True,
        ),
    ]


def _lemma_4(location: pd.DataFrame, laplace: pd.DataFrame) -> Claim:
    """A level below 1 tells the printed prior from the proof's."""
    text = "Laplace likelihood, its location with a Laplace prior: ξ(Θ_L) ≥ 1 − e^{−λL} for every L"
    if not (location["level"] < 1.0).any():
        return untestable("lemma4", f"{PAPER} Lemma 4", text, "no L of this table is below 1")
    return corrected(
        "lemma4",
        f"{PAPER} Lemma 4",
        text,
        correction="the inverse scale has the prior Exp(λ), as in the proof, and the location any: where the "
        "scale is 1, whatever the location, Θ_L is empty below L = 1 (errors are shortfalls of mass)",
        error_as_printed=_shortfall(location),
        error_as_corrected=_shortfall(laplace),
        tolerance=ROUNDING,
        slip=False,
        ours=True,  # its words do not say which parameter θ is, and its proof has another prior
        of_privacy=True,
    )


def _scales(laplace: pd.DataFrame) -> Claim:
    """The scales of Θ_L where 1/s ~ Exp(λ): P(s ≥ L) = 1 − e^{−λ/L}, and P(s ≥ 1/L) = 1 − e^{−λL}."""
    printed = -np.expm1(-laplace["concentration"] / laplace["level"])
    right = -np.expm1(-laplace["concentration"] * laplace["level"])
    return corrected(
        "lemma4-scales",
        f"{PAPER} proof of Lemma 4",
        "the scales of Θ_L are s ≥ L",
        correction="s ≥ 1/L, as the proof's next line has it (errors are of the prior mass of Θ_L)",
        error_as_printed=float((laplace["exact"] - printed).abs().max()),
        error_as_corrected=float((laplace["exact"] - right).abs().max()),
        tolerance=ROUNDING,
        slip=True,
    )


def _binomial(rows: pd.DataFrame, bits: pd.DataFrame) -> Claim:
    """Levels below ln n are where it fails."""
    text = "binomials of n ≥ 2 trials under Beta(α, α): some c > 0 serves"
    source = f"{PAPER} Lemma 5"
    if not (rows["level"] < np.log(rows["n"])).any():
        return untestable("lemma5-binomial", source, text, "no L of this table is below ln n")
    empty = rows["exact"] <= 0.0
    for first in rows[empty].sort_values(["n", "level"]).head(1).to_dict("records"):
        text += f"; at L = {first['level']:.3g}, n = {first['n']}, the mass is {first['exact']:g}"
    correction = "none does, for Θ_L is empty below L = ln n; for one trial c = Γ(α+½)/(√πΓ(α)) serves"
    return saved("lemma5-binomial", source, text, empty, correction, _short(bits), of_privacy=True)


def _short(rows: pd.DataFrame) -> pd.Series[bool]:
    """Tell where the mass is below what is asked."""
    return rows["exact"] < rows["bound"] - ROUNDING


def _lemma_5(rows: Finder, binomial: pd.DataFrame, bits: pd.DataFrame) -> list[Claim]:
    slopes, tail, power = rows(said.STEEPEST, said.LEAST_SLOPE), rows(said.TAIL), rows(said.TAIL_POWER)
    largest = where(rows(said.LARGEST_C), by="concentration")
    last, constant = (where(rows(name), n=1) for name in (said.TAIL_C, said.TAIL_CONSTANT))
    return [
        _binomial(binomial, bits),
        none(
            "lemma5-bernoulli",
            f"{PAPER} Lemma 5, n = 1",
            "one trial: ξ(Θ_L) ≥ 1 − e^{−cL} with c = Γ(α+½)/(√πΓ(α)), for every L",
            _short(bits),
            ours=True,
        ),
        _bounded_order(largest),
        _order(largest),
        alike(
            "lemma5-slope",
            PROOF_5,
            f"chords of ln C(n, k) have slopes from −ln n to ln n, both attained, n ≤ {int(slopes['n'].max())} "
            f"({int(slopes['cases'].sum()) // 2} chords; largest error)",
            _errors(slopes),
            1e-12,
        ),
        corrected(
            "lemma5-posterior",
            PROOF_5,
            "the posterior of a binomial's θ is beta-binomial",
            correction="it is Beta(α + k, α + n − k); beta-binomial is the law of further counts (distances of "
            "distribution functions)",
            error_as_printed=float(rows(said.PREDICTIVE)["exact"].max()),
            error_as_corrected=float(rows(said.POSTERIOR)["exact"].max()),
            tolerance=1e-12,
            slip=True,
        ),
        none(
            "lemma5-tail",
            PROOF_5,
            "as (1−x)^{α−1} ≤ 1, the mass outside Θ_L is at most 2zᵅ/(αB(α, α)), α ≥ 1",
            tail["exact"] > tail["bound"] + ROUNDING,
        ),
        none("lemma5-tail-power", PROOF_5, "(n + e^L)^{−α} ≤ e^{−αL}", power["exact"] > power["bound"] + ROUNDING),
        _last_constant(constant[constant["concentration"] > 1.0], bits),
        never(
            "lemma5-last-c-serves",
            PROOF_5,
            "where the last line's c is above 0 it serves for one trial, though a factor 1/L of ln(1/ν) was lost",
            violations=int(_short(last).sum()),
            cases=int((last["bound"] > 0).sum()),
            ours=True,
        ),
    ]


def _last_constant(rows: pd.DataFrame, bits: pd.DataFrame) -> Claim:
    text = "the last line's c = ln(1/ν) + α is above 0, as Assumption 2 asks, for α > 1 and one trial"
    below = rows["exact"] <= 0.0
    if below.any():
        worst = rows.nsmallest(1, "exact").iloc[0]
        text += f"; at α = {worst['concentration']:g} it is {worst['exact']:.4g}"
    return saved("lemma5-last-c", PROOF_5, text, below, "c = Γ(α+½)/(√πΓ(α)) is, and serves", _short(bits), ours=True)


def _bounded_order(largest: pd.DataFrame) -> Claim:
    """The letter of it: the searched c over α."""
    rows = largest[largest["concentration"] >= 1.0]
    text = "c = O(α) by its letter, no more than a multiple of α: c ≤ α/2 for α ≥ 1 (largest c/α)"
    if not len(rows):
        return untestable("lemma5-bounded-order", f"{PAPER} Lemma 5, n = 1", text, "the table has no α of 1 or more")
    share = float((rows["exact"] / rows["concentration"]).max())
    return at_most(
        "lemma5-bounded-order", f"{PAPER} Lemma 5, n = 1", text, limit=0.5, measured=share, tolerance=NEAR, ours=True
    )


def _order(largest: pd.DataFrame) -> Claim:
    text = "c grows in proportion to α: c at the largest α over c at the least has the logarithm of α's ratio"
    if len(largest) < 2 or largest["concentration"].iloc[-1] < 4.0:
        return untestable("lemma5-order", f"{PAPER} Lemma 5, n = 1", text, "the table needs two α, one of 4 or more")
    ends = largest.iloc[[0, -1]]
    exponent = math.log(ends["exact"].iloc[1] / ends["exact"].iloc[0]) / math.log(
        ends["concentration"].iloc[1] / ends["concentration"].iloc[0]
    )
    return corrected(
        "lemma5-order",
        f"{PAPER} Lemma 5, n = 1",
        text,
        correction="c = Γ(α+½)/(√πΓ(α)), which is about .56√α: of the order of √α (errors: of the exponent as "
        "printed; of the searched c)",
        error_as_printed=abs(exponent - 1.0),
        error_as_corrected=float(_errors(largest).abs().max()),
        tolerance=1e-4,
        slip=False,
        ours=True,  # by its letter O(α) is a bound from above, which `lemma5-bounded-order` judges
        of_privacy=True,
    )


def _lemma_7(hamming: pd.DataFrame, weighted: pd.DataFrame) -> list[Claim]:
    apart, edge = (where(hamming, family=name) for name in ("independent", "A→B"))
    edges = hamming[hamming["family"] != "independent"]
    source = f"{PAPER} Lemma 7"
    return [
        _ratio(apart, "lemma7-independent", source, "independent variables: |ln P(x)/P(y)| ≤ ln(1/ε)·Hamming distance"),
        saved(
            "lemma7-edges",
            source,
            f"networks with edges: |ln P(x)/P(y)| ≤ ln(1/ε)·Hamming distance{_first(edges)}",
            _above(edges),
            "≤ ln(1/ε)·Σ(1 + deg k)1{x_k ≠ y_k}, as in the proof",
            _above(weighted),
            of_privacy=True,
        ),
        _ratio(
            weighted,
            "lemma7-weighted",
            f"{PAPER} proof of Lemma 7",
            "any network: |ln P(x)/P(y)| ≤ ln(1/ε)·Σ(1 + deg k)1{x_k ≠ y_k}",
        ),
        none(
            "lemma7-threshold",
            f"{source}, corrected",
            "A→B fails under Hamming's distance just where (1−ε)² > ε, for ε < .382",
            (edge["exact"] > edge["bound"]) != ((1.0 - edge["concentration"]) ** 2 > edge["concentration"]),
            ours=True,
        ),
    ]


def _above(rows: pd.DataFrame) -> pd.Series[bool]:
    return rows["exact"] > rows["bound"] * (1.0 + ROUNDING)


def _first(rows: pd.DataFrame) -> str:
    """Describe the smallest that exceeds the bound, if any does."""
    for least in rows[_above(rows)].sort_values(["n", "concentration"]).head(1).to_dict("records"):
        return f"; {least['family']} at ε = {least['concentration']:g}: {least['exact']:.3f} > {least['bound']:.3f}"
    return ""


def _ratio(rows: pd.DataFrame, name: str, source: str, text: str) -> Claim:
    share = f"; the largest share of the bound is {(rows['exact'] / rows['bound']).max():.3f}" if len(rows) else ""
    return none(name, source, f"{text}{_first(rows) or share}", _above(rows), of_privacy=True)


def _learning(rows: Finder) -> list[Claim]:
    divergence, errors = (where(rows(name), by="concentration") for name in (said.DIVERGENCE, said.ERROR))
    error, concentrations = errors["exact"].to_numpy(), divergence["concentration"].to_numpy()
    return [
        none(
            "s6-privacy",
            f"{PAPER} section 6",
            "a larger c improves privacy: KL at ρ = 1 falls as c grows",
            divergence["exact"].diff().dropna() >= 0,
        ),
        _cost(
            "s3-efficiency",
            "section 3",
            "too large a c lowers efficiency: error at the largest c over the least error",
            error,
            -1,
            concentrations,
            ours=False,
        ),
        _cost(
            "s6-learning",
            "section 6",
            "too small a c does not help learning, so that an optimal one lies between: error "
            "at the least c over the least error",
            error,
            0,
            concentrations,
            ours=True,
        ),
    ]


def _cost(name: str, place: str, text: str, error: Array, end: int, concentrations: Array, *, ours: bool) -> Claim:
    """The error at one end over the least."""
    source, what = f"{PAPER} {place}", "exponential family, E(θ̂ − θ)² of a draw where θ = 1"
    if len(error) < 4:
        return untestable(name, source, f"{text} ({what})", "the table needs four c or more", ours=ours)
    text = f"{text} ({what}; least at c = {concentrations[error.argmin()]:g})"
    return at_least(name, source, text, limit=1.001, measured=float(error[end] / error.min()), ours=ours)
