"""What a release of an event log told besides its numbers: each attack is replayed, and must come to nothing."""

import io
import itertools
import json
import math
import tempfile
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from planted_logs import small
from scipy import stats

import tables
from dpsampling.cli import main
from dpsampling.errors import InputError
from dpsampling.event_logs import chains, counts, release
from dpsampling.event_logs.mechanisms import NoisyCounts, OnePosteriorSample
from dpsampling.event_logs.schema import ROW, Unit
from dpsampling.files.grids import expanded
from dpsampling.numerics.exact import bits
from dpsampling.numerics.exact.replay import findings
from dpsampling.privacy.guarantee import Pure
from dpsampling.privacy.ledger import Release
from dpsampling.privacy.rounding import sum_up
from reproduction import project, releases
from reproduction.experiments.warlogs.text import origin
from reproduction.inputs.counts import about
from reproduction.report import run_tables
from reproduction.stages import claims as judged

MODEL = chains.Model(2, iterations=12, burn_in=6)
RARE = 1e-6  # error rate of each statistical test here


def log(unit=ROW):
    return replace(small(), log="ward", title="Ward", origin="file", features=("kind", "hurt"), unit=unit)


@pytest.fixture
def private(tmp_path):
    """A log's counts in a folder of their own."""
    (tmp_path / "data").mkdir()
    counts.put(tmp_path / "data" / "counts.npz", log())
    return tmp_path / "data" / "counts.npz"


def model(private, *arguments, epsilon=2, budget=3):
    out = private.parents[1] / "model.json"
    spent = f"--counts {private} --epsilon {epsilon} --budget {budget}"
    return main(["warlogs", "model", *spent.split(), *arguments, "--out", str(out)]), out


# -- the noise -------------------------------------------------------------------------------------------------------


def test_noise_is_whole_and_tells_nothing_of_the_count_but_by_its_size():
    """The attack: which sums n + noise can a float be? Here all whole numbers, with Pr ∝ e^{−r|y|} to the last one."""
    mechanism, draws = NoisyCounts(2.0), 40_000
    noise = mechanism.release(np.full(draws, 7, dtype=np.int64), 2) - 7
    assert noise.dtype == np.int64
    assert deviation(noise, mechanism.rate(2)) > RARE
    for wrong in (0.9, 1.1):  # noise of a scale that is off by a tenth is noticed
        assert deviation(noise, mechanism.rate(2) * Fraction(wrong)) < RARE


def deviation(noise, rate) -> float:
    """The p-value of χ² over whole numbers to 12, and what is beyond on either side."""
    r = float(rate)
    law = np.array([math.tanh(r / 2.0) * math.exp(-r * abs(y)) for y in range(-12, 13)])
    beyond = math.exp(-13.0 * r) / (1.0 + math.exp(-r))
    expected = len(noise) * np.concatenate([[beyond], law, [beyond]])
    return float(stats.chisquare(np.bincount(np.clip(noise, -13, 13) + 13, minlength=27), expected).pvalue)


def test_neighbours_are_as_likely_as_epsilon_says_for_the_unit_that_is_named():
    """The attack: all three rows of a patient move at once. By the law's own ratio, exactly, over what they can do."""
    unit = Unit("patient", 3)
    mechanism = NoisyCounts(1.0, unit=unit)
    before, after = np.zeros((2, 5), np.int64), np.zeros((2, 5), np.int64)
    before[0], after[1] = (3, 0, 0, 3, 0), (0, 0, 3, 0, 3)  # cell and both outcomes change, three times
    assert mechanism.rate(2) * int(np.abs(before - after).sum()) == 1
    assert NoisyCounts(1.0).rate(2) * int(np.abs(before - after).sum()) == 3  # what protects rows costs a patient 3ε
    released = release.noisy(log(unit=unit), MODEL, mechanism)
    assert released.unit == unit
    conditions = ("neighbours: replace all rows of one patient (at most 3)",)
    assert mechanism.guarantee(released.sizes, 1).conditions == conditions


def test_a_fit_of_an_experiment_takes_the_unit_of_its_log():
    """The same seed, and noise of three times the scale: what is shown of a real log is what its release would be."""
    from dpsampling.event_logs import sweep
    from dpsampling.numerics.randomness import stream

    seen = []

    class Spy(NoisyCounts):
        def simulate(self, counts, features, rng):
            seen.append(self.scale(features))
            return super().simulate(counts, features, rng)

    for unit in (Unit("row", 1), Unit("patient", 3)):
        found = log(unit=unit)
        sweep.run(found, np.ones(found.entries.shape, dtype=bool), MODEL, Spy(1.0), stream(1, "w"), 0)
    assert seen[1] == pytest.approx(3.0 * seen[0], rel=1e-11)


