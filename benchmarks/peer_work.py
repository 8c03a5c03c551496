"""The work that is timed beside peers: one function a package, which imports it when it is called.

A `Way` does one task of `TASKS` once, by one package. What accountants answer is kept beside their time; where the
answer has a closed form, `truths` computes it a second time with mpmath.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import numpy as np

from dpsampling.amplification import couplings
from dpsampling.event_logs import gibbs
from dpsampling.foundations.composition import optimal_epsilon
from dpsampling.foundations.noise import GaussianMechanism
from dpsampling.learners import accountant
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.numerics.exact import laws
from dpsampling.numerics.exact.draws import integers, numbers
from dpsampling.privacy import gaussian_dp
from dpsampling.privacy.accounting import repeat, to_approximate
from dpsampling.privacy.guarantee import Pure, Relation

COUNT, DELTA, SIGMA, EPSILON = 100, 1e-6, 10.0, 0.1  # releases, their δ, and the noise of each
SAMPLING, STEPS = 0.01, 1000  # of noisy gradients, σ = 1
CELLS, SCALE = 5472, 4.0  # counts of a log, and the scale of their noise
ALTERNATIVES, CHOICES = 100, 200
REGIONS, MONTHS, STATES, OUTCOMES, ENTRIES = 5, 72, 10, 168, 300
ITERATIONS = 20

Run = Callable[[], Any]


class Task(NamedTuple):
    """What is done, and what of it is not alike."""

    title: str
    unit: str
    note: str
    alike: bool = True  # whether it is the same work


TASKS = {
    "gaussian": Task(
        "ε of 100 Gaussian releases at δ = 10⁻⁶, σ ten times the sensitivity, from their exact curve",
        "a call",
        "The PLD is general, and needs a grid for what has a closed form here.",
    ),
    "renyi": Task(
        "ε of 100 Gaussian releases at δ = 10⁻⁶, as above, from their Rényi curve alone",
        "a call",
        "Ours, autodp and OpenDP search all orders, dp-accounting a list of them.",
    ),
    "laplace": Task(
        "ε of 100 releases with Laplace noise of scale ten sensitivities at δ = 10⁻⁶",
        "a call",
        "dp-accounting composes the law of the loss itself; ours knows of it ε = .1, or its Rényi curve.",
    ),
    "pure": Task(
        "ε of 100 releases of any mechanism with ε = .1 at δ = 10⁻⁶",
        "a call",
        "Ours by the optimal composition and by a Rényi curve; OpenDP takes ε²/2-zCDP, autodp and diffprivlib a bound.",
    ),
    "sampled": Task(
        "ε of 1000 steps of noisy gradients on Poisson batches of 1%, σ = 1, at δ = 10⁻⁶",
        "a call",
        "Ours asks dp-accounting, and rounds up; the others use Rényi curves.",
    ),
    "sigma": Task("The least σ for ε = 1 and δ = 10⁻⁶", "a call", "All by the same curve (Balle and Wang 2018)."),
    "geometric": Task(
        "5472 counts with two-sided geometric noise of scale 4",
        "a release",
        "Ours and OpenDP's are exact in every bit; diffprivlib takes the logarithm of one float a count.",
    ),
    "real-laplace": Task(
        "5472 numbers with Laplace noise of scale 4",
        "a release",
        "Ours are ⌊2⁵³x⌋ of ideal draws, OpenDP's exact on a grid that floats have; diffprivlib's are floats.",
    ),
    "real-gaussian": Task("5472 numbers with Gaussian noise of σ = 4", "a release", "As above."),
    "choice": Task(
        "200 choices among 100 alternatives by the exponential mechanism, ε = 1",
        "a release",
        "Ours and OpenDP's are exact; diffprivlib draws one float a choice.",
    ),
    "sweep": Task(
        "One iteration on 5 × 72 months of one observation each, 168 outcomes, 10 states",
        "an iteration",
        "Not the same work: ours is a Gibbs sweep, of which a chain has hundreds and which leaves posterior draws; "
        "theirs is a step of EM, of which dozens leave one estimate. dynamax once it is compiled, in 32 bits.",
        alike=False,
    ),
    "counts": Task(
        "The same with 300 observations a month",
        "an iteration",
        "As above; hmmlearn evaluates a multinomial density for each month and state.",
        alike=False,
    ),
    "states": Task(
        "All 360 states drawn once, given what is seen of the months",
        "a draw",
        "Not the same draw: ours one state after another with transitions integrated out; dynamax forward and back "
        "with known transitions, so that its draws depend less on the last; hmmlearn draws nothing, its forward and "
        "backward pass gives the states' probabilities.",
        alike=False,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Way:
    """How one package does a task: the call, in words of its own interface, and that call `times` over."""

    task: str
    call: str
    run: Run
    times: int = 1
    answers: bool = False


def ours() -> list[Way]:
    """Of this library."""
    release = GaussianMechanism(1.0, SIGMA)
    counts, _ = cells()
    geometric, laplace, gaussian = (
        laws.TwoSidedGeometric(1 / Fraction(SCALE)),
        laws.Laplace(SCALE),
        laws.Gaussian(0, 16),
    )
    choice = ExponentialMechanism(1.0, 1.0)
    noisy_gradients = accountant.epsilon.__wrapped__
    return [
        Way(
            "gaussian",
            "`gaussian_dp.compose`",
            lambda: gaussian_dp.compose([release.gaussian] * COUNT).approximate(DELTA).epsilon,
            answers=True,
        ),
        Way(
            "renyi",
            "`accounting.to_approximate`",
            lambda: to_approximate(repeat(release.guarantee, COUNT), DELTA).epsilon,
            answers=True,
        ),
        Way(
            "laplace",
            "`composition.optimal_epsilon`",
            lambda: optimal_epsilon(COUNT, EPSILON, 0.0, DELTA),
            answers=True,
        ),
        Way(
            "laplace",
            "`accounting.to_approximate` of its Rényi curve",
            lambda: to_approximate(repeat(couplings.laplace(1.0, 1.0 / EPSILON), COUNT), DELTA).epsilon,
            answers=True,
        ),
        Way("pure", "`composition.optimal_epsilon`", lambda: optimal_epsilon(COUNT, EPSILON, 0.0, DELTA), answers=True),
        Way(
            "pure",
            "`accounting.to_approximate` of its Rényi curve",
            lambda: to_approximate(repeat(Pure(EPSILON).renyi(), COUNT), DELTA).epsilon,
            answers=True,
        ),
        Way(
            "sampled",
            "`accountant.epsilon`",
            lambda: noisy_gradients(SAMPLING, 1.0, STEPS, DELTA, Relation.ADD_OR_REMOVE_ONE),
            answers=True,
        ),
        Way(
            "sigma",
            "`GaussianMechanism.analytic`",
            lambda: GaussianMechanism.analytic(1.0, 1.0, DELTA).sigma,
            answers=True,
        ),
        Way("geometric", "`laws.TwoSidedGeometric`", lambda: counts + integers(geometric, CELLS)),
        Way("real-laplace", "`laws.Laplace`", lambda: numbers(laplace, CELLS)),
        Way("real-gaussian", "`laws.Gaussian`", lambda: numbers(gaussian, CELLS)),
        Way("choice", "`ExponentialMechanism.release`", lambda: choice.release(utilities(), size=CHOICES)),
        *_our_chains(),
    ]


def _our_chains() -> list[Way]:
    seen = log()
    all_trained = np.ones((REGIONS, MONTHS), dtype=bool)
    many = 10 * ITERATIONS

    def sweeps(counts: Any) -> Run:
        matrix = counts.reshape(-1, OUTCOMES).astype(float)
        public = (all_trained, np.empty((0, OUTCOMES)), np.array([0, OUTCOMES]), STATES, 1.0, 1.0, 1.0, np.zeros(1))
        return lambda: gibbs.chain(np.random.default_rng(0), matrix, matrix, *public, many, many - 1)

    state = seen.states.copy()
    transitions = gibbs.count_transitions(state, STATES)
    tables = gibbs.log_tables(REGIONS * MONTHS + 2, STATES, 1.0)
    likelihood = seen.likelihood.reshape(-1, STATES)
    rng = np.random.default_rng(0)

    def draw() -> None:
        everything = (1.0, *tables, 0, REGIONS * MONTHS)
        gibbs.draw_states(rng, state, transitions, all_trained, likelihood, *everything)

    return [
        Way("sweep", "`gibbs.chain`", sweeps(np.eye(OUTCOMES)[seen.single]), times=many),
        Way("counts", "`gibbs.chain`", sweeps(seen.counts), times=many),
        Way("states", "`gibbs.draw_states`", draw),
    ]


def dp_accounting() -> list[Way]:
    """Of Google's accountants."""
    dp = importlib.import_module("dp_accounting")
    pld = importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    advanced = importlib.import_module("dp_accounting.pld.accountant").advanced_composition
    promised = importlib.import_module("dp_accounting.pld.common").DifferentialPrivacyParameters

    def by(make: Any, event: Any, count: int) -> Run:
        def account() -> float:
            accountant = make()
            accountant.compose(event, count)
            return float(accountant.get_epsilon(DELTA))

        return account

    losses, renyi = dp.pld.PLDAccountant, dp.rdp.RdpAccountant
    normal, laplace = dp.GaussianDpEvent(SIGMA), dp.LaplaceDpEvent(1.0 / EPSILON)
    batches = dp.PoissonSampledDpEvent(SAMPLING, dp.GaussianDpEvent(1.0))
    flips = 2.0 / (1.0 + math.exp(EPSILON))
    return [
        Way(
            "gaussian",
            "`get_epsilon_gaussian`",
            lambda: float(dp.get_epsilon_gaussian(SIGMA / math.sqrt(COUNT), DELTA)),
            answers=True,
        ),
        Way("gaussian", "`PLDAccountant`", by(losses, normal, COUNT), answers=True),
        Way("renyi", "`RdpAccountant`", by(renyi, normal, COUNT), answers=True),
        Way("laplace", "`PLDAccountant`", by(losses, laplace, COUNT), answers=True),
        Way("laplace", "`RdpAccountant`", by(renyi, laplace, COUNT), answers=True),
        Way(
            "pure",
            "`from_randomized_response`",
            lambda: float(pld.from_randomized_response(flips, 2).self_compose(COUNT).get_epsilon_for_delta(DELTA)),
            answers=True,
        ),
        Way(
            "pure",
            "`advanced_composition`",
            lambda: float(advanced(promised(EPSILON, 0.0), COUNT, DELTA)),
            answers=True,
        ),
        Way("sampled", "`PLDAccountant`", by(losses, batches, STEPS), answers=True),
        Way("sampled", "`RdpAccountant`", by(renyi, batches, STEPS), answers=True),
        Way("sigma", "`get_sigma_gaussian`", lambda: float(dp.get_sigma_gaussian(1.0, DELTA)), answers=True),
    ]


