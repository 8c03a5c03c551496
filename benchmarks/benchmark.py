"""What things cost, as ratios within one run: `make benchmark`.

Tables, printed and written to results/benchmark.md: how long each kind of job takes to start; chapter 5 at paper scale
in a fresh copy of the project on two cores, Snakemake included, part by part; each numerical piece beside the plain way
of computing the same thing; and how time and memory grow, of profile mechanisms with the graph and of reading with the
rows of a log.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import event_logs
import hidden_markov
import mpmath
import numpy as np
from scipy import integrate, special, stats

from dpsampling.cli.parsing import settings
from dpsampling.datasets import making, splits
from dpsampling.errors import InputError
from dpsampling.files import write_text
from dpsampling.foundations.randomized_response import RandomizedChoice, RandomizedResponse
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.foundations.sample_and_aggregate import BlockMedian
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace
from dpsampling.learners.logistic import chains
from dpsampling.learners.logistic.draws import draw
from dpsampling.learners.logistic.envelope import envelope
from dpsampling.learners.logistic.mechanisms import DiffusedClassifier, DirectClassifier, Model
from dpsampling.learners.logistic.records import Records
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.gaussian_statistic import kl_from_posterior
from dpsampling.mechanisms.posterior import DiffusedPosterior
from dpsampling.numerics.convex_gap import log_gamma_gap
from dpsampling.numerics.exact import laws
from dpsampling.numerics.exact.draws import Law, integers, numbers
from reproduction import project
from reproduction.provenance import cpu

PROJECT = Path(__file__).parents[1]
CORES = 2
FAMILY, PRIOR, N = BetaBernoulli(), np.array([6.0, 18.0]), 100


def main() -> None:
    """Measure, print and write."""
    lines = ["# Benchmark", "", f"{cpu()}, Python {sys.version.split()[0]}", ""]
    lines += [
        *start_up(),
        "",
        *run_of("chapter5", "Chapter 5"),
        "",
        *run_of("fig4_6", "Figure 4.6"),
        "",
        *pieces(),
        "",
        *exact_draws(),
        "",
        *classifiers(),
        "",
        *auditing(),
        "",
        *hidden_markov.tables(),
        "",
        *event_logs.event_logs(),
        "",
        *profiles(),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    write_text(PROJECT / "results" / "benchmark.md", text)


LIBRARIES = {
    "list": "pass",
    "table": "import pandas",
    "figure": "import pandas, matplotlib.figure, matplotlib.backends.backend_agg, matplotlib.backends.backend_pdf",
    "claims": "import pandas",
}


def start_up(experiment: str = "fig7_5", repeats: int = 7) -> list[str]:
    """The smallest job of each stage, beside a Python that imports the libraries that the stage cannot do without."""
    with tempfile.TemporaryDirectory() as folder:
        table, drawn, judged = (f"{folder}/{name}" for name in ("t.csv", "f.pdf", "c.csv"))
        smallest = [f"--set={option}" for option in settings(project.experiment(experiment).smallest)]
        jobs = {
            "list": ["list", experiment],
            "table": ["table", experiment, *smallest, "--out", table],
            "figure": ["figure", experiment, "--table", table, "--out", drawn],
            "claims": ["claims", experiment, "--table", table, "--out", judged],
        }
        rows = []
        for name, arguments in jobs.items():
            ours = _process([sys.executable, "-m", "dpsampling", *arguments], repeats)
            bare = _process([sys.executable, "-c", LIBRARIES[name]], repeats)
            rows.append(
                f"| `dpsampling {name} {experiment}` | {1e3 * ours:.0f} | {1e3 * bare:.0f} | {ours / bare:.2f} |"
            )
    head = ["| job | ms | Python with its libraries, ms | ratio |", "|---|---:|---:|---:|"]
    return ["## Start of a job", "", *head, *rows]


def _process(command: list[str], repeats: int) -> float:
    """The least wall time of a command."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def run_of(target: str, title: str) -> list[str]:
    """The wall time of a whole run in a fresh copy, and where it goes."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        ignored = shutil.ignore_patterns(".git", ".venv", "results", ".snakemake", ".*_cache")
        shutil.copytree(PROJECT, copy, ignore=ignored)
        environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
        command = [sys.executable, "workflow/run.py", "--cores", str(CORES), "--", target]
        start = time.perf_counter()
        subprocess.run(command, cwd=copy, env=environment, check=True, capture_output=True)
        wall = time.perf_counter() - start
        parts = dict(_measured(copy / "results" / "benchmarks"))
    busy = sum(seconds for seconds, _ in parts.values())
    rows = [
        f"| {name} | {seconds:.2f} | {seconds / wall:.0%} | {memory:.0f} |" for name, (seconds, memory) in parts.items()
    ]
    return [
        f"## {title} at paper scale: {wall:.1f} s on {CORES} cores",
        "",
        f"The jobs took {busy:.1f} s, {busy / CORES / wall:.0%} of what the cores had; the rest is Snakemake's.",
        "",
        "| part | seconds | of the wall time | memory, MB |",
        "|---|---:|---:|---:|",
        *rows,
    ]


def _measured(folder: Path) -> Iterable[tuple[str, tuple[float, float]]]:
    for path in sorted(folder.rglob("*.jsonl")):
        record = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
        memory = record.get("max_rss")
        yield (
            f"{path.parent.name} {path.stem}",
            (float(record["s"]), float(memory) if memory not in (None, "NA") else 0.0),
        )


def pieces() -> list[str]:
    """Each piece beside the plain way, with the ratio of their times for the same work."""
    rng = np.random.default_rng(0)
    x, step, k = rng.uniform(1, 100, 20_000), rng.uniform(0.01, 0.5, 20_000), rng.uniform(0.1, 5, 20_000)
    epsilons = np.exp(np.linspace(-10, 2, 121))

    def by_gammaln() -> object:
        g = special.gammaln
        return (g(x + k * step) - g(x)) / k - (g(x) - g(x - step))

    def by_mpmath() -> object:
        with mpmath.workdps(40):
            g = mpmath.loggamma
            return [(g(a + c * b) - g(a)) / c - (g(a) - g(a - b)) for a, b, c in zip(x[:200], step, k, strict=False)]

    def by_halving() -> object:
        """The thesis's search: 500 halvings for each ε."""
        found = []
        for epsilon in epsilons[:4]:
            low, high = 0.0, 1.0
            for _ in range(500):
                middle = (low + high) / 2
                holds = FAMILY.worst_case_divergence(PRIOR, N, 2.0, data_weight=middle) <= epsilon
                low, high = (middle, high) if holds else (low, middle)
            found.append(low)
        return found

    ours = _time(lambda: log_gamma_gap(x, step, k)) / len(x)
    rows = [
        ("ln Γ gap, a value", "scipy gammaln, digits lost", ours, _time(by_gammaln) / len(x)),
        ("ln Γ gap, a value", "mpmath, 40 digits", ours, _time(by_mpmath) / 200),
        (
            "calibrated scale, an ε",
            "500 halvings",
            _time(lambda: DiffusedPosterior.calibrated_scales(FAMILY, PRIOR, N, order=2.0, epsilons=epsilons)) / 121,
            _time(by_halving) / 4,
        ),
        (
            "KL of the Gaussian mixture, an ε",
            "nested scipy.integrate.quad",
            _time(lambda: kl_from_posterior(FAMILY, PRIOR, N, 32.0, 1 / np.sqrt(epsilons))) / 121,
            _time(lambda: _nested_kl(32.0, 4.0)),
        ),
    ]
    lines = [f"| {a} | {s:.2e} s | {b} | {t:.2e} s | {t / s:.3g} |" for a, b, s, t in rows]
    return ["## Pieces", "", "| ours | time | plain way | time | ratio |", "|---|---:|---|---:|---:|", *lines]


