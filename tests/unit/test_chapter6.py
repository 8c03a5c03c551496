"""Chapter 6's tables and claims: the papers' parameters, others, planted errors, and the command for kernels."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from dpsampling import config, project
from dpsampling.amplification import mixing
from dpsampling.amplification.kernels import Kernel
from dpsampling.cli import main
from dpsampling.experiments.chapter6 import random_kernels
from dpsampling.experiments.contract import load
from dpsampling.grids import expanded
from dpsampling.randomness import stream

CHAPTER = ["fig6_1", "fig6_2", "fig6_3", "fig6_4", "fig6_5", "fig6_6", "public_steps"]
SIZES = {
    "fig6_1": {"kernels": 500},
    "fig6_2": {"kernels": 100},
    "fig6_4": {"orders": [1.1, 2, 10, 100]},
    "fig6_6": {"repeats": 100, "n": 70},
    "public_steps": {"repeats": 60, "n": 80, "dimensions": [4, 64]},
}


def made(experiment: str, seed: int = 3, **changes) -> pd.DataFrame:
    parameters = config.resolve(project.experiment(experiment), changes)
    table = load(experiment).table(expanded(parameters), stream(seed, experiment))
    assert tuple(table.columns) == load(experiment).COLUMNS
    table.attrs["parameters"] = parameters
    return table


def verdicts(experiment: str, table: pd.DataFrame) -> dict[str, str]:
    return {c.id: c.verdict for c in load(experiment).claims(table)}


@pytest.mark.parametrize("experiment", CHAPTER)
def test_no_claim_is_refuted_or_untestable_at_the_papers_parameters(experiment):
    found = verdicts(experiment, made(experiment, 20200401, **SIZES.get(experiment, {})))
    assert set(found.values()) <= {"reproduced", "misprint"}, found


def test_the_misprints_are_those_we_know_of():
    found = {e: verdicts(e, made(e, **SIZES.get(e, {}))) for e in CHAPTER}
    wrong = {f"{e}.{name}" for e, claims in found.items() for name, verdict in claims.items() if verdict == "misprint"}
    assert wrong == {"fig6_1.direction", "fig6_3.amplifies", "fig6_5.expanding", "fig6_6.convex"}


def test_a_kernel_does_not_depend_on_how_many_there_are():
    few, many = (list(random_kernels.kernels(n, [2, 5], np.random.default_rng(3))) for n in (7, 40))
    assert all(np.array_equal(a.rows, b.rows) for a, b in zip(few, many, strict=False))


def test_kinds_of_kernels_have_zeros_small_entries_and_nearly_equal_rows():
    kernels = list(random_kernels.kernels(1000, [2, 3, 6], np.random.default_rng(5)))
    assert sum(np.any(kernel.rows == 0) for kernel in kernels) > 100
    assert sum(np.any((kernel.rows > 0) & (kernel.rows < 1e-12)) for kernel in kernels) > 50
    assert sum(mixing.dobrushin(kernel) < 0.01 for kernel in kernels) > 10
    assert sum(mixing.dobrushin(kernel) > 0.99 for kernel in kernels) > 100
    assert sum(mixing.ultra_mixing(kernel) < 0.9 for kernel in kernels) > 100


PLANTED = [
    ("fig6_1", lambda t: t.assign(violations=t["violations"] + 1), "doeblin-dobrushin"),
    ("fig6_2", lambda t: t.assign(ldp_delta=t["ldp_delta"] * 1.001), "level"),
    ("fig6_2", lambda t: t.assign(ldp_epsilon=t["ldp_epsilon"] * 0.999), "ultra"),
    ("fig6_2", lambda t: t.assign(ldp_epsilon=t["ldp_epsilon"] * 0.3), "blanket"),
    ("fig6_3", lambda t: t.assign(delta_bound=t["delta_bound"] * 0.999), "dobrushin"),
    ("fig6_3", lambda t: t.assign(delta_bound=t["delta_bound"] * 0.1), "doeblin"),
    ("fig6_3", lambda t: t.assign(epsilon_bound=t["epsilon_bound"] * 1.001), "epsilon"),
    ("fig6_4", lambda t: t.assign(epsilon=t["epsilon"].where(t["curve"] != "bound", 0.8 * t["epsilon"])), "bound"),
    (
        "fig6_5",
        lambda t: t.assign(epsilon=t["epsilon"].where(t["curve"] != "optimal", 0.999 * t["epsilon"])),
        "attained",
    ),
    (
        "fig6_6",
        lambda t: t.assign(epsilon=t["epsilon"].where(t["curve"] != "optimal", 1.001 * t["epsilon"])),
        "attained",
    ),
    ("fig6_6", lambda t: t.assign(excess_loss=t["excess_loss"] * (1 - t["index"] / t["index"].max())), "loss"),
    ("public_steps", lambda t: t.assign(epsilon=t["epsilon"] * 1.5), "reached"),
    ("public_steps", lambda t: t.assign(public_steps=t["public_steps"] ** 1.3), "logarithmic"),
    ("public_steps", lambda t: t.assign(excess_loss=t["excess_loss"] * t["dimension"] ** 0.3), "constant"),
]


@pytest.mark.parametrize(("experiment", "change", "claim"), PLANTED)
def test_verdicts_follow_the_table(experiment, change, claim):
    table = made(experiment, **SIZES.get(experiment, {}))
    wrong = change(table)
    wrong.attrs = table.attrs
    assert verdicts(experiment, table)[claim] == "reproduced"
    assert verdicts(experiment, wrong)[claim] == "refuted"


def test_losses_are_the_same_whatever_the_number_of_public_steps():
    """The excess after k public steps does not depend on how many follow."""
    short, long = (made("fig6_6", n=n, repeats=20) for n in (4, 4))
    pd.testing.assert_frame_equal(short, long)
    table = made("public_steps", n=10, repeats=20, dimensions=[4], epsilon=1)
    more = made("public_steps", n=10, repeats=20, dimensions=[4, 8], epsilon=0.1)
    shared = table.merge(more, on=["dimension", "public_steps"])
    assert len(shared) == len(table)
    assert np.allclose(shared["excess_loss_x"], shared["excess_loss_y"], rtol=1e-12)


@pytest.mark.parametrize(
    ("experiment", "setting", "words"),
    [
        ("fig6_5", "contractions=[1.1]", "contractions[0] is 1.1"),
        ("fig6_6", "rate=1.9", "at most 2/(β + ρ) = 1.81818"),
        ("fig6_6", "convexity=1", "below the smoothness"),
        ("public_steps", "rate=0", "rate is 0"),
        ("fig6_3", "noises=[1.2]", "noises[0] is 1.2"),
        ("fig6_2", "epsilons=[601]", "randomized response needs 600 or less"),
        ("fig6_3", "epsilon=601", "randomized response needs 600 or less"),
        ("fig6_1", "kernel_sizes=[1]", "kernel_sizes[0] is 1"),
        ("fig6_4", "second_scales=[0]", "second_scales[0] is 0"),
    ],
)
def test_parameters_outside_their_range_are_one_sentence(experiment, setting, words, tmp_path, capsys):
    assert main(["table", experiment, "--set", setting, "--out", str(tmp_path / "x.csv")]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


# -- dpsampling amplification kernel --------------------------------------------------------------------------------


def test_a_kernel_file_is_priced(tmp_path, capsys):
    source, out = tmp_path / "K.csv", tmp_path / "bounds.csv"
    source.write_text("0.75,0.25\n0.25,0.75\n", encoding="utf-8")
    arguments = ["--kernel", str(source), "--epsilon", "1", "--delta", "0.05", "--out", str(out)]
    assert main(["amplification", "kernel", *arguments]) == 0
    shown = capsys.readouterr().out
    assert all(condition in shown for condition in mixing.CONDITIONS)
    table = pd.read_csv(out).set_index("condition")
    expected = mixing.amplified(mixing.Approximate(1.0, 0.05), Kernel.of([[0.75, 0.25], [0.25, 0.75]]))
    for name, (gamma, bound) in expected.items():
        assert tuple(table.loc[name]) == (gamma, bound.epsilon, bound.delta)
    assert table.loc["Doeblin", "epsilon"] == pytest.approx(math.log1p(0.5 * math.expm1(1.0)))


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("0.7,0.2\n0.5,0.5\n", [], "row 1 of the kernel sums to 0.9"),
        ("1.2,-0.2\n0.5,0.5\n", [], "-0.2 in row 1, column 2"),
        ("a,b\n0.5,0.5\n", [], "'a' in row 1, column 1"),
        ("0.5,0.5\n1\n", [], "1 numbers in row 2 and 2 in row 1"),
        ("\n", [], "is empty"),
        ("nan,1\n1,0\n", [], "nan in row 1"),
        (None, [], "does not exist"),
        ("1\n", ["--epsilon", "-1"], "epsilon is -1"),
        ("1\n", ["--epsilon", "nan"], "epsilon is nan"),
        ("1\n", ["--delta", "2"], "delta is 2"),
        ("1\n", ["--out", "x.txt"], "x.txt has another ending"),
    ],
)
def test_bad_kernel_files_are_one_sentence_and_leave_nothing(text, options, words, tmp_path, capsys):
    source = tmp_path / "K.csv"
    if text is not None:
        source.write_text(text, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    arguments = ["--kernel", str(source), "--epsilon", "1", "--out", str(tmp_path / "o.csv"), *options]
    assert main(["amplification", "kernel", *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert sorted(tmp_path.iterdir()) == before