def autodp() -> list[Way]:
    """Of autodp."""
    zoo = importlib.import_module("autodp.mechanism_zoo")
    made = importlib.import_module("autodp.transformer_zoo")
    calibrator = importlib.import_module("autodp.calibrator_zoo").ana_gaussian_calibrator()

    def composed(how: Any, mechanism: Run, count: int) -> Run:
        return lambda: float(how()([mechanism()], [count]).get_approxDP(DELTA))

    def pure() -> float:
        spent = importlib.import_module("autodp.dp_acct").DP_acct()
        for _ in range(COUNT):
            spent.update_DPlosses(EPSILON, 0.0)
        return float(spent.get_eps(DELTA))

    def batches() -> Any:
        sampled = made.AmplificationBySampling(PoissonSampling=True)
        return sampled(zoo.GaussianMechanism(1.0, approxDP_off=True), SAMPLING, improved_bound_flag=True)

    return [
        Way(
            "gaussian",
            "`ComposeGaussian`",
            composed(made.ComposeGaussian, lambda: zoo.ExactGaussianMechanism(SIGMA), COUNT),
            answers=True,
        ),
        Way(
            "renyi",
            "`Composition`",
            composed(made.Composition, lambda: zoo.GaussianMechanism(SIGMA, approxDP_off=True), COUNT),
            answers=True,
        ),
        Way(
            "laplace",
            "`Composition`",
            composed(made.Composition, lambda: zoo.LaplaceMechanism(1.0 / EPSILON), COUNT),
            answers=True,
        ),
        Way(
            "laplace",
            "`ComposeAFA`",
            composed(made.ComposeAFA, lambda: zoo.LaplaceMechanism(1.0 / EPSILON, phi_off=False, RDP_off=True), COUNT),
            answers=True,
        ),
        Way("pure", "`DP_acct`", pure, answers=True),
        Way("sampled", "`AmplificationBySampling`", composed(made.Composition, batches, STEPS), answers=True),
        Way(
            "sigma",
            "`ana_gaussian_calibrator`",
            lambda: float(calibrator(zoo.GaussianMechanism, 1.0, DELTA).params["sigma"]),
            answers=True,
        ),
    ]


