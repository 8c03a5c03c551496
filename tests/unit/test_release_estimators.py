"""Releases made by programs: parameters are kept as given, fitting costs, and everything else is free."""

import contextlib
import copy
import doctest
import importlib
import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from dpsampling import release
from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.ledger import Ledger
from dpsampling.release import Beta, Dirichlet, PrivateProportion, contents, estimators, inference_data, priors, publish

ASK = {"column": "vaccinated", "yes": "yes", "no": "no"}
QUICK = {"unit": "respondent", "quantum": 0.02}


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("vaccinated\n" + "yes\n" * 600 + "no\n" * 400, encoding="utf-8")
    return path


def fitted(rows, **parameters):
    return PrivateProportion(**{"epsilon": 1, **QUICK, **parameters}).fit(rows, **ASK)


def drawn(made):
    return made.release_.numbers.integers.tolist()


# -- priors -----------------------------------------------------------------------------------------------------------


def test_a_beta_is_what_the_family_takes_its_natural_parameter_for():
    assert tuple(map(float, BetaBernoulli().exact_shapes(Beta(2, 5).natural))) == (2.0, 5.0)
    assert Beta(2, 5).mean == pytest.approx(2 / 7)


def test_a_dirichlet_of_two_is_a_beta():
    assert Dirichlet(2, 5).natural == Beta(2, 5).natural
    assert Dirichlet(2, 5).mean[0] == Beta(2, 5).mean
    assert repr(Dirichlet(1, 2, 0.5)) == "Dirichlet(1.0, 2.0, 0.5)"
    assert Dirichlet(1, 2) == Dirichlet(1.0, 2.0)
    assert len({Dirichlet(1, 2), Dirichlet(1, 2), Dirichlet(2, 1)}) == 2


@pytest.mark.parametrize("weight", [0, -1, math.nan, math.inf, "1", None, True, [1], 10**400])
def test_weights_of_priors_are_numbers_above_0(weight):
    for make in (lambda: Beta(weight, 1), lambda: Beta(1, weight), lambda: Dirichlet(1, weight)):
        with pytest.raises(InputError, match=r"it must be a number above 0\.$"):
            make()


def test_a_dirichlet_has_two_weights():
    with pytest.raises(InputError, match="has 1 weights"):
        Dirichlet(1)


# -- parameters -------------------------------------------------------------------------------------------------------


def test_a_constructor_keeps_what_it_is_given_and_refuses_nothing():
    odd = object()
    made = PrivateProportion(odd, unit=odd, level=odd, budget=odd, ledger=odd, quantum=odd)
    assert all(made.get_params()[name] is odd for name in ("epsilon", "unit", "level", "budget", "ledger", "quantum"))
    assert not [name for name in vars(made) if name.endswith("_")]


def test_parameters_change_by_name_and_a_wrong_name_has_a_hint():
    made = PrivateProportion(1, **QUICK).set_params(epsilon=2)
    assert made.get_params()["epsilon"] == 2
    with pytest.raises(InputError, match=r"no parameter 'epsilom' \(did you mean 'epsilon'\?\)"):
        made.set_params(epsilom=2)


def test_epsilon_and_unit_have_no_default():
    with pytest.raises(TypeError):
        PrivateProportion(1)
    with pytest.raises(TypeError):
        PrivateProportion(unit="row")


def test_scikit_learn_clones_them():
    clone = pytest.importorskip("sklearn.base").clone
    made = PrivateProportion(1, budget=3, **QUICK)
    other = clone(made)
    assert other is not made
    assert other.get_params() == made.get_params()


def test_they_say_what_they_were_given():
    assert repr(PrivateProportion(1, unit="row")) == "PrivateProportion(epsilon=1, unit='row')"


def test_nothing_heavy_is_imported_before_it_is_used_and_scikit_learn_never():
    code = "import sys, dpsampling.release\nassert not {'numpy', 'pandas', 'flint'} & set(sys.modules)\n"
    code += "from dpsampling.release import *\nassert not {'sklearn', 'arviz'} & set(sys.modules)\nprint(PrivateTable)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with pytest.raises(ImportError):
        from dpsampling.release import PrivateNothing  # noqa: F401


# -- fitting ----------------------------------------------------------------------------------------------------------