def test_generators_and_releases_refuse_each_other():
    mechanism, rng = NoisyCounts(1.0), np.random.default_rng(1)
    some = np.zeros(4, np.int64)
    with pytest.raises(InputError, match="simulate is what takes a generator"):
        mechanism.release(some, rng)
    with pytest.raises(TypeError):
        mechanism.release(some, 2, rng)
    with pytest.raises(TypeError):
        mechanism.simulate(some, 2)
    for none in (None, 3, np.random):
        with pytest.raises(InputError, match="simulate takes a NumPy generator"):
            mechanism.simulate(some, 2, none)
    with pytest.raises(InputError, match="counts are float64"):
        mechanism.release(some.astype(float), 2)


# -- 9: noise and chain ----------------------------------------------------------------------------------------------


def test_who_knows_the_chains_generator_does_not_know_the_noise(monkeypatch):
    """The attack: guess the one seed that both are drawn from, and take the noise off."""
    first = np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: first(99))
    found, mechanism = log(), NoisyCounts(2.0, "noise-aware")
    one, two = (release.noisy(found, MODEL, mechanism) for _ in range(2))
    assert (one.counts != two.counts).any()  # both are equal with probability below 1e-20
    same = [release.modelled(one, MODEL, "noise-aware").states for _ in range(2)]
    assert (same[0] == same[1]).all()


def test_who_knows_the_noises_bits_does_not_know_the_chain(monkeypatch):
    """And the other way round: with the noise's bits frozen the chain is another one every time."""
    stream = io.BytesIO(np.random.default_rng(5).bytes(1 << 20))
    monkeypatch.setattr(bits, "fresh", lambda count: stream.read(count))
    found, mechanism = log(), NoisyCounts(0.5, "noise-aware")
    drawn = []
    for _ in range(2):
        stream.seek(0)
        drawn.append(release.noisy(found, MODEL, mechanism))
    assert (drawn[0].counts == drawn[1].counts).all()
    assert stream.tell() > 0
    chain = [release.modelled(drawn[0], MODEL, "noise-aware").log_joint for _ in range(2)]
    assert (chain[0] != chain[1]).any()


def test_a_release_with_a_seed_is_refused_and_says_what_to_use(private, capsys):
    done, out = model(private, "--seed", "20200401")
    assert done == 2
    told = capsys.readouterr().err
    assert "a release has no seed" in told
    assert "dpsampling warlogs fit" in told
    assert not out.exists()
    assert [path.name for path in private.parent.iterdir()] == ["counts.npz"]


# -- 4: what is spent ------------------------------------------------------------------------------------------------


def test_a_second_run_is_charged_and_one_beyond_the_budget_makes_nothing(private, tmp_path, capsys):
    """The attack: run it again and average. Each of two runs at ε = 2 would be fine by itself."""
    assert model(private)[0] == 0
    assert "spent 2 of 3, 1 left" in capsys.readouterr().out
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert private.with_name("counts.npz.ledger") in kept
    for more in ([], ["--out", str(tmp_path / "second.json")]):
        assert model(private, *more)[0] == 2
        assert "from 2 to 4, above its total of 3; lower ε, for 1 is left" in capsys.readouterr().err
    assert model(private, budget=5)[0] == 2
    assert "is ε = 3.0, fixed by its first release" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == kept
    assert model(private, epsilon=1)[0] == 0


def test_the_charge_comes_before_the_noise(private, monkeypatch):
    """The attack: stop the run when the noise is unlucky, so that it was never booked."""
    ledger = private.with_name("counts.npz.ledger")
    seen = []

    def stopped(*arguments):
        seen.append(ledger.read_text(encoding="utf-8").count("\n"))
        raise KeyboardInterrupt

    monkeypatch.setattr(release, "noisy", stopped)
    with pytest.raises(KeyboardInterrupt):
        model(private)
    assert seen == [2]
    monkeypatch.undo()
    assert model(private)[0] == 2  # 2 + 2 > 3


