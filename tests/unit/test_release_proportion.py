"""`dpsampling release proportion`: each mechanism from a file to a folder, what it says, and what it refuses."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpsampling.cli import main
from dpsampling.errors import InputError
from dpsampling.event_logs.schema import Unit
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.release import contents, mechanisms, proportion
from dpsampling.release.contents import Answered, Release, Spent
from dpsampling.release.mechanisms import Wanted

RARE = 1e-6
ASKED = [
    ("noisy-counts", ""),
    ("noisy-count", "--records 300"),
    ("ops", "--records 300 --truncation 0.1"),
    ("gaussian", "--records 300 --delta 1e-6"),
    ("direct", "--records 300 --delta 1e-6 --prior 20 20 --epsilon 3"),
    ("diffused", "--records 300 --delta 1e-6"),
    ("concentrated", "--records 300 --delta 1e-6 --prior 2 3"),
]


@pytest.fixture
def survey(tmp_path):
    """100 say yes, 170 no, and 30 neither."""
    path = tmp_path / "survey.csv"
    answers = ["yes"] * 60 + ["Y"] * 40 + ["no"] * 170 + ["n/a"] * 30
    path.write_text("who,vaccinated\n" + "".join(f"p{i},{answer}\n" for i, answer in enumerate(answers)))
    return path


def release(survey, options="", out="out"):
    folder = survey.parent / out
    told = f"--column vaccinated --unit person --epsilon 1 --budget 100 --budget-delta 1e-3 --quantum 0.05 {options}"
    words = ["--yes", "yes", "y", "--no", "no", "--out", str(folder)]
    return main(["release", "proportion", str(survey), *told.split(), *words]), folder


@pytest.mark.parametrize(("name", "options"), ASKED)
def test_each_mechanism_releases_a_share_whose_level_follows_from_its_file(survey, capsys, name, options):
    code, folder = release(survey, f"--mechanism {name} {options}")
    assert code == 0, capsys.readouterr().err
    made, document, _ = contents.read(folder)
    assert made.guarantee == proportion.promised(made)
    assert made.guarantee.epsilon <= (3.0 if name == "direct" else 1.0) * (1.0 + 1e-12)
    assert isinstance(made.guarantee, Approximate if "delta" in options else Pure)
    assert proportion.faults(made) == []
    found = document["results"]
    assert found == proportion.results(made)
    for part in ("in_the_data", "in_the_population"):
        assert 0.0 <= found[part]["low"] <= found[part]["high"] <= 1.0
    assert abs(found["counts"]["yes"]["estimate"] - 100) < (220 if name == "diffused" else 150)
    files = {"release.json", "card.json", "CARD.md", "share.csv", "share.png"}
    assert {path.name for path in folder.iterdir()} == files
    assert (folder / "share.csv").read_text().splitlines()[0] == "what,estimate,low,high,level"
    assert main(["verify", str(folder)]) == 0


def test_what_counts_as_yes_too_is_said(survey):
    _, folder = release(survey)
    declared = contents.read(folder)[0].declared
    assert (declared["also_yes"], "also_no" in declared) == (["y"], False)
    assert "what counts as “yes” too, “y”" in (folder / "CARD.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("options", "rest"), [("", "are not counted"), ("--records 300", "count as no")])
def test_the_curator_alone_is_told_how_many_say_neither(survey, capsys, options, rest):
    _, folder = release(survey, options)
    assert f"30 of 300 rows say no text of yes and none of no, which {rest} (for the curator" in capsys.readouterr().err
    assert "how many do is not told" in (folder / "CARD.md").read_text(encoding="utf-8")
    survey.write_text(survey.read_text().replace("n/a", "no"))
    release(survey, options, out="again")
    assert "say no text" not in capsys.readouterr().err


def test_a_persons_rows_are_no_sample_one_by_one(survey, capsys):
    code, folder = release(survey, "--id who --max-per-unit 3")
    assert code == 0, capsys.readouterr().err
    document = json.loads((folder / "release.json").read_text())
    assert document["mechanism"] == {"name": "noisy counts", "rate": "1/6"}
    assert document["results"]["in_the_population"] is None
    assert "Nothing is said here about people outside the data" in (folder / "CARD.md").read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--delta 1e-6", "--delta is given, and noisy-counts protects without one"),
        ("--mechanism direct --records 10", "--delta is missing"),
        ("--mechanism ops", "--records is missing"),
        ("--mechanism noisy-counts --records 10", "need no public number of rows"),
        ("--mechanism opps --records 10", "did you mean 'ops'"),
        ("--mechanism ops --records 10 --id who --max-per-unit 2", "protects one row of each person"),
        ("--mechanism ops --records 10 --truncation 0.5", "truncation"),
        ("--records 10 --truncation 0.1", "cuts nothing off"),
        ("--mechanism gaussian --records 10 --delta 1", "--delta is 1"),
        ("--mechanism direct --records 300 --delta 1e-6", "the direct posterior cannot reach that"),
        *[(f"--records={bad}", "--records is") for bad in ("0", "-1", "2.5", "nan", "inf", "1e400", "1e10", "١")],
        *[(f"--prior {bad} 1 --mechanism ops --records 9", "--prior is") for bad in ("0", "nan", "1e400", "1e-9")],
        *[(f"--level={bad}", "--level is") for bad in ("0", "1", "0.2", "nan", "1e400", "90%")],
        ("--epsilon 1e-12", "epsilon is 1e-12"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_sentence(survey, capsys, options, says):
    code, folder = release(survey, options)
    said = capsys.readouterr().err.strip()
    assert code == 2
    assert says in said
    assert said.endswith(".")
    assert not folder.exists()
    assert not survey.with_name("survey.csv.ledger").exists()


def test_a_count_above_the_public_number_of_rows_is_clipped():
    assert abs(int(mechanisms.chosen(Wanted(50.0, records=10), Unit("row", 1)).draw([500, 3]).integers[0]) - 10) < 5


# -- what a release says of its numbers --------------------------------------------------------------------------------


def made(mechanism, numbers, chance=1, level=0.9, most=1) -> Release:
    """A release of these numbers."""
    unit = Unit("person", most)
    return Release(
        kind="proportion",
        title="t",
        on="2026-01-01",
        unit=unit,
        identified=most > 1,
        declared={"by": [], "column": "c", "yes": "yes", "no": "no"},
        mechanism=mechanisms.spec(mechanism),
        guarantee=mechanism.guarantee(unit),
        budget=Spent(1.0, 1.0, 0.0),
        numbers=numbers,
        settings={"level": level, "prior": [1.0, 1.0]},
        chance=chance,
        made_with={},
        answered=Answered(0.0),
    )


def test_a_thousand_releases_hold_the_count_as_often_as_they_say():
    """The counts of yes and of no, through results(): exact draws, chance as the only coin."""
    found = mechanisms.NoisyCounts(Fraction(1, 4))
    low, high = stats.binom.ppf(RARE / 2, 1000, 0.9), stats.binom.isf(RARE / 2, 1000, 0.9)
    rng = np.random.default_rng(2)
    hits = wrong = 0
    for _ in range(1000):
        release = made(found, found.draw([3, 40]), chance=int(rng.integers(2**62)), most=2)
        other = replace(release, mechanism={**mechanisms.spec(found), "rate": "1/2"})
        for believed, total in ((release, "hits"), (other, "no")):
            coins = believed.generator.random(4)
            heard = proportion.NoisyCount(
                believed.numbers.floats[1], coins[2], mechanisms.build(believed.mechanism).noise
            )
            inside = proportion.of_count(heard, 0.9)
            good = inside.low <= 40 <= inside.high
            hits, wrong = hits + good * (total == "hits"), wrong + good * (total == "no")
    assert low <= hits <= high
    assert not low <= wrong <= high  # a scale that is taken for half of what it is


def test_results_depend_on_the_numbers_and_on_chance_alone():
    found = mechanisms.NoisyCountOfYes(Fraction(1, 2), 50)
    one = made(found, FixedPoint.of([20], 0))
    assert proportion.results(one) == proportion.results(made(found, FixedPoint.of([20], 0)))
    assert proportion.results(one) != proportion.results(made(found, FixedPoint.of([21], 0)))
    others = [proportion.results(made(found, FixedPoint.of([20], 0), chance=chance)) for chance in range(2, 12)]
    assert any(other != proportion.results(one) for other in others)
    assert all(other["in_the_data"]["estimate"] == 0.4 for other in others)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"numbers": FixedPoint.of([20, 3], 0)}, "shape"),
        ({"numbers": FixedPoint.of([20], 1)}, "not whole"),
        ({"numbers": FixedPoint.of([2**62], 0)}, "larger than"),
        ({"settings": {"level": 2.0, "prior": [1.0, 1.0]}}, "--level is 2"),
        ({"mechanism": {"name": "noisy count", "rate": "1/2", "records": 50, "more": 1}}, "says more"),
    ],
)
def test_what_is_impossible_is_a_fault(change, says):
    found = mechanisms.NoisyCountOfYes(Fraction(1, 2), 50)
    assert any(says in fault for fault in proportion.faults(replace(made(found, FixedPoint.of([20], 0)), **change)))


def test_a_draw_outside_its_window_is_a_fault():
    found = mechanisms.TemperedDraw(50, (1.0, 1.0), 0.1, 4.0)
    assert proportion.faults(made(found, FixedPoint.of([0], 53))) == []
    assert "outside its window" in proportion.faults(made(found, FixedPoint.of([3 << 53], 53)))[0]


@pytest.mark.parametrize("told", [{}, {"name": "x"}, {"name": "noisy counts", "rate": "-1"}, {"name": "ops"}])
def test_what_is_no_mechanism_is_refused(told):
    with pytest.raises(InputError, match="no mechanism"):
        mechanisms.build(told)


def test_priors_are_in_plain_parameters():
    """Beta(a, b) with all records alike: the draw's law is Beta(a + n, b), not Beta(a + n, b − a)."""
    found = mechanisms.PosteriorDraw("direct", 40, (2.0, 3.0), 1.0, 1e-6)
    draws = [mechanisms.logistic(float(found.draw([40, 0]))) for _ in range(1500)]
    assert stats.kstest(draws, stats.beta(42.0, 3.0).cdf).pvalue > RARE
    assert stats.kstest(draws, stats.beta(42.0, 1.0).cdf).pvalue < RARE
