"""The query session: what it charges, that nothing gets around it, and the law of its answers."""

import copy
import math
import os
import pickle
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from conftest import PROJECT, captured
from dpsampling.audit import every_mechanism as audit
from dpsampling.audit.sequential import Witness
from dpsampling.errors import InputError
from dpsampling.foundations import session_audit_cases
from dpsampling.foundations.conditional_expectation import ConditionalExpectation
from dpsampling.foundations.evaluation_session import EvaluationSession
from dpsampling.foundations.query_session import QuerySession
from dpsampling.foundations.totals import AtOrder
from dpsampling.learners.logistic.mechanisms import Model, TruncatedClassifier
from dpsampling.learners.logistic.records import Records
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.mechanisms.posterior import DiffusedPosterior
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.budget import Budget
from dpsampling.privacy.guarantee import Approximate, ProfileBased, Pure, Relation, Renyi

OPS = OnePosteriorSample.calibrate(BetaBernoulli(), (1.0, 2.0), 10, 0.05, epsilon=0.1)
DIFFUSED = DiffusedPosterior.calibrate(BetaBernoulli(), (6.0, 18.0), 100, order=5.0, epsilon=0.01)
CHOICE = ExponentialMechanism(1.0, 0.1)


@dataclass
class Counted:
    """A mechanism that counts its draws, and does what it is told to at each."""

    guarantee: object = Pure(0.25)
    draws: int = 0
    then: object = None

    def release(self, data):
        self.draws += 1
        if self.then:
            self.then()
        return FixedPoint.of(data, 0)


def until_refused(session, query=float):
    """How many queries are answered, and the sentence that ends it."""
    asked = 0
    while True:
        try:
            session.ask(query)
        except InputError as error:
            return asked, str(error)
        asked += 1


# -- what is charged ---------------------------------------------------------------------------------------------------


def test_answers_are_charged_until_the_total_is_spent():
    session = QuerySession(OPS, 3, Pure(1.0))
    assert (session.charged, session.answered, session.spent, session.left) == (0, 0, 0.0, 1.0)
    assert session.guarantee == Pure(0.0)
    session.ask(float)
    assert session.guarantee.epsilon == OPS.guarantee.epsilon
    assert session.guarantee.conditions == ("one exact draw",)
    asked, sentence = until_refused(session)
    assert asked == 9  # ten in all: what is calibrated for the decimal 0.1 keeps to it
    assert "above the total of 1" in sentence
    assert session.charged == session.answered == 10
    assert 0 <= session.left < 1e-11
    assert 10 * Fraction(OPS.guarantee.epsilon) <= Fraction(session.guarantee.epsilon) <= 1


def test_ten_tenths_are_one_where_they_are_tenths_and_not_where_they_are_the_floats_above():
    assert Fraction(0.1) > Fraction(1, 10)
    assert until_refused(QuerySession(CHOICE, [0, 1], Pure(1.0)))[0] == 9
    ten, sentence = until_refused(QuerySession(CHOICE, [0, 1], Pure(1.0), exactly=Fraction(1, 10)))
    assert ten == 10
    assert "0 is left" in sentence


def test_a_refusal_that_no_figure_shows_says_why():
    session = QuerySession(ExponentialMechanism(1.0, 0.05), [0, 1], Pure(0.1))
    session.ask(float)
    with pytest.raises(InputError, match=r"by less than a float shows.*exactly"):
        session.ask(float)


def test_a_level_below_the_promise_is_not_a_way_to_charge_less_than_it():
    for exactly in (Fraction(-1), Fraction(0), Fraction(1, 10**9), Fraction(99, 1000), Fraction(1, 5)):
        with pytest.raises(InputError, match="not what it promises"):
            QuerySession(CHOICE, [0, 1], Pure(1.0), exactly=exactly)


def test_renyi_levels_are_spent_at_one_order_or_converted():
    at_order = QuerySession(DIFFUSED, 30, AtOrder(5.0, 0.1))
    assert until_refused(at_order)[0] == 10
    assert at_order.guarantee.epsilon(5.0) == pytest.approx(0.1, rel=1e-12)

    session = QuerySession(DIFFUSED, 30, Approximate(1.0, 1e-5))
    answered, sentence = until_refused(session)
    assert "above the total of 1" in sentence
    # The same by the accountant, which looks at all orders and not at a grid of them: no more than one answer apart.
    assert to_approximate(session.guarantee, 1e-5).epsilon <= session.spent <= 1.0
    more = Renyi(lambda order: (answered + 2) * DIFFUSED.guarantee.epsilon(order), DIFFUSED.guarantee.horizon)
    assert to_approximate(more, 1e-5).epsilon > 1.0