def test_other_models_of_noisy_counts_are_free_and_see_no_count(private, tmp_path, capsys):
    assert model(private, epsilon=3)[0] == 0
    ledger = private.with_name("counts.npz.ledger").read_bytes()
    first = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    noisy = tmp_path / first["noisy_counts"]
    private.unlink()  # nothing reads it again
    for states, mechanism in ((5, "noise-aware"), (2, "clip"), (4, "sum-then-clip"), (1, "clip")):
        out = tmp_path / f"{states}.json"
        arguments = f"model --from {noisy} --states {states} --mechanism {mechanism} --out {out}"
        assert main(["warlogs", *arguments.split()]) == 0
        told = json.loads(out.read_text(encoding="utf-8"))
        assert len(told["states"]) == states
        assert told["charged"] == 0.0
        assert told["guarantee"] == first["guarantee"]
    assert "which costs nothing" in capsys.readouterr().out
    assert private.with_name("counts.npz.ledger").read_bytes() == ledger


def test_a_model_of_one_state_gets_noise_on_corpus_counts_and_is_good_for_no_other(private, tmp_path, capsys):
    assert model(private, "--states", "1")[0] == 0
    assert release.load(tmp_path / "model.noisy.npz").counts.shape == (1, 5)
    assert main(["warlogs", "model", "--from", f"{tmp_path}/model.noisy.npz", "--out", f"{tmp_path}/x.json"]) == 2
    assert "are of the whole corpus, enough for one state" in capsys.readouterr().err


def test_what_may_be_published_has_no_exact_count(private, tmp_path):
    """A log with one count that stands out, and every file that a release writes beside its ledger."""
    found = log()
    high = found.counts.copy()
    high[1, 3] = (98_765_432, 0, 0, 98_765_432, 0)
    counts.put(private, replace(found, counts=high))
    assert model(private)[0] == 0
    noisy = release.load(tmp_path / "model.noisy.npz")
    true = chains.needed(high, np.ones((2, 6), dtype=bool), MODEL)
    assert (noisy.counts == true).mean() < 0.5  # P(a noise is 0) = tanh(1/8) = .12
    assert "98765432" not in (tmp_path / "model.json").read_text(encoding="utf-8")


def test_a_log_without_entries_is_released_as_any_other(private, capsys):
    """The attack: one record more or less, and the command refuses."""
    counts.put(private, replace(log(), counts=np.zeros((2, 6, 5), np.int64)))
    assert model(private)[0] == 0
    assert "2-DP" in capsys.readouterr().out


# -- 5: the price of a chain -----------------------------------------------------------------------------------------


def test_ops_is_printed_and_charged_at_its_certain_price(private, tmp_path, capsys):
    """The attack: believe ε = 2 of a chain that has not converged."""
    assert model(private, "--mechanism", "ops", "--states", "3")[0] == 2
    assert "from 0 to 800, above its total of 3" in capsys.readouterr().err
    (private.with_name("counts.npz.ledger")).unlink()
    done, out = model(private, "--mechanism", "ops", "--states", "3", budget=1000)
    assert done == 0
    printed = capsys.readouterr().out
    assert printed.index("800-DP") < printed.index("ε would be 2 if the chain had converged")
    told = json.loads(out.read_text(encoding="utf-8"))
    assert told["guarantee"]["epsilon"] == told["charged"] == told["budget"]["spent"] == 800.0
    assert told["guarantee"]["conditions"][-1] == release.EXACT_CHAIN
    assert not (tmp_path / "model.noisy.npz").exists()


def test_one_state_is_one_draw_at_one_price(private, tmp_path):
    assert model(private, "--mechanism", "ops", "--states", "1")[0] == 0
    told = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert told["guarantee"]["epsilon"] == 2.0
    assert not [c for c in told["guarantee"]["conditions"] if "converged" in c]


def test_nothing_of_a_chain_is_told_but_its_end():
    fit = release.posterior_sample(log(), MODEL, OnePosteriorSample(1.0, 10.0))
    assert fit.states.shape == (1, 2, 6)
    assert fit.log_joint.size == fit.mixture.size == fit.own.size == 0
    assert fit.probabilities.sum(axis=1) == pytest.approx([2.0, 2.0], abs=1e-12)


def test_the_course_of_a_release_is_the_same_for_neighbours():
    """The attack: watch which instructions run, how often bits are asked for, and what comes back."""
    found = log()
    other = found.counts.copy()
    other[0, 0, :], other[1, 2, :] = (0, 0, 0, 0, 0), (25, 0, 1, 0, 26)
    empty = replace(found, counts=np.zeros_like(other))
    for mechanism in (NoisyCounts(2.0), NoisyCounts(0.5, "noise-aware")):
        for neighbour in (replace(found, counts=other), empty):
            told = findings(
                lambda m=mechanism: release.noisy(found, MODEL, m),
                lambda m=mechanism, n=neighbour: release.noisy(n, MODEL, m),
            )
            assert told == []
    assert findings(lambda: leaky(found), lambda: leaky(empty))  # a branch on the data is found