def opendp() -> list[Way]:
    """Of OpenDP."""
    dp = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib", "floating-point", "honest-but-curious")
    counts, values = cells()
    whole, real = dp.vector_domain(dp.atom_domain(T=int)), dp.vector_domain(dp.atom_domain(T=float, nan=False))
    geometric = (whole, dp.l1_distance(T=int)) >> dp.m.then_laplace(scale=SCALE)
    laplace = (real, dp.l1_distance(T=float)) >> dp.m.then_laplace(scale=SCALE)
    gaussian = (real, dp.l2_distance(T=float)) >> dp.m.then_gaussian(scale=SCALE)
    choose = (real, dp.linf_distance(T=float)) >> dp.m.then_noisy_max(dp.max_divergence(), scale=2.0)
    of_counts, of_values, of_choice = counts.tolist(), values.tolist(), utilities().tolist()

    def renyi() -> float:
        one = (real, dp.l2_distance(T=float)) >> dp.m.then_gaussian(scale=SIGMA)
        both = dp.c.make_zCDP_to_approxDP(dp.c.make_composition([one] * COUNT))
        return float(both.map(1.0).epsilon(DELTA))

    def pure() -> float:
        one = dp.c.make_pureDP_to_zCDP((real, dp.l1_distance(T=float)) >> dp.m.then_laplace(scale=1.0 / EPSILON))
        both = dp.c.make_zCDP_to_approxDP(dp.c.make_composition([one] * COUNT))
        return float(both.map(1.0).epsilon(DELTA))

    return [
        Way("renyi", "`make_zCDP_to_approxDP`", renyi, answers=True),
        Way("pure", "`make_pureDP_to_zCDP`", pure, answers=True),
        Way("geometric", "`then_laplace`, one vector", lambda: geometric(of_counts)),
        Way("real-laplace", "`then_laplace`, one vector", lambda: laplace(of_values)),
        Way("real-gaussian", "`then_gaussian`, one vector", lambda: gaussian(of_values)),
        Way("choice", "`then_noisy_max`", lambda: [choose(of_choice) for _ in range(CHOICES)]),
    ]