def test_pure_and_approximate_levels_have_their_place_too():
    assert until_refused(QuerySession(CHOICE, [0, 1], AtOrder(2.0, 1.0)))[0] >= 90  # λε²/2 and not ε
    session = QuerySession(Counted(Approximate(0.25, 1e-6)), 1, Approximate(10.0, 3e-6))
    assert until_refused(session)[0] == 3
    assert (session.guarantee.epsilon, session.guarantee.delta) == (0.75, pytest.approx(3e-6, rel=1e-12))


@pytest.mark.parametrize(
    ("mechanism", "total", "words"),
    [
        (OPS, 1.0, r"the total is 1\.0; give a guarantee"),
        (OPS, Pure(0.0), "above 0 and finite"),
        (OPS, Pure(math.inf), "above 0 and finite"),
        (OPS, AtOrder(2.0, math.inf), "above 0 and finite"),
        (OPS, AtOrder(2.0, math.nan), "above 0 and finite"),
        (OPS, Approximate(1.0, 1.0), "δ below 1"),
        (OPS, Pure(0.05), "none could be given"),
        (DIFFUSED, Pure(1.0), "with a δ if it is a Rényi level"),
        (DIFFUSED, AtOrder(1e6, 1.0), "promises nothing at order 1e"),
        (OPS, Pure(1.0, Relation.ADD_OR_REMOVE_ONE), "restate one of them"),
        (Counted(Approximate(0.1, 1e-6)), AtOrder(2.0, 1.0), "no level at an order"),
        (Counted(Pure(math.inf)), Pure(1.0), "promises nothing"),
        (Counted(ProfileBased(0.1, "g")), Pure(1.0, Relation.ADJACENT_PROFILES), "no level that a budget counts"),
    ],
)
def test_totals_that_cannot_be_kept_are_one_sentence(mechanism, total, words):
    with pytest.raises(InputError, match=words) as caught:
        QuerySession(mechanism, 3, total)
    assert str(caught.value).count(". ") == 0


def test_no_level_is_nan_and_no_order_is_infinite():
    for make in (lambda: Pure(math.nan), lambda: AtOrder(math.inf, 1.0), lambda: AtOrder(1.0, 1.0)):
        with pytest.raises(InputError):
            make()
    with pytest.raises(InputError, match="leave it out"):
        QuerySession(CHOICE, [0, 1], AtOrder(2.0, 1.0), exactly=Fraction(1, 10))


def test_wrong_data_are_told_of_before_anything_is_spent(tmp_path):
    ledger = Budget.open(tmp_path / "a.ledger", Pure(1.0))
    with pytest.raises(InputError):
        QuerySession(OPS, 11, ledger)  # of ten records
    assert ledger.account().spent == 0.0


def test_the_data_are_those_of_the_opening():
    data = np.array([5, 3, 2, 0])
    session = QuerySession(Counted(), data, Pure(1.0))
    data[:] = 0
    assert session.ask(np.asarray).tolist() == [5, 3, 2, 0]


# -- what does not get around it ---------------------------------------------------------------------------------------


def test_a_charge_comes_before_its_draw():
    seen = []
    session = QuerySession(Counted(then=lambda: seen.append(session.charged)), 1, Pure(1.0))
    session.ask(float)
    session.ask(float)
    assert seen == [1, 2]


def test_a_query_that_fails_has_spent():
    session = QuerySession(OPS, 3, Pure(1.0))
    for stop in (ZeroDivisionError, KeyboardInterrupt, GeneratorExit):

        def failing(theta, stop=stop):
            raise stop

        with pytest.raises(stop):
            session.ask(failing)
    assert (session.charged, session.answered) == (3, 0)
    assert session.guarantee.epsilon == pytest.approx(0.3)


def test_a_draw_that_fails_has_spent_and_what_is_no_query_has_not():
    def crash():
        raise MemoryError

    session = QuerySession(Counted(then=crash), 1, Pure(1.0))
    with pytest.raises(InputError, match="function of θ"):
        session.ask("the mean")
    assert session.charged == 0
    with pytest.raises(MemoryError):
        session.ask(float)
    assert session.spent == 0.25


def test_a_query_that_asks_its_session_pays_for_what_it_asks():
    mechanism = Counted()
    session = QuerySession(mechanism, 1, Pure(1.0))

    def again(theta):
        return session.ask(again)

    with pytest.raises(InputError, match="above the total"):
        session.ask(again)
    assert mechanism.draws == session.charged == 4
    assert session.answered == 0


