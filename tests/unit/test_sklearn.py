"""Estimators with scikit-learn's interface: its own checks, what is declared, what a guarantee says."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator
from test_layers import MODULES, imports

from dpsampling import sklearn
from dpsampling.datasets.recipe import Category, Number
from dpsampling.errors import InputError
from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.losses import Logistic
from dpsampling.learners.naive_bayes import NaiveBayes
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.privacy.guarantee import Approximate, Pure, Relation
from dpsampling.sklearn import base, public

# The checks fit whatever rows and labels they like, so that what is public is declared for all of them at once, and ε
# is large: they have a few dozen rows, of which nothing is learned at a small one. No check is expected to fail.
CELLS = {"bounds": (-10.0, 10.0), "classes": public.AS_IN_Y}
ROWS = {"norm_bound": 10.0, "classes": public.AS_IN_Y}
CHECKED = [
    sklearn.PrivateNaiveBayes(100.0, **CELLS),
    sklearn.PrivateNaiveBayes(100.0, delta=1e-5, **CELLS),
    sklearn.PrivateRandomTrees(100.0, max_depth=6, **CELLS),
    sklearn.PrivateBoostedBins(100.0, **CELLS),
    sklearn.PrivateLogisticRegression(100.0, **ROWS),
    sklearn.PrivateLogisticRegression(100.0, method="output", regularisation=0.1, **ROWS),
    sklearn.PrivateLinearSVC(100.0, **ROWS),
    sklearn.PrivateGradientDescentClassifier(100.0, n_records=100, **ROWS),
    sklearn.PrivateLinearRegression(100.0, norm_bound=10.0, target_bounds=(-5.0, 5.0)),
    sklearn.PrivateLinearRegression(1000.0, delta=0.0, norm_bound=10.0, target_bounds=(-5.0, 5.0)),
    sklearn.PrivateKMeans(3, 100.0, norm_bound=5.0),
]
# Of two halves of a square, 400 rows.
RNG = np.random.default_rng(5)
X = RNG.uniform(-1.0, 1.0, (400, 2))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "yes", "no")


@pytest.mark.parametrize("estimator", CHECKED, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(estimator, seed):
    """With a seed also those that ask for the same result twice; skipped are only those that a setting turns off."""
    found = check_estimator(clone(estimator).set_params(random_state=seed), on_fail=None, on_skip=None)
    assert len(found) > 40
    assert not [(r["check_name"], r["exception"]) for r in found if r["status"] in {"failed", "xfail"}]
    skipped = {r["check_name"] for r in found if r["status"] == "skipped"}
    assert skipped <= {"check_array_api_input", *(["check_pipeline_consistency"] if seed is None else [])}


@pytest.mark.parametrize("name", sklearn.__all__)
def test_every_estimator_is_checked_and_has_no_public_default(name):
    made = getattr(sklearn, name)
    assert any(type(estimator) is made for estimator in CHECKED)
    declared = {"bounds", "columns", "classes", "norm_bound", "target_bounds", "n_records"} & set(made().get_params())
    assert declared
    assert all(made().get_params()[key] is None for key in declared)
    with pytest.raises(InputError, match=r"^give ") as told:
        made().fit(X, np.arange(400.0) if name == "PrivateLinearRegression" else Y)
    assert "\n" not in str(told.value)
    assert any(key in str(told.value) for key in declared)


@pytest.mark.parametrize(
    ("estimator", "word"),
    [
        (sklearn.PrivateNaiveBayes(bounds=(-1, 1)), "classes"),
        (sklearn.PrivateNaiveBayes(classes=["no", "yes"]), "bounds"),
        (sklearn.PrivateNaiveBayes(classes=["no", "yes"], bounds=(-1, 1), columns=[Number("a", 0, 1)]), "either"),
        (sklearn.PrivateNaiveBayes(classes=["no", "yes"], columns=[Number("a", 0, 1)]), "there are 2 features"),
        (sklearn.PrivateNaiveBayes(classes=["no", "yes"], bounds=(1, -1)), "below"),
        (sklearn.PrivateNaiveBayes(classes=["no", "yes"], bounds=3), "low, high"),
        (sklearn.PrivateNaiveBayes(classes=["no", "perhaps"], bounds=(-1, 1)), "outside classes, no, perhaps"),
        (sklearn.PrivateNaiveBayes(classes=["no"], bounds=(-1, 1)), "two classes"),
        (sklearn.PrivateNaiveBayes(classes="all", bounds=(-1, 1)), "as in y"),
        (sklearn.PrivateLogisticRegression(classes=["no", "yes"]), "norm_bound"),
        (sklearn.PrivateLogisticRegression(classes=["no", "yes"], norm_bound=-1), "norm_bound"),
        (sklearn.PrivateLogisticRegression(classes=["no", "yes"], norm_bound=2, method="input"), "method"),
        (sklearn.PrivateGradientDescentClassifier(classes=["no", "yes"], norm_bound=2), "n_records"),
        (sklearn.PrivateBoostedBins(classes=["no", "yes"], bounds=(-1, 1), delta=0.0), "delta"),
        (sklearn.PrivateKMeans(2), "norm_bound"),
    ],
)
def test_what_is_missing_or_wrong_is_named_in_one_sentence(estimator, word):
    with pytest.raises(InputError, match=word) as told:
        estimator.fit(X, Y)
    assert str(told.value).count(".") <= 2


def test_three_classes_are_refused_by_learners_of_two():
    with pytest.raises(ValueError, match="there are 3 classes"):
        sklearn.PrivateLinearSVC(norm_bound=2.0, classes=["no", "yes", "perhaps"]).fit(X, Y)


def test_a_label_that_nobody_has_is_a_class_all_the_same():
    found = sklearn.PrivateNaiveBayes(50.0, bounds=(-1, 1), classes=["no", "perhaps", "yes"], random_state=1).fit(X, Y)
    assert found.classes_.tolist() == ["no", "perhaps", "yes"]
    assert found.predict_proba(X).shape == (400, 3)


@pytest.mark.parametrize(
    ("estimator", "promised", "relation"),
    [
        (sklearn.PrivateNaiveBayes(0.5, **CELLS), Pure, Relation.ADD_OR_REMOVE_ONE),
        (sklearn.PrivateNaiveBayes(0.5, delta=1e-5, **CELLS), Approximate, Relation.ADD_OR_REMOVE_ONE),
        (sklearn.PrivateRandomTrees(0.5, max_depth=3, **CELLS), Pure, Relation.ADD_OR_REMOVE_ONE),
        (sklearn.PrivateBoostedBins(0.5, rounds=2, **CELLS), Approximate, Relation.ADD_OR_REMOVE_ONE),
        (sklearn.PrivateLogisticRegression(0.5, **ROWS), Pure, Relation.REPLACE_ONE),
        (sklearn.PrivateLinearSVC(0.5, **ROWS), Pure, Relation.REPLACE_ONE),
        (
            sklearn.PrivateGradientDescentClassifier(0.5, n_records=400, batch_size=100, epochs=2, **ROWS),
            Approximate,
            Relation.ADD_OR_REMOVE_ONE,
        ),
        (sklearn.PrivateKMeans(2, 0.5, norm_bound=1.5), Pure, Relation.ADD_OR_REMOVE_ONE),
    ],
    ids=lambda e: getattr(type(e), "__name__", None),
)
def test_the_guarantee_is_the_learners_and_says_what_it_rests_on(estimator, promised, relation):
    released, seeded = clone(estimator).fit(X, Y), clone(estimator).set_params(random_state=3).fit(X, Y)
    for found in (released.guarantee_, seeded.guarantee_):
        assert isinstance(found, promised)
        assert 0.499 < found.epsilon <= 0.5
        assert found.relation is relation
        assert (public.OCCUR in found.conditions) == hasattr(estimator, "classes")
    assert base.SEEDED in seeded.guarantee_.conditions
    assert base.SEEDED not in released.guarantee_.conditions
    assert pickle.loads(pickle.dumps(released)).guarantee_ == released.guarantee_


def test_declared_classes_are_no_condition():
    declared = sklearn.PrivateNaiveBayes(1.0, bounds=(-1, 1), classes=["yes", "no"]).fit(X, Y)
    assert declared.guarantee_ == Pure(1.0, Relation.ADD_OR_REMOVE_ONE)


def test_a_release_draws_anew_and_a_seed_does_not():
    free = [sklearn.PrivateNaiveBayes(0.1, **CELLS).fit(X, Y).predict_proba(X) for _ in range(2)]
    seeded = [sklearn.PrivateNaiveBayes(0.1, random_state=7, **CELLS).fit(X, Y).predict_proba(X) for _ in range(2)]
    assert (free[0] != free[1]).any()
    assert (seeded[0] == seeded[1]).all()


def test_estimators_are_the_learners_they_name():
    """The same generator and rows give the learner's own numbers."""
    words = np.random.RandomState(7).randint(2**32, size=base.WORDS, dtype=np.uint32)
    columns = public.columns(None, (-1, 1), 2, 16)
    labels = (Y == "yes").astype(int)
    mine = NaiveBayes(columns, 2, 0.7).fit(X, labels, np.random.default_rng(words)).probabilities(X)
    theirs = sklearn.PrivateNaiveBayes(0.7, bounds=(-1, 1), classes=["no", "yes"], random_state=7).fit(X, Y)
    assert (mine == theirs.predict_proba(X)).all()
    unit = np.hstack([X / 2.0, np.ones((400, 1))]) / np.sqrt(2.0)
    weights = ObjectivePerturbation(Logistic(), 400, 3, 1.0, 1e-3, 5.0).fit(unit, labels, np.random.default_rng(words))
    found = sklearn.PrivateLogisticRegression(5.0, norm_bound=2.0, classes=["no", "yes"], random_state=7).fit(X, Y)
    assert found.decision_function(X) == pytest.approx(unit @ weights.weights, abs=1e-9)
    descent = GradientDescent.calibrate(5.0, 1e-5, bound=1.0, records=400, sampling=0.25, steps=8, rate=4.0)
    weights = descent.fit(unit, labels, np.random.default_rng(words))
    settings = {"norm_bound": 2.0, "classes": ["no", "yes"], "n_records": 400, "batch_size": 100, "epochs": 2}
    found = sklearn.PrivateGradientDescentClassifier(5.0, 1e-5, random_state=7, **settings).fit(X, Y)
    assert found.decision_function(X) == pytest.approx(unit @ weights.weights, abs=1e-9)