def exact_draws() -> list[str]:
    """Microseconds a number that may be released, beside floats that protect nothing and OpenDP's integer noise."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    integer = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    laplace = integer >> dp.m.then_laplace(scale=4.0)
    gaussian = dp.atom_domain(T=int), dp.absolute_distance(T=float)
    normal = gaussian >> dp.m.then_gaussian(scale=4.0)
    cells = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    vector = cells >> dp.m.then_laplace(scale=4.0)
    rng, many = np.random.default_rng(0), 5_472
    noise = laws.TwoSidedGeometric(Fraction(1, 4))

    def a_draw(draw: Callable[[int], object], count: int = 2_000) -> float:
        draw(10)
        return _time(lambda: draw(count)) / count

    def exact(law: Law, count: int = 2_000) -> float:
        return a_draw(partial(numbers, law), count)

    def calls(measurement: Any) -> float:
        return a_draw(lambda count: [measurement(5) for _ in range(count)])

    def floats(shape: float, parts: int = 2, count: int = 2_000) -> float:
        return a_draw(lambda count: np.log(rng.standard_gamma(shape, (parts, count))), count)

    def released(mechanism: Any, *data: Any) -> tuple[float, float]:
        exactly = a_draw(lambda count: mechanism.release(*data, size=count))
        return exactly, a_draw(lambda count: mechanism.simulate(*data, rng=rng, size=count))

    rows: list[tuple[str, float, float, float | None]] = [
        (f"logit-Beta of shapes {shape:g}", exact(laws.LogitBeta(shape, shape)), floats(shape), None)
        for shape in (0.1, 1.0, 1e3, 1e6)
    ]
    rows += [
        (f"Dirichlet of {k} outcomes", exact(laws.LogitDirichlet([0.5] * k), 100), floats(0.5, k, 100), None)
        for k in (10, 150)
    ]
    rows += [
        ("Gaussian noise", exact(laws.Gaussian(0, 16)), a_draw(partial(rng.normal, 0, 4)), calls(normal)),
        ("Laplace noise", exact(laws.Laplace(4)), a_draw(partial(rng.laplace, 0, 4)), None),
        (
            "two-sided geometric noise",
            a_draw(partial(integers, noise)),
            a_draw(lambda count: rng.geometric(0.22, count) - rng.geometric(0.22, count)),
            calls(laplace),
        ),
        (
            f"the same on {many} counts of an HMM, all of them",
            _time(lambda: integers(noise, many)),
            _time(lambda: rng.geometric(0.22, many) - rng.geometric(0.22, many)),
            _time(lambda: vector([5] * many)),
        ),
    ]
    results = rng.uniform(0.0, 10.0, 9)
    releasing: list[tuple[str, Any, tuple[Any, ...]]] = [
        ("one bit, randomized response", RandomizedResponse.symmetric(1.0), ([1],)),
        ("one of four answers, randomized response", RandomizedChoice(1.0, 4), ([2],)),
        ("Cauchy noise by smooth sensitivity", SmoothCauchy.calibrate(epsilon=1.0), (5.0, 1.0)),
        ("Laplace noise by smooth sensitivity", SmoothLaplace.calibrate(epsilon=1.0, delta=1e-6), (5.0, 1.0)),
        ("Gaussian noise by smooth sensitivity", SmoothGaussian.calibrate(epsilon=1.0, delta=1e-6), (5.0, 1.0)),
        ("median of nine blocks", BlockMedian(0.0, 10.0, 9, 1.0), (results,)),
        ("one of two parameters, from their posterior", FinitePosterior.calibrate(epsilon=1.0), ([3, 5],)),
    ]
    rows += [(what, *released(mechanism, *data), None) for what, mechanism, data in releasing]
    lines = [
        f"| {law} | {ours * 1e6:.3g} | {plain * 1e6:.2g} | {ours / plain:.2g} | "
        + ("|" if theirs is None else f"{theirs * 1e6:.3g} |")
        for law, ours, plain, theirs in rows
    ]
    head = ["| law | exact, µs | floats, µs | ratio | OpenDP, µs |", "|---|---:|---:|---:|---:|"]
    return ["## Exact draws", "", *head, *lines]


def classifiers(repeats: int = 20, burn_in: int = 1000) -> list[str]:
    """Milliseconds an exact draw of logistic posteriors, beside a slice sampler's of the paper's kind."""
    head = [
        "## Private classifiers",
        "",
        f"An exact draw beside {burn_in} sweeps of slice sampling, after which the paper takes one (told from a few).",
        "",
        "| data set | law | set-up, s | a draw, ms | accepted | slice sampler, s | ratio |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    lines = []
    for name in ("abalone", "adult", "mnist38"):
        try:
            made = making.build(name)
        except InputError as error:
            lines.append(f"| {name} | {error} | | | | | |")
            continue
        rows = splits.draw(made, np.random.default_rng(0))[0]
        records = Records(made.features[rows], made.labels[rows])
        model = Model(records.n)
        for law, mechanism in (
            ("the posterior", DirectClassifier.of(model)),
            ("diffused, λ = 1, ε = e³", DiffusedClassifier.calibrate(model, order=1, epsilon=math.exp(3))),
            ("diffused, λ = 100, ε = 1", DiffusedClassifier.calibrate(model, order=100, epsilon=1.0)),
        ):
            target = mechanism.target(records)
            start = time.perf_counter()
            above = envelope(target)
            setup = time.perf_counter() - start
            draws = draw(above, np.random.default_rng(1), repeats)
            exact = _time(partial(draw, above, np.random.default_rng(1), repeats)) / repeats
            along = np.eye(records.d)[:, : min(records.d, 10)]  # some coordinates, for all of them would take minutes
            chain = partial(chains.run, target, np.random.default_rng(1), above.centre[None, :], 1, directions=along)
            slices = _time(chain) * records.d / along.shape[1] * burn_in
            lines.append(
                f"| {name} | {law} | {setup:.2g} | {exact * 1e3:.3g} | {repeats / draws.proposals:.2g} | {slices:.3g} "
                f"| {slices / exact:.2g} |"
            )
    return [*head, *lines]


def auditing() -> list[str]:
    """Where the audit's time goes, and a price beside the same integral in mpmath."""
    from dpsampling.audit import attacks, measure
    from dpsampling.audit import every_mechanism as audit
    from dpsampling.audit.power import planted, planted_violations
    from dpsampling.audit.sequential import Witness
    from dpsampling.mechanisms.known_laws import logit_beta
    from dpsampling.privacy.laws import epsilon_at, renyi

    spent = dict.fromkeys(("instances", "prices", "exact ε(δ)", "attacks", "planted violations"), 0.0)

    def timed(name: str, work: Callable[..., Any], *arguments: Any) -> Any:
        start = time.perf_counter()
        result = work(*arguments)
        spent[name] += time.perf_counter() - start
        return result

    def all_points() -> list[Any]:
        return list(audit.points([2.0, 5.0], [0.1, 1.0]))

    for point in timed("instances", all_points):
        case, rng = point.case, np.random.default_rng(1)
        bounded = measure.for_guarantee(case.guarantee, point.order)
        found = timed("prices", measure.search, bounded, case, case.laws)
        p, q = (case.laws[name] for name in found.pair)
        timed("exact ε(δ)", epsilon_at, p, q, 1e-5)
        timed("attacks", attacks.attack, p, q, 1e-5, 100_000, rng)
        lies = timed("planted violations", planted, case)
        witness = timed("planted violations", Witness, case.laws, list(lies.values()), found.pair)
        timed(
            "planted violations",
            planted_violations,
            case,
            bounded,
            found,
            lies,
            witness,
            lambda *_: np.random.default_rng(1),
        )
    whole = sum(spent.values())
    rows = [f"| {name} | {seconds:.2f} | {seconds / whole:.0%} |" for name, seconds in spent.items()]

    def by_mpmath() -> object:
        with mpmath.workdps(30):
            return mpmath.quad(lambda y: mpmath.exp(2 * _log_beta(y, 2, 3) - _log_beta(y, 1, 4)), [-60, -5, 0, 5, 60])

    ours, plain = _time(lambda: renyi(logit_beta(2.0, 3.0), logit_beta(1.0, 4.0), 2.0)), _time(by_mpmath)
    return [
        f"## The audit: {whole:.1f} s on one core",
        "",
        "| part | seconds | share |",
        "|---|---:|---:|",
        *rows,
        "",
        f"One price of a pair takes {ours:.1e} s; mpmath.quad takes {plain / ours:.0f} times as long.",
    ]