def test_a_lazy_answer_draws_no_more():
    mechanism = Counted()
    session = QuerySession(mechanism, 1, Pure(1.0))

    def lazily(theta):
        yield from (float(theta), float(theta))

    assert list(session.ask(lazily)) == [1.0, 1.0]
    assert mechanism.draws == session.charged == 1


def test_threads_share_one_total():
    session, answers = QuerySession(Counted(Pure(0.125)), 1, Pure(4.0)), []
    gate = threading.Barrier(8)

    def asking():
        gate.wait()
        for _ in range(10):
            try:
                answers.append(session.ask(float))
            except InputError:
                return

    threads = [threading.Thread(target=asking) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == session.charged == session.answered == 32


@pytest.mark.parametrize("twice", [copy.copy, copy.deepcopy, pickle.dumps, lambda s: pickle.dumps(s, 0)])
def test_a_session_has_no_copy_and_no_subclass(twice):
    with pytest.raises(InputError, match="cannot be copied"):
        twice(QuerySession(OPS, 3, Pure(1.0)))
    with pytest.raises(InputError, match="wrap it instead"):
        type("Free", (QuerySession,), {"_charge": lambda self: None})


def test_a_fork_has_no_share_of_the_total():
    session = QuerySession(Counted(), 1, Pure(1.0))
    child = os.fork()
    if child == 0:
        try:
            session.ask(float)
        except InputError as error:
            os._exit(42 if "another process" in str(error) else 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42


# -- a ledger ----------------------------------------------------------------------------------------------------------


def test_two_sessions_share_a_ledger_which_has_its_own_relation(tmp_path):
    other = Budget.open(tmp_path / "b.ledger", Pure(1.0, Relation.ADD_OR_REMOVE_ONE))
    with pytest.raises(InputError, match="restate"):
        QuerySession(OPS, 3, other)
    ledger = Budget.open(tmp_path / "a.ledger", Pure(1.0))
    one, other = (QuerySession(OPS, 3, ledger, identity="rows") for _ in range(2))
    for _ in range(4):
        one.ask(float)
    assert other.spent == pytest.approx(0.4)
    assert until_refused(other)[0] == 6
    assert until_refused(one)[0] == 0
    assert (one.charged, other.charged) == (4, 6)
    assert one.guarantee.epsilon == pytest.approx(0.4)  # of its own draws
    assert "rows" in (tmp_path / "a.ledger").read_text(encoding="utf-8")


KILLED = """
import os, sys
from pathlib import Path
from dpsampling.foundations.query_session import QuerySession
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.privacy.budget import Budget
from dpsampling.privacy.guarantee import Pure
session = QuerySession(ExponentialMechanism(1.0, 0.25), [0, 1], Budget.open(Path(sys.argv[1]), Pure(1.0)))
session.ask(lambda theta: os.kill(os.getpid(), 9))
"""


def test_a_killed_process_has_spent(tmp_path):
    path = tmp_path / "a.ledger"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], capture_output=True, check=False)
    assert done.returncode == -9, done.stderr
    session = QuerySession(ExponentialMechanism(1.0, 0.25), [0, 1], Budget.open(path, Pure(1.0)))
    assert session.spent == 0.25
    assert until_refused(session)[0] == 3


# -- answers -----------------------------------------------------------------------------------------------------------


def test_sessions_of_other_mechanisms():
    records = Records([[1.0, 0.0], [0.6, 0.8], [-0.3, 0.2], [0.0, -1.0]], [1, 0, 1, 1])
    session = QuerySession(TruncatedClassifier.calibrate(Model(4, 0.3), epsilon=1.0), records, Pure(2.0))
    assert session.ask(np.asarray).shape == (2,)
    assert session.ask(lambda w: float(np.asarray(w)[0] > 0)) in {0.0, 1.0}


def test_conditional_expectation_is_the_sum_over_the_table():
    categories = OneCategoricalSample.calibrate([1.0] * 6, 0.01, epsilon=2.0)
    session = QuerySession(categories, [5, 0, 3, 2, 7, 3], Pure(4.0))
    query = ConditionalExpectation((0.0, 1.0, 5.0), conditions=2, given=1)
    kept = []
    answer = session.ask(lambda theta: (kept.append(theta), query(theta))[1])
    theta = kept[0].fractions  # P(y, z) row by row, in exact fractions
    exact = (1 * theta[3] + 5 * theta[5]) / (theta[1] + theta[3] + theta[5])
    assert answer == pytest.approx(float(exact), rel=1e-12)
    with pytest.raises(InputError, match="θ has 4 probabilities"):
        query([0.25] * 4)
    for values, given in (((), 0), ((1.0, math.nan), 0), ((1.0,), 2), ((1.0,), -1)):
        with pytest.raises(InputError):
            ConditionalExpectation(values, 2, given)