def diffprivlib() -> list[Way]:
    """Of diffprivlib."""
    made = importlib.import_module("diffprivlib.mechanisms")
    counts, values = cells()
    geometric = made.Geometric(epsilon=1.0 / SCALE, sensitivity=1)
    laplace = made.Laplace(epsilon=1.0 / SCALE, sensitivity=1.0)
    choose = made.Exponential(epsilon=1.0, sensitivity=1.0, utility=utilities().tolist())
    gaussian = made.GaussianAnalytic(epsilon=1.0, delta=DELTA, sensitivity=1.0)
    of_counts, of_values = counts.tolist(), values.tolist()

    def pure() -> float:
        budget = importlib.import_module("diffprivlib.accountant").BudgetAccountant(slack=DELTA)
        for _ in range(COUNT):
            budget.spend(EPSILON, 0.0)
        return float(budget.total()[0])

    return [
        Way("pure", "`BudgetAccountant`", pure, answers=True),
        Way(
            "sigma",
            "`GaussianAnalytic`",
            lambda: float(made.GaussianAnalytic(epsilon=1.0, delta=DELTA, sensitivity=1.0)._scale),
            answers=True,
        ),
        Way("geometric", "`Geometric.randomise`", lambda: [geometric.randomise(value) for value in of_counts]),
        Way("real-laplace", "`Laplace.randomise`", lambda: [laplace.randomise(value) for value in of_values]),
        Way("real-gaussian", "`GaussianAnalytic.randomise`", lambda: [gaussian.randomise(v) for v in of_values]),
        Way("choice", "`Exponential.randomise`", lambda: [choose.randomise() for _ in range(CHOICES)]),
    ]