def test_rows_beyond_the_bound_are_shrunk_to_it():
    """One row that is far away moves nothing: it is as one on the sphere."""
    far, near = X.copy(), X.copy()
    far[0] = (3e6, 4e6)
    near[0] = (1.2, 1.6)
    settings = {"norm_bound": 2.0, "classes": ["no", "yes"], "random_state": 2}
    a, b = (sklearn.PrivateLogisticRegression(1.0, **settings).fit(rows, Y).coef_ for rows in (far, near))
    assert a == pytest.approx(b, rel=1e-6)


def test_outcomes_are_put_back_where_they_were():
    """y = 70 + 20x on [50, 90], at an ε where noise is small: coefficients in the user's units."""
    y = 70.0 + 20.0 * X[:, 0]
    for delta in (1e-6, 0.0):
        settings = {"norm_bound": 1.5, "target_bounds": (50, 90), "random_state": 1}
        found = sklearn.PrivateLinearRegression(1e5, delta, **settings).fit(X, y)
        assert found.coef_ == pytest.approx([20.0, 0.0], abs=0.5)
        assert found.intercept_ == pytest.approx([70.0], abs=0.5)


def test_categories_are_codes():
    cells = np.column_stack([RNG.integers(3, size=300), RNG.uniform(0, 5, 300)])
    columns = [Category("kind", ("a", "b", "c")), Number("size", 0, 5)]
    found = sklearn.PrivateNaiveBayes(50.0, columns=columns, classes=[0, 1], random_state=0)
    assert found.fit(cells, (cells[:, 0] == 2).astype(int)).score(cells, cells[:, 0] == 2) > 0.95
    with pytest.raises(InputError, match="kind"):
        found.fit(np.where(cells == 2, 3, cells), np.zeros(300, dtype=int))


def test_within_scikit_learn():
    found = sklearn.PrivateBoostedBins(5.0, bounds=(-1, 1), classes=["no", "yes"], random_state=0)
    assert cross_val_score(found, X, Y, cv=3).mean() > 0.8


def test_public_starts_of_k_means():
    starts = np.array([[-0.5, 0.0], [0.5, 0.0]])
    found = sklearn.PrivateKMeans(2, 1e4, norm_bound=1.5, init=starts, random_state=0).fit(X)
    assert found.cluster_centers_[:, 0] == pytest.approx([-0.5, 0.5], abs=0.2)
    assert (found.predict(X) == found.labels_).all()


def test_nothing_else_in_the_library_imports_it():
    strangers = {m for m in MODULES if not m.startswith("dpsampling.sklearn")}
    assert not [m for m in strangers if any(o.startswith("dpsampling.sklearn") for o in imports(m))]


def test_without_scikit_learn_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['sklearn'] = None\nfrom dpsampling.sklearn import PrivateKMeans"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last == "ImportError: scikit-learn is not installed; pip install 'dpsampling[sklearn]'."