THREE = ExponentialMechanism(1.0, 2.0)
UTILITIES = [0.0, 1.0, 2.0]


def distance(pairs, law):
    """‖p̂ − p‖₁ of pairs of answers against the product law."""
    seen = np.zeros((3, 3))
    np.add.at(seen, tuple(np.asarray(pairs, dtype=int).T), 1.0)
    return float(np.abs(seen / len(pairs) - np.outer(law, law)).sum())


def test_answers_are_independent_draws_of_the_posterior():
    """Weissman: ‖p̂ − p‖₁ of 9 outcomes is above √(2 ln(2⁹/1e-6)/N) with probability at most 1e-6; N = 2000, 10⁵."""
    weights = np.exp(np.array(UTILITIES))  # at T = 2Δ/ε = 1, from the definition
    law = weights / weights.sum()

    def limit(n):
        return math.sqrt(2.0 * math.log(2**9 / 1e-6) / n)

    session = QuerySession(THREE, UTILITIES, Pure(1e6))
    pairs = [(session.ask(int_of), session.ask(int_of)) for _ in range(2_000)]
    assert distance(pairs, law) < limit(2_000)
    assert distance([(first, first) for first, _ in pairs], law) > limit(2_000)  # one draw for all queries

    evaluation = EvaluationSession(THREE, UTILITIES, np.random.default_rng(1), runs=100_000)
    columns = evaluation.evaluate(np.asarray), evaluation.evaluate(np.asarray)
    assert evaluation.drawn == 2
    assert distance(np.stack(columns, axis=-1), law) < limit(100_000)


def int_of(theta):
    return int(float(theta))


def test_an_evaluation_is_no_session():
    evaluation = EvaluationSession(THREE, UTILITIES, np.random.default_rng(1))
    assert "protects nothing" in repr(evaluation)
    assert not isinstance(evaluation, QuerySession)
    assert not any(hasattr(evaluation, name) for name in ("ask", "guarantee", "spent", "left"))
    assert not hasattr(QuerySession, "evaluate")
    with pytest.raises(TypeError):
        QuerySession(THREE, UTILITIES, Pure(1.0), np.random.default_rng(1))


# -- in the audit ------------------------------------------------------------------------------------------------------


def test_a_draw_that_is_not_charged_is_seen():
    table, lies = audit.tables(5, orders=[2.0], epsilons=[1.0], delta=1e-5, draws=4_000, mechanisms=["query-session"])
    assert (table["verdict"] == audit.HOLDS).all()
    assert (table["tightness"] > audit.TIGHT).all()
    assert (lies["caught"] == "yes").all()
    uncharged = lies[lies["lie"] == "a draw that is not charged"]
    assert uncharged["priced"].tolist() == pytest.approx([1.5 * table.loc[0, "priced"]], rel=1e-9)

    case = session_audit_cases.audit_cases(2.0, 1.0)[0]
    (uncounted,) = case.slips.values()
    witness = Witness(case.laws, [], case.neighbours[0])
    assert witness.detects(uncounted(), case.neighbours[0], np.random.default_rng(1)) == 1.0
    assert witness.detects(case.laws, case.neighbours[0], np.random.default_rng(1)) == math.inf


# -- its documentation -------------------------------------------------------------------------------------------------


def test_the_examples_of_the_documentation_run(tmp_path):
    page = (PROJECT / "docs/robust-inference.md").read_text(encoding="utf-8")
    section = page.partition("## Queries answered by draws, within a budget")[2].partition("\n## ")[0]
    first, second = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    first, second = (captured([sys.executable, "-c", c], cwd=tmp_path, check=True).stdout for c in (first, second))
    lines = first.splitlines()
    assert [line.partition(" = ")[0] for line in lines[:2]] == ["E(y | z", "E(y | z"]
    assert lines[2] == "1-DP (replace one record) 2"
    assert "above the total of 1" in lines[3]
    assert second.rstrip().endswith("spent 0.25 of 1, 0.75 left")
    assert (tmp_path / "survey.ledger").exists()