def hmmlearn() -> list[Way]:
    """Of hmmlearn."""
    made = importlib.import_module("hmmlearn.hmm")
    seen, lengths = log(), [MONTHS] * REGIONS
    settings = {"n_iter": ITERATIONS, "tol": -math.inf, "random_state": 0, "implementation": "scaling"}
    single, counts = seen.single.reshape(-1, 1), seen.counts.reshape(-1, OUTCOMES)
    categorical = made.CategoricalHMM(STATES, n_features=OUTCOMES, **settings)
    logarithms = made.CategoricalHMM(STATES, n_features=OUTCOMES, **{**settings, "implementation": "log"})
    multinomial = made.MultinomialHMM(STATES, n_trials=ENTRIES, **settings)
    known = made.CategoricalHMM(STATES, n_features=OUTCOMES, **settings)
    known.startprob_, known.transmat_ = np.full(STATES, 1.0 / STATES), seen.transitions
    known.emissionprob_ = seen.emissions
    return [
        Way("sweep", "`CategoricalHMM.fit`, scaled", lambda: categorical.fit(single, lengths), times=ITERATIONS),
        Way("sweep", "`CategoricalHMM.fit`, its default", lambda: logarithms.fit(single, lengths), times=ITERATIONS),
        Way("counts", "`MultinomialHMM.fit`, scaled", lambda: multinomial.fit(counts, lengths), times=ITERATIONS),
        Way("states", "`CategoricalHMM.predict_proba`, scaled", lambda: known.predict_proba(single, lengths)),
    ]


