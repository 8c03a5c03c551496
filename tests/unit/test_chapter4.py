"""Chapter 4's synthetic figures against independent computations, with the papers' parameters and with others."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from dpsampling import config, project
from dpsampling.experiments.chapter4 import adversary, costs
from dpsampling.experiments.contract import load
from dpsampling.grids import expanded
from dpsampling.randomness import stream


def made(experiment: str, seed: int = 3, **changes) -> pd.DataFrame:
    parameters = config.resolve(project.experiment(experiment), changes)
    table = load(experiment).table(expanded(parameters), stream(seed, experiment))
    assert tuple(table.columns) == load(experiment).COLUMNS
    table.attrs["parameters"] = parameters
    return table


@pytest.mark.parametrize(
    "changes", [{}, {"prior": [2, 5], "n": 50, "successes": 31, "epsilon": 0.3, "truncation": 0.1}]
)
def test_densities_of_figure_4_1(changes):
    table = made("fig4_1", repeats=3, **changes)
    p = table.attrs["parameters"]
    a, b = p["prior"][0] + p["successes"], p["prior"][1] - p["prior"][0] + p["n"] - p["successes"]
    rows = table[table["mechanism"] == "posterior"]
    np.testing.assert_allclose(rows["density"], stats.beta.pdf(rows["p"], a, b), rtol=1e-9)
    a0 = p["truncation"]
    temperature = max(1.0, 2 * math.log((1 - a0) / a0) / p["epsilon"])
    law = stats.beta((a - 1) / temperature + 1, (b - 1) / temperature + 1)
    rows = table[(table["mechanism"] == "ops") & table["p"].between(a0, 1 - a0)]
    np.testing.assert_allclose(rows["density"], law.pdf(rows["p"]) / (law.cdf(1 - a0) - law.cdf(a0)), rtol=1e-8)
    for _, rows in table[table["mechanism"] == "laplace"].groupby("draw"):
        assert integrate.trapezoid(rows["density"], rows["p"]) == pytest.approx(1, abs=0.02)


def test_temperature_of_figure_4_1_is_2_ln_4():
    claims = {c.id: c for c in load("fig4_1").claims(made("fig4_1"))}
    assert float(claims["temperature"].measured) == pytest.approx(2 * math.log(4), rel=1e-5)


def test_errors_of_figure_4_2_agree_with_simulation_by_numpy_alone():
    """Both are means of 20 000 draws; each difference within 4 standard errors of both (16 of them: < 1.1e-3)."""
    repeats, p, a0, epsilon = 20_000, 0.2, 0.05, 0.5
    table = made("fig4_2", p=p, epsilon=epsilon, truncation=a0, sizes=[3, 40], repeats=repeats).set_index(
        ["mechanism", "n"]
    )
    rng = np.random.default_rng(5)
    temperature = 2 * math.log((1 - a0) / a0) / epsilon
    for n in (3, 40):
        s = rng.binomial(n, p, repeats)
        noisy = np.stack([s, n - s]) + rng.laplace(0, 2 / epsilon, (2, repeats))
        zero, both = np.maximum(noisy, 0), np.clip(noisy, 0, n)
        a, b = s / temperature + 1, (n - s) / temperature + 1
        u = stats.beta.cdf(a0, a, b) + rng.random(repeats) * (stats.beta.cdf(1 - a0, a, b) - stats.beta.cdf(a0, a, b))
        draws = {
            "posterior": rng.beta(1 + s, 1 + n - s),
            "laplace": rng.beta(1 + zero[0], 1 + zero[1]),
            "laplace-range": rng.beta(1 + both[0], 1 + both[1]),
            "ops": stats.beta.ppf(u, a, b),
        }
        for mechanism, draw in draws.items():
            error = np.abs(draw - p)
            row = table.loc[(mechanism, n)]
            assert abs(row["mean"] - error.mean()) < 4 * math.hypot(row["sem"], error.std() / math.sqrt(repeats))
        # a planted bug: half the noise is noticed where noise matters
        quiet = np.maximum(np.stack([s, n - s]) + rng.laplace(0, 1 / epsilon, (2, repeats)), 0)
        wrong = np.abs(rng.beta(1 + quiet[0], 1 + quiet[1]) - p)
        row = table.loc[("laplace", n)]
        assert abs(row["mean"] - wrong.mean()) > 4 * math.hypot(row["sem"], wrong.std() / math.sqrt(repeats))


def test_adversary_by_brute_force():
    """ε of a data set by a grid over p and by quadrature of the normalizers; greedy choice over both records."""
    a0 = 0.1

    def log_density(s, n, p):
        mass = integrate.quad(lambda x: x**s * (1 - x) ** (n - s), a0, 1 - a0, epsabs=0, epsrel=1e-12)[0]
        return s * np.log(p) + (n - s) * np.log1p(-p) - math.log(mass)

    grid = np.linspace(a0, 1 - a0, 401)

    def epsilon(s, n):
        here = log_density(s, n, grid)
        return max(np.max(np.abs(here - log_density(t, n, grid))) for t in (s - 1, s + 1) if 0 <= t <= n)

    table, s = made("supp1_1", n=12), 0
    for row in table.itertuples():
        best = max(epsilon(s, row.n), epsilon(s + 1, row.n))
        assert row.epsilon == pytest.approx(best, rel=1e-6)
        assert row.worst_case == pytest.approx(2 * math.log(9), rel=1e-9)
        s = row.successes


def test_both_tie_rules_of_the_adversary_give_the_same_curve():
    p = expanded(config.resolve(project.experiment("supp1_1"), {"n": 25}))
    one, other = adversary.table(p), adversary.table(p, prefer_success=False)
    np.testing.assert_allclose(one["epsilon"], other["epsilon"], rtol=1e-12)
    assert not (one["successes"] == other["successes"]).all()


@pytest.mark.parametrize("fraction", [0.01, 0.3, 1.0])
def test_a_random_scan_is_not_amplified(fraction):
    """The exact (ε, 0) of picking a variable with probability `fraction`, by both outcomes' probabilities."""
    assert costs.exact_random_scan(0.1, fraction) == pytest.approx(math.log(9), rel=1e-12)


SIZES = {"fig4_2": {"repeats": 300}, "fig4_8": {"repeats": 2000}}


@pytest.mark.parametrize("experiment", ["fig4_1", "fig4_2", "fig4_8", "mcmc_costs", "supp1_1", "tab4_1"])
def test_no_claim_is_refuted_or_untestable_at_the_papers_parameters(experiment):
    verdicts = {
        c.id: c.verdict for c in load(experiment).claims(made(experiment, 20200401, **SIZES.get(experiment, {})))
    }
    assert set(verdicts.values()) <= {"reproduced", "misprint"}, verdicts


def test_truncation_must_leave_room_for_every_outcome(tmp_path, capsys):
    from dpsampling.cli import main

    arguments = ["table", "fig4_8", "--set", "truncation=0.3", "--out", str(tmp_path / "x.csv")]
    assert main(arguments) == 2
    assert "below 1/4" in capsys.readouterr().err
    assert main(["table", "fig4_8", "--set", "probabilities=[0.5, 0.4]", "--out", str(tmp_path / "x.csv")]) == 2
    assert "sum to 1" in capsys.readouterr().err