def test_a_share_is_near_the_true_one_and_its_guarantee_is_the_one_asked_for(survey):
    """At ε = 20 each count is off by more than 3 with probability 2e^{−40}/(1 + e^{−10}) < 10⁻¹²."""
    made = fitted(survey, epsilon=20)
    assert abs(made.share_ - 0.6) < 0.01
    assert made.guarantee_ == Pure(20.0, conditions=made.guarantee_.conditions)


def test_fitting_again_draws_again(survey):
    """Two pairs of noisy counts at ε = .01 agree with probability below 10⁻⁴; three times with one below 10⁻⁸."""
    made = PrivateProportion(0.01, **QUICK)
    assert len({made.fit(survey, **ASK).share_ for _ in range(3)}) > 1


def test_without_budget_nothing_is_written(survey):
    before = sorted(survey.parent.rglob("*"))
    fitted(survey)
    assert sorted(survey.parent.rglob("*")) == before


def test_a_budget_is_the_files_own_and_refuses_what_exceeds_it(survey):
    made = fitted(survey, budget=1.5)
    assert (made.release_.budget.total, made.release_.budget.spent) == (1.5, 1.0)
    assert survey.with_name("survey.csv.ledger").exists()
    with pytest.raises(InputError, match=r"above its total of 1\.5"):
        made.fit(survey, **ASK)


def test_a_ledger_in_memory_comes_back_charged(survey):
    ledger = Ledger(budget=Approximate(1.0, 0.0))
    for spent in range(1, 11):
        made = fitted(survey, epsilon=0.1, ledger=ledger)
        assert len(ledger.releases) == spent - 1, "a ledger is a value"
        ledger = made.ledger_
        assert made.release_.budget.spent == pytest.approx(0.1 * spent)
    assert made.release_.budget.left == 0.0, "ten times 0.1 is 1"
    with pytest.raises(InputError, match=r"above the ledger's total of 1;"):
        fitted(survey, epsilon=0.1, ledger=ledger)


def test_a_frame_needs_a_place_for_its_ledger(tmp_path):
    rows = pd.DataFrame({"vaccinated": ["yes"] * 6 + ["no"] * 4})
    with pytest.raises(InputError, match="ledger is missing; a frame has no file"):
        fitted(rows, budget=3)
    assert fitted(rows, budget=3, ledger=tmp_path / "rows.ledger").release_.budget.left == 2.0
    with pytest.raises(InputError, match="above its total of 3"):
        fitted(rows, epsilon=2.5, budget=3, ledger=tmp_path / "rows.ledger")


def frames() -> dict[str, object]:
    answers = {"vaccinated": ["yes"] * 300 + ["no"] * 100 + [None] * 50, "who": list(range(450))}
    made = {"pandas": pd.DataFrame(answers)}
    for name in ("polars", "pyarrow"):
        with contextlib.suppress(ImportError):
            module = importlib.import_module(name)
            made[name] = module.DataFrame(answers) if name == "polars" else module.table(answers)
    return made


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_rows_may_be_a_frame(name):
    """Noise of ε = 40 is 0 but for a probability of 4e^{−20} < 10⁻⁸."""
    if name not in frames():
        pytest.skip(f"{name} is not installed")
    made = fitted(frames()[name], epsilon=40)
    assert drawn(made) == [300, 100]
    assert made.release_.budget.total == 0.0, "nobody kept account"


def test_a_file_of_another_make_is_read_by_what_is_said_of_it(tmp_path):
    path = tmp_path / "umfrage.csv"
    path.write_bytes("Straße;geimpft\nA;ja\nB;nein\n".encode("cp1252") + b"C;ja\n" * 8)
    made = PrivateProportion(40, **QUICK)
    made.fit(path, column="geimpft", yes="ja", no="nein", encoding="cp1252", delimiter=";")
    assert drawn(made) == [9, 1]


def test_all_rows_of_a_unit_count_together():
    """One patient of 1 000 rows, and 100 of one: of each two are kept at most."""
    rows = pd.DataFrame({"vaccinated": ["yes"] * 1000 + ["no"] * 100, "id": [0] * 1000 + list(range(1, 101))})
    made = fitted(rows, epsilon=80, unit="patient", identifier="ID", most=2)
    assert drawn(made) == [2, 100]
    assert made.release_.mechanism["rate"] == "20"
    assert (made.release_.unit.most, made.release_.identified) == (2, True)


