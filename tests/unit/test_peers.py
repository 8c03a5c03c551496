"""The benchmark beside diffprivlib: what is fitted, how it is told, that it is skipped, and what its levels are."""

import importlib.util
import json
import math
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import integrate
from scipy.special import expit

from conftest import PROJECT
from planted_designs import planted


def script(name):
    """A script of benchmarks/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, PROJECT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


peers, peer_side, peer_epsilons = map(script, ("peers", "peer_side", "peer_epsilons"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(peers.making, "build", planted)
    monkeypatch.setattr(peers, "planted", lambda n=200: small())
    assert peers.prepare(tmp_path, 2, [1.0, 10.0], ["planted", "abalone", "adult"]) == []
    return tmp_path


def small():
    """Forty rows about each of four points."""
    rng = np.random.default_rng(3)
    rows = np.repeat([[0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5]], 40, axis=0) + rng.normal(0, 0.02, (160, 2))
    return rows, (np.arange(160) % 5 < 4)[None, :]


def test_both_sides_have_the_same_learners():
    """Theirs as they are written: the library itself is not here."""
    text = (PROJECT / "benchmarks" / "peer_side.py").read_text(encoding="utf-8")
    for learner in peer_side.ours():
        assert text.count(f'"{learner}": {{') == 2


def test_tasks_have_public_bounds_and_the_same_splits_for_both(folder):
    settings = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    learners = ("naive Bayes", "logistic regression", "trees")
    both = [(learner, name) for learner in learners for name in ("abalone", "adult")]
    expected = {("k means", "planted"), ("linear regression", "abalone"), *both}
    assert {(t["learner"], t["dataset"]) for t in settings["tasks"]} == expected
    arrays = np.load(folder / "abalone.npz")
    assert arrays["train"].shape == (2, 150)
    assert (arrays["train"].sum(axis=1) == 100).all()
    assert (arrays["train"][0] != arrays["train"][1]).any()
    low, high = settings["public"]["abalone"]["bounds"]
    assert low == [-1.0] * 9
    assert high == [1.0] * 9


@pytest.mark.filterwarnings("ignore")
def test_our_side_runs_and_is_summed_up(folder):
    peer_side.run("ours", folder)
    table = peers.summary(peers.relative(pd.read_csv(folder / "ours.csv").assign(side="ours"), folder))
    assert set(table["repeats"]) == {2}
    loss = table[(table["learner"] == "k means") & (table["epsilon"] == 10.0)]["score"].iloc[0]
    assert 0.9 < loss < math.inf  # no better than Lloyd's
    text = peers.report(table, ["mnist is absent."])
    assert "Left out: mnist is absent." in text
    assert text.count("| ε |") == 8


def frame(ours, theirs, error=0.001):
    shared = {"learner": "trees", "dataset": "adult", "epsilon": 1.0, "seconds": 1.0, "repeats": 5}
    shared["standard_error"] = error
    return pd.DataFrame(
        [
            {**shared, "side": "ours", "form": "a", "score": ours},
            {**shared, "side": "ours", "form": "b, δ = 1e-6", "score": 0.3},
            {**shared, "side": "theirs", "form": "c", "score": theirs},
        ]
    )


@pytest.mark.parametrize(("ours", "theirs", "lost"), [(0.2, 0.21, 0), (0.21, 0.205, 0), (0.21, 0.2, 1)])
def test_where_ours_is_worse_is_said(ours, theirs, lost):
    """Beyond 4 standard errors of .0014."""
    assert len(peers.worse(frame(ours, theirs))) == lost
    assert peers.report(frame(ours, theirs), []).count("except:") == 2 * lost


def test_a_better_form_with_a_delta_does_not_hide_a_worse_one_without():
    table = frame(0.25, 0.2)
    table.loc[1, "score"] = 0.19
    assert peers.worse(table) == []
    assert peers.report(table, []).count("except:") == 1


def test_an_environment_that_cannot_be_made_is_a_reason_to_skip(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(peers.shutil, "which", lambda name: None)
    assert peers.main(["--out", str(tmp_path)]) == 0
    said = "The benchmark beside diffprivlib==0.6.6 is skipped: there is neither uv nor python3.11.\n"
    assert capsys.readouterr().out == said
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_fails_is_told_in_one_sentence():
    with pytest.raises(peers.UnmadeError, match=r"failed \(nothing is there\)"):
        peers._run(sys.executable, "-c", "import sys; sys.exit('nothing is there')")


# -- levels ------------------------------------------------------------------------------------------------------------


def test_bounds_of_frequencies():
    """At p = p′ nothing is claimed, and a certain event of one data set alone is δ = 1 nearly."""
    assert peer_epsilons.least_epsilon(500, 500, 1000) < 0.0
    assert peer_epsilons.least_delta(500, 500, 1000, 0.0) == 0.0
    assert peer_epsilons.least_epsilon(1000, 0, 1000) > 4.0
    assert peer_epsilons.least_delta(1000, 0, 1000, 1.0) > 0.93
    assert peer_epsilons.least_epsilon(0, 5, 1000) == -math.inf


def test_bounds_of_frequencies_err_as_seldom_as_they_say():
    """Randomized response at ε = 1: with 10⁴ runs of 100 pairs, a bound above 1 has a chance below 10⁻⁴ in all."""
    rng = np.random.default_rng(11)
    p = math.e / (1.0 + math.e)
    pairs = rng.binomial(10_000, [p, 1.0 - p], (100, 2))
    found = [peer_epsilons.least_epsilon(int(a), int(b), 10_000) for a, b in pairs]
    assert min(found) > 0.7
    assert max(found) <= 1.0
    raised = rng.binomial(10_000, [p, 0.5 * (1.0 - p)], (100, 2))  # a planted liar, of ε = 1 + ln 2
    assert min(peer_epsilons.least_epsilon(int(a), int(b), 10_000) for a, b in raised) > 1.0


def test_the_exact_level_by_another_route():
    """The density of w integrates to 1 with the ridge and ε′ that are said; the ratio at 0 is that of the Jacobians."""
    assert peer_epsilons.exact_logistic(100.0, 1.0, 1.0) == pytest.approx(3.2607, abs=1e-4)
    ridge = 25.0 / math.expm1(0.25)
    at_zero = math.log((ridge + 2500.0) / ridge) - 50.0 / 400.0
    assert at_zero == pytest.approx(3.2561, abs=1e-4)
    assert peer_epsilons.exact_logistic(100.0, 1.0, 1.0) > at_zero

    def density(w, z):
        s = float(expit(-z * w))
        return math.exp(-abs(-ridge * w + z * s) / 400.0) * (ridge + z * z * s * (1.0 - s)) / 800.0

    for z in (100.0, 0.0):
        whole = integrate.quad(density, -200, 200, args=(z,), points=[-0.5, 0.0, 0.5], limit=2000)[0]
        assert whole == pytest.approx(1.0, abs=1e-6)


def test_short_rows_are_no_lie():
    """cR is at least cR² where R ≤ 1, and printed slack is twice what is needed."""
    assert peer_epsilons.exact_logistic(1.0, 1.0, 1.0) <= 1.0


@pytest.mark.slow
def test_the_environment_is_made_and_both_sides_run(tmp_path):
    assert peers.main(["--repeats", "2", "--epsilons", "1", "--datasets", "planted", "--out", str(tmp_path)]) == 0
    told = tmp_path / "benchmark-peers.md"
    assert not told.exists() or "theirs: KMeans" in told.read_text(encoding="utf-8")