def dynamax() -> list[Way]:
    """Of dynamax, compiled: `fit_em` compiles its step anew at each call, which here is compiled once."""
    jax = importlib.import_module("jax")
    models = importlib.import_module("dynamax.hidden_markov_model")
    seen = log()

    def em(model: Any, emissions: Any) -> Run:
        start, properties = model.initialize(jax.random.PRNGKey(0))
        first = model.initialize_m_step_state(start, properties)

        def step(parameters: Any, state: Any) -> Any:
            statistics, likelihood = jax.vmap(lambda part: model.e_step(parameters, part))(emissions)
            return *model.m_step(parameters, properties, statistics, state), likelihood.sum()

        compiled = jax.jit(step)

        def run() -> None:
            parameters, state = start, first
            for _ in range(ITERATIONS):
                parameters, state, _ = compiled(parameters, state)
            jax.block_until_ready(parameters)

        return run

    start, transitions = jax.numpy.full(STATES, 1.0 / STATES), jax.numpy.asarray(seen.transitions)
    keys, likelihood = jax.random.split(jax.random.PRNGKey(0), REGIONS), jax.numpy.asarray(seen.likelihood)
    draw = jax.jit(
        jax.vmap(lambda key, part: models.hmm_posterior_sample(key, start, transitions, part)[1], in_axes=(0, 0))
    )
    single = em(models.CategoricalHMM(STATES, 1, OUTCOMES), jax.numpy.asarray(seen.single[:, :, None]))
    counts = jax.numpy.asarray(seen.counts[:, :, None, :], dtype=float)
    return [
        Way("sweep", "`CategoricalHMM.e_step`, `m_step`", single, times=ITERATIONS),
        Way(
            "counts",
            "`MultinomialHMM.e_step`, `m_step`",
            em(models.MultinomialHMM(STATES, 1, OUTCOMES, ENTRIES), counts),
            times=ITERATIONS,
        ),
        Way("states", "`hmm_posterior_sample`", lambda: jax.block_until_ready(draw(keys, likelihood))),
    ]


PEERS: dict[str, Callable[[], list[Way]]] = {
    "dp-accounting": dp_accounting,
    "autodp": autodp,
    "OpenDP": opendp,
    "diffprivlib": diffprivlib,
    "hmmlearn": hmmlearn,
    "dynamax": dynamax,
}


# -- what all are given ------------------------------------------------------------------------------------------------


class Log(NamedTuple):
    """A chain of known parameters, and what is seen of it."""

    states: Any
    transitions: Any
    emissions: Any
    counts: Any
    single: Any
    likelihood: Any


def log() -> Log:
    """The same for all: months of `ENTRIES` observations, and one of each alone."""
    rng = np.random.default_rng(2)
    emissions = rng.dirichlet(np.full(OUTCOMES, 0.3), STATES)
    transitions = rng.dirichlet(np.ones(STATES), STATES)
    states = np.zeros((REGIONS, MONTHS), dtype=np.int64)
    for region in states:
        region[0] = rng.integers(STATES)
        for month in range(1, MONTHS):
            region[month] = rng.choice(STATES, p=transitions[region[month - 1]])
    counts = np.array([[rng.multinomial(ENTRIES, emissions[k]) for k in region] for region in states])
    single = np.array([[rng.choice(OUTCOMES, p=emissions[k]) for k in region] for region in states])
    return Log(states, transitions, emissions, counts, single, np.log(emissions.T + 1e-300)[single])


def cells() -> tuple[Any, Any]:
    """Counts, and the same as numbers."""
    counts = np.random.default_rng(0).poisson(14.0, CELLS)
    return counts, counts.astype(float)


def utilities() -> Any:
    """Of the alternatives."""
    return np.linspace(0.0, 10.0, ALTERNATIVES)


def truths() -> dict[str, mpmath.mpf]:
    """ε and σ of the Gaussian tasks in 40 digits: δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), at the δ that 10⁻⁶ is."""
    with mpmath.workdps(40):

        def excess(mu: Any, epsilon: Any) -> Any:
            other = mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
            return mpmath.ncdf(mu / 2 - epsilon / mu) - other - mpmath.mpf(DELTA)

        together = mpmath.sqrt(COUNT) / mpmath.mpf(SIGMA)
        epsilon = mpmath.findroot(lambda level: excess(together, level), (4.0, 5.5), solver="anderson")
        sigma = mpmath.findroot(lambda s: excess(1 / s, mpmath.mpf(1)), (4.0, 4.5), solver="anderson")
    return {"gaussian": epsilon, "sigma": sigma}


def off(answer: float, truth: Any) -> float:
    """By what share of the true value an answer is off it: below 0 it promises more privacy than there is."""
    with mpmath.workdps(40):
        return float(mpmath.mpf(answer) / truth - 1)


@contextlib.contextmanager
def quiet() -> Any:
    """Neither prints nor logs: some say something at every call."""
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)