def test_what_was_charged_is_spent_though_nothing_came_of_it(survey, monkeypatch):
    def fail(prepared, paid):
        raise InputError("the draw failed.")

    monkeypatch.setattr(publish, "drawn", fail)
    made = PrivateProportion(1, ledger=Ledger(budget=Approximate(3, 0)), **QUICK)
    with pytest.raises(InputError, match="the draw failed"):
        made.fit(survey, **ASK)
    assert len(made.ledger_.releases) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilon": 0}, "epsilon is 0; it must be a number above 0."),
        ({"epsilon": "1"}, "epsilon is '1'; it must be"),
        ({"epsilon": math.nan}, "epsilon is nan"),
        ({"epsilon": 10**400}, "it must be a number above 0."),
        ({"epsilon": [1]}, "epsilon is [1]"),
        ({"epsilon": np.array([1.0, 2.0])}, "it must be a number above 0."),
        ({"epsilon": True}, "epsilon is True"),
        ({"level": 1}, "level is 1; an interval"),
        ({"level": -0.5}, "level is -0.5"),
        ({"quantum": 0}, "quantum is 0"),
        ({"unit": ""}, "unit is ''; name who is protected"),
        ({"unit": None}, "unit is None"),
        ({"unit": "patient", "identifier": "id"}, "most is missing"),
        ({"unit": "patient", "most": 3}, "identifier is missing"),
        ({"unit": "patient", "identifier": "id", "most": 1.5}, "a whole number of rows"),
        ({"unit": "patient", "identifier": 3, "most": 1}, "identifier is 3; give the name of a column."),
        ({"budget": -1}, "budget is -1"),
        ({"ledger": "x"}, "budget is missing"),
        ({"ledger": Ledger()}, "the ledger has no budget"),
        ({"ledger": Ledger(budget=Approximate(1, 0)), "budget": 1}, "leave budget out"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_charges_nothing(survey, parameters, message):
    with pytest.raises(InputError) as caught:
        fitted(survey, **parameters)
    assert message in str(caught.value)
    assert str(caught.value).endswith(".")
    assert [path.name for path in survey.parent.iterdir()] == ["survey.csv"]


@pytest.mark.parametrize("yes", [True, None, [], [1], "", "  ", 3.5, {"yes"}])
def test_answers_are_texts(survey, yes):
    with pytest.raises(InputError, match=r"yes is .*; give the texts that mean yes"):
        PrivateProportion(1, **QUICK).fit(survey, column="vaccinated", yes=yes, no="no")


def test_a_text_means_yes_or_no(survey):
    with pytest.raises(InputError, match=r"^yes and no both have 'yes', in whatever case; a text means one of them"):
        PrivateProportion(1, **QUICK).fit(survey, column="vaccinated", yes=["yes", "Y"], no=["no", " YES "])


def test_nothing_can_be_asked_of_one_that_is_not_fitted(tmp_path):
    for ask in (lambda made: made.card(), lambda made: made.save(tmp_path / "out")):
        with pytest.raises(InputError, match="is not fitted; call fit first, which costs ε"):
            ask(PrivateProportion(1, **QUICK))
    assert not list(tmp_path.iterdir())


def test_a_prior_is_two_plain_numbers_and_pulls_the_share():
    """Of ten rows: (1 + 6)/12 without belief, (50 + 6)/110 with one; noise of ε = 40 is 0 but for 10⁻⁸."""
    rows = pd.DataFrame({"vaccinated": ["yes"] * 6 + ["no"] * 4})
    assert fitted(rows, epsilon=40).share_ == pytest.approx(7 / 12, abs=1e-6)
    assert fitted(rows, epsilon=40, prior=Beta(50, 50)).share_ == pytest.approx(56 / 110, abs=1e-6)
    with pytest.raises(InputError, match=r"prior is \(50, 50\); give it as in Beta\(2, 5\)"):
        fitted(rows, prior=(50, 50))


@pytest.mark.parametrize(
    "how",
    [
        {"mechanism": "ops", "records": 1000},
        {"mechanism": "gaussian", "records": 1000, "delta": 1e-6},
        {"mechanism": "diffused", "records": 1000, "delta": 1e-6, "prior": Beta(2, 5)},
        {"records": 1000},
    ],
)
def test_other_mechanisms_of_a_public_number_of_rows(survey, tmp_path, how):
    """.6 of 1 000 rows at ε = 2: the widest, OPS, has a standard deviation of .03, and .2 is more than six of them."""
    made = fitted(survey, epsilon=2, **how)
    assert abs(made.share_ - 0.6) < 0.2
    assert made.interval_[0] < made.share_ < made.interval_[1]
    assert made.guarantee_.epsilon <= 2
    back = release.load(made.save(tmp_path / "out"))
    assert back.results_ == made.results_
    assert {name: value for name, value in back.get_params().items() if name in how} == how


def test_a_mechanism_that_needs_more_says_so(survey):
    for how in ({"mechanism": "ops"}, {"mechanism": "gaussian", "records": 1000}, {"mechanism": "magic"}):
        with pytest.raises(InputError):
            fitted(survey, **how)


# -- what was released ------------------------------------------------------------------------------------------------


def test_a_saved_release_comes_back_as_it_was(survey, tmp_path):
    made = fitted(survey, budget=2)
    folder = made.save(tmp_path / "out")
    back = release.load(folder)
    assert type(back) is PrivateProportion
    assert back.share_ == made.share_
    assert back.guarantee_ == made.guarantee_
    assert back.results_ == made.results_
    assert (folder / "CARD.md").read_text(encoding="utf-8") == back.card()
    assert contents.read(folder)[0].budget == made.release_.budget
    assert json.loads((folder / "release.json").read_text())["answered"]["at"] == made.release_.answered.at


def test_what_is_no_release_cannot_be_loaded(tmp_path):
    with pytest.raises(InputError, match="name a folder that holds a release"):
        release.load(tmp_path)


def test_a_release_that_cannot_be_so_is_not_loaded(survey, tmp_path):
    folder = fitted(survey).save(tmp_path / "out")
    told = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    for change in ({"numbers": {"shape": [1], "exponent": 0, "integers": [1]}}, {"kind": "poem"}, {"budget": {}}):
        (folder / "release.json").write_text(json.dumps({**told, **change}), encoding="utf-8")
        with pytest.raises(InputError, match="is no release"):
            release.load(folder)


def test_a_copy_is_as_good(survey):
    made = fitted(survey)
    assert copy.deepcopy(made).share_ == made.share_


@pytest.mark.parametrize("module", [priors, estimators])
def test_examples_of_docstrings_print_what_they_say(module):
    failed, tried = doctest.testmod(module, extraglobs={"pd": pd})
    assert (failed, tried > 0) == (0, True)


# -- InferenceData ----------------------------------------------------------------------------------------------------


def groups() -> inference_data.Groups:
    rng = np.random.default_rng(0)
    return inference_data.Groups(
        posterior={"emission_kind": inference_data.Named(rng.random((2, 50, 3, 2)), ("state", "kind"))},
        observed={"noisy_count": inference_data.Named([[5, -1]], ("region", "kind"))},
        constant={"noise_rate": inference_data.Named([0.25], ("all",))},
        labels={"state": (1, 2, 3), "kind": ("fall", "fever"), "region": ["north"], "all": ["all"]},
        attributes={"guarantee": "1-DP", "derived_from": None},
    )


def test_draws_become_inference_data_with_named_axes(tmp_path):
    arviz = pytest.importorskip("arviz", exc_type=ImportError)
    data = inference_data.made_of(groups())
    assert data.posterior["emission_kind"].dims == ("chain", "draw", "state", "kind")
    assert data.posterior["emission_kind"].shape == (2, 50, 3, 2)
    assert list(data.posterior["kind"].values) == ["fall", "fever"]
    assert data.observed_data["noisy_count"].sel(region="north", kind="fever") == -1
    assert data.constant_data["noise_rate"].values.tolist() == [0.25]
    assert data.attrs["guarantee"] == data.posterior.attrs["guarantee"] == "1-DP"
    assert len(arviz.summary(data)) == 6
    data.to_netcdf(str(tmp_path / "draws.nc"))
    assert arviz.from_netcdf(str(tmp_path / "draws.nc")).posterior.equals(data.posterior)


def test_without_arviz_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(InputError, match=r"^ArviZ is not installed; pip install 'dpsampling\[release\]'\.$"):
        inference_data.made_of(groups())