def _log_beta(y: Any, a: int, b: int) -> Any:
    """ln of the density of the logit of Beta(a, b)."""
    return a * y - (a + b) * mpmath.log1p(mpmath.exp(y)) - mpmath.log(mpmath.beta(a, b))


PROFILES = """
import resource, sys, time
import numpy as np
from reproduction.experiments.profiles.sizes.table import random_graph
from dpsampling.profiles.graph import bernoulli, chain
from dpsampling.profiles.solvers import smooth_categorical, smooth_one_bit
kind, size, epsilon = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
rng = np.random.default_rng(0)
graph = bernoulli(rng.random(size), chain(size)) if kind == "chain" else random_graph(size, 8, 4, rng)
start = time.perf_counter()
(smooth_one_bit if kind == "chain" else smooth_categorical)(graph, epsilon)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def profiles() -> list[str]:
    """Chains of Bernoulli profiles, and random graphs of average degree 4 over 8 categories; a process each."""
    sizes = {"chain": (10, 100, 1000, 10_000), "random graph": (25, 50, 100, 200)}
    rows = []
    for kind, counts in sizes.items():
        for size in counts:
            for epsilon in (0.05, 0.5):
                command = [sys.executable, "-c", PROFILES, kind, str(size), str(epsilon)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                seconds, memory = map(float, done.stdout.split())
                rows.append(f"| {kind} | {size} | {epsilon:g} | {seconds:.2f} | {memory:.0f} |")
    head = ["| graph | profiles | ε | seconds | memory, MB |", "|---|---:|---:|---:|---:|"]
    return ["## Profile mechanisms", "", *head, *rows]


def _nested_kl(s: float, sigma: float) -> float:
    posterior = stats.beta(6 + s, 12 + N - s)

    def density(p: float) -> float:
        inner = integrate.quad(
            lambda t: stats.norm.pdf(t, s, sigma) * stats.beta.pdf(p, 6 + t, 12 + N - t), 0, N, points=[s], epsrel=1e-10
        )[0]
        ends = stats.norm.cdf(-s / sigma) * stats.beta.pdf(p, 6, 12 + N)
        return float(inner + ends + stats.norm.sf((N - s) / sigma) * stats.beta.pdf(p, 6 + N, 12))

    low, high = posterior.ppf(1e-13), posterior.isf(1e-13)
    return float(
        integrate.quad(lambda p: posterior.pdf(p) * (posterior.logpdf(p) - math.log(density(p))), low, high)[0]
    )


def _time(work: Callable[[], object], least: float = 0.3) -> float:
    """Seconds a call: the best of repeated calls for at least `least` seconds."""
    best, spent = math.inf, 0.0
    while spent < least:
        start = time.perf_counter()
        work()
        seconds = time.perf_counter() - start
        best, spent = min(best, seconds), spent + seconds
    return best


if __name__ == "__main__":
    main()
