"""The check of claims by false tables finds those that cannot fail, and passes those that can."""

import sys
import types

import pandas as pd
import pytest

import refusals
from dpsampling.cli import main
from reproduction import project, provenance
from reproduction.claims import EXACT, agrees, at_most, corrected, never, untestable
from reproduction.stages import experiment_contract, falsifiability

TABLE = pd.DataFrame({"curve": ["a", "b", "a"], "n": [1, 2, 3], "epsilon": [0.1, 0.2, 0.3]})


@pytest.fixture
def judged(monkeypatch):
    """What the check says of claims that are planted in the place of an experiment's."""

    def run(function, table=TABLE, **constants):
        module = types.ModuleType("planted_claims")
        vars(module).update(claims=function, EVIDENCE=EXACT, **constants)
        monkeypatch.setitem(sys.modules, "planted_claims", module)
        monkeypatch.setattr(experiment_contract, "module_of", lambda code, stage: "planted_claims")
        return {checked.claim.id: checked for checked in falsifiability.perturb("planted", table, {})}

    return run


def limit(name, value):
    return at_most(name, "s", "t", limit=1.0, measured=value)


@pytest.mark.parametrize(
    ("measured", "moved_by", "flipped_by"),
    [
        (lambda table: float(table["epsilon"].max()), "epsilon set to zero", "epsilon scaled by 1000"),
        (lambda table: 0.5, "", ""),
        (lambda table: float(table["epsilon"].max() > 0) / 2, "epsilon set to zero", ""),
    ],
    ids=["about a column", "about none", "that cannot fail"],
)
def test_a_claim_that_no_column_flips_is_idle(judged, measured, moved_by, flipped_by):
    claim = judged(lambda table, params: [limit("x", measured(table))])["x"]
    assert (claim.moved_by, claim.flipped_by, claim.idle) == (moved_by, flipped_by, not flipped_by)


def test_words_are_changed_too(judged):
    def claims(table, params):
        wrong = int((table.loc[table["curve"] == "b", "n"] != 2).sum())
        return [never("x", "s", "t", violations=wrong, cases=3)]

    assert judged(claims)["x"].flipped_by


def of_one_row(table, params):
    """A claim about the second row, as long as the others are as they are; else it moves, and does not flip."""
    ratio = float(table["epsilon"].iloc[1] / table["epsilon"].iloc[[0, 2]].mean())
    fits = ratio if set(table["epsilon"].iloc[[0, 2]]) == {0.1, 0.3} else 1.001
    return [agrees("x", "s", "t", expected=1.0, measured=fits, tolerance=0.01)]


def test_the_rows_of_one_word_are_changed_where_whole_columns_do_not_do_and_one_cell_where_no_word_tells(judged):
    assert judged(of_one_row)["x"].flipped_by == "epsilon scaled by 1000 where curve is b"
    assert judged(of_one_row, TABLE[["epsilon"]].assign(curve="a"))["x"].flipped_by == "epsilon in row 2 times 1.5"


def test_a_column_that_only_flips_leaves_the_search_on_for_what_moves(judged):
    """A tolerance from the table: what is measured stands in another column."""

    def claims(table, params):
        slack, measured = float(table["n"].max()), float(table["epsilon"].max())
        return [agrees("x", "s", "t", expected=0.0, measured=measured, tolerance=slack)]

    one = judged(claims)["x"]
    assert (one.moved_by, one.flipped_by) == ("epsilon set to zero", "n set to zero")


def test_a_column_without_which_nothing_is_measured_is_searched_in_full(judged):
    """Set to zero it leaves nothing to judge by; turned round or scaled it flips."""

    def claims(table, params):
        top = float(table["epsilon"].max())
        return [limit("x", top) if top else untestable("x", "s", "t", "nothing is spent")]

    assert judged(claims)["x"].flipped_by == "epsilon scaled by 1000"


def test_a_claim_that_is_found_early_ends_the_search(judged):
    calls = []

    def claims(table, params):
        calls.append(1)
        return [limit("x", 2.0 if list(table["curve"]) != ["a", "b", "a"] else 0.5)]

    judged(claims, TABLE.assign(curve=["a", "b", "a"]))
    assert len(calls) <= 3


def test_an_excuse_is_told_and_what_is_undecided_is_not_blamed(judged):
    excused = judged(lambda table, params: [limit("x", 0.5)], EXCUSED={"x": "it is a count of lemmas"})["x"]
    assert (excused.excuse, excused.idle) == ("it is a count of lemmas", False)
    found = judged(lambda table, params: [untestable("x", "s", "t", "no data")])
    assert not found["x"].idle
    assert falsifiability.frame("fig", list(found.values())).empty


def test_a_table_that_cannot_be_read_is_no_verdict(judged):
    def claims(table, params):
        if float(table["epsilon"].sum()) != pytest.approx(0.6):
            raise ZeroDivisionError
        return [limit("x", 0.5)]

    assert judged(claims)["x"].idle


def test_corrections_are_flipped(judged):
    def claims(table, params):
        errors = {"error_as_printed": float(table["epsilon"].max()), "error_as_corrected": 0.0}
        return [corrected("x", "s", "t", correction="so", **errors, tolerance=0.2, slip=False)]

    one = judged(claims)["x"]
    assert (one.claim.verdict, one.flipped_by) == ("wrong", "epsilon set to zero")


def test_whole_numbers_stay_whole_and_the_table_stays_as_it_is(judged):
    before = TABLE.copy()
    columns = list(TABLE.columns)
    whole = [change for name in columns for change in falsifiability.whole_column(TABLE, name)]
    for _, _, other in [*whole, *falsifiability.parts(TABLE, columns), *falsifiability.single_cells(TABLE, columns)]:
        assert other["n"].dtype == TABLE["n"].dtype
        assert len(other) == len(TABLE)
    pd.testing.assert_frame_equal(TABLE, before)


def test_a_number_that_is_missed_can_be_met(judged):
    table = TABLE.assign(epsilon=[0.1, 0.2315, 0.3])

    def claims(table, params):
        return [agrees("x", "s", "t", expected=0.217, measured=float(table["epsilon"].iloc[1]), tolerance=1e-4)]

    one = judged(claims, table)["x"]
    assert (one.claim.verdict, one.flipped_by) == ("refuted", "epsilon set to 0.217 where it is 0.2315")


def test_the_command_changes_tables_of_a_tree(tmp_path, capsys):
    settings = ["--set=orders=[2]", "--set=scales=[1]"]
    assert main(["table", "fig5_2", *settings, "--out", str(tmp_path / "tables/fig5_2.csv")]) == 0
    command = ["--results", str(tmp_path), "--out", str(tmp_path / "perturbed.csv")]
    assert main(["perturb", "fig5_2", *command]) == 0
    found = pd.read_csv(tmp_path / "perturbed.csv", keep_default_na=False)
    given = provenance.read(tmp_path / "tables/fig5_2.csv", project.experiment("fig5_2"))
    expected = falsifiability.frame("fig5_2", falsifiability.perturb("renyi.levels", given.table, given.parameters))
    assert found["flipped_by"].tolist() == expected["flipped_by"].tolist()
    (tmp_path / "perturbed.csv").unlink()
    for wrong, words in (("fig5_3", "fig5_3.csv does not exist"), ("fig5_x", "fig5_x")):
        assert words in refusals.of_command(capsys, "perturb", "fig5_2", wrong, *command)
    assert not (tmp_path / "perturbed.csv").exists()