@pytest.mark.parametrize("mechanism", ["noise-aware", "sum-then-clip", "ops"])
def test_the_course_of_the_whole_command_is_the_same_for_neighbours(mechanism, private, monkeypatch):
    """And what it prints, and which files it writes, from the arguments to the last line."""
    monkeypatch.setattr(tempfile, "_get_candidate_names", lambda: map(str, itertools.count()))
    found = log()
    other = found.counts.copy()
    other[0, 0, :], other[1, 2, :] = (0, 0, 0, 0, 0), (25, 0, 1, 0, 26)

    def releasing(counted):
        def action():
            private.with_name("counts.npz.ledger").unlink(missing_ok=True)
            private.write_bytes(counted)
            done.append(model(private, "--mechanism", mechanism, "--states", "1" if mechanism == "ops" else "2")[0])

        return action

    written, done = [], []
    for each in (found, replace(found, counts=other)):
        counts.put(private, each)
        written.append(private.read_bytes())
    assert findings(*map(releasing, written)) == []
    assert set(done) == {0}

    def refusing(path):
        if not (load := actual(path)).entries.all():
            raise InputError("a cell is empty.")
        return load

    actual = counts.load  # a check of private content, which one row decides: what there was, and must be found
    monkeypatch.setattr(counts, "load", refusing)
    assert findings(*map(releasing, written))


def leaky(found):
    return release.noisy(found, MODEL, NoisyCounts(1.0)).counts[: 1 + int(found.entries.any())]


# -- 8: what the pipeline's fits protect -----------------------------------------------------------------------------


def test_every_line_of_the_ledger_says_that_it_protects_nothing():
    rows = releases.frame("x", [Release("a", "laplace", Pure(1.0)), Release("b", "ops", Pure(2.0))])
    assert rows["protects"].tolist() == ["nothing: evaluation with a public seed"] * 2
    assert "protect nothing" in str(run_tables.ledger(Tree([{"experiment": "x", "epsilon": "1"}])))


class Tree:
    def __init__(self, ledger):
        self.ledger = ledger


@pytest.mark.parametrize("experiment", ["fig4_6", "states_used", "fig4_7"])
def test_the_epsilon_of_ops_in_the_ledger_is_the_certain_one(experiment):
    few = {"splits": 2, "epsilons": [0.1, 5]} if experiment == "fig4_6" else {}
    found = tables.made(experiment, rows=0.02, iterations=12, burn_in=6, **few)
    params = found.attrs["parameters"]
    booked = releases.frame("x", judged.released(project.experiment(experiment).code, found, params))
    ops = booked[booked["mechanism"].str.startswith("ops")]
    asked = [float(e) for e in expanded(params).get("epsilons", [params.get("epsilon")])]
    certain = {sum_up([e], 24) for e in asked}
    assert certain <= set(ops["epsilon"])
    assert set(ops["epsilon"]) - certain == (set(asked) - certain if "model" in found else set())  # of naive Bayes
    assert set(booked[booked["mechanism"].str.startswith("laplace")]["epsilon"]) <= set(asked)


def test_figures_of_a_real_log_say_what_they_are():
    table = pd.DataFrame({"log": ["a"]})
    table.attrs["inputs"] = {"a": {"origin": "file"}, "b": {"origin": "simulated"}}
    table.attrs["inputs"] |= {"c": {"origin": "published"}, "d": {"origin": "published"}}
    assert origin(table, "a") == "real log: evaluation, protects nothing"
    assert origin(table, "b") == "simulated log"
    assert origin(table, "a", "b") == "a: real, evaluation, protects nothing, b: simulated"
    assert origin(table, "c") == "real log, aggregates"
    assert origin(table, "c", "d") == "real logs, aggregates"
    assert origin(table, "c", "b") == "c: real aggregates, b: simulated"


# -- 7: what stands beside a table -----------------------------------------------------------------------------------


def test_provenance_of_a_real_log_has_nothing_that_was_counted():
    found = log()
    told = about({"real": found, "simulated": replace(found, origin="simulated")})
    assert told["simulated"]["entries"] == 240
    assert told["simulated"]["median"] == 20.0
    assert set(told["real"]) == {"title", "origin", "regions", "months", "note"}
    assert not {240, 20.0} & set(told["real"].values())
