"""What all conjugate families refuse, by its name, and how their worst cases broadcast."""

import math
from functools import partial

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean

NO_PRIORS = ["x", None, 5, [1], [[1, 2]], [math.nan, 2], [1, math.inf]]
EVERY = {"n": [0, -3, 2.5, math.nan, math.inf], "order": [0.5, -1, math.nan, [2, 0.9]]}
BAD = [
    (BetaBernoulli(), "prior", [*NO_PRIORS, [1, 2, 3], [0, 1], [-1, 2], [2, 1], [1, 1]]),
    (BetaBernoulli(), "successes", [-1, 100.5, 101, math.nan, [3, 200]]),
    (DirichletCategorical(), "prior", [*NO_PRIORS, [0, 1], [-1, 2], [1, 1], [1, 2, 3], [1, 0, 3]]),
    (DirichletCategorical(), "counts", [3, [-1, 2], [0.5, 2], [60, 41], [math.nan, 1], [[1, 2], [101, 0]]]),
    (GaussianMean(2.25, 1.5), "prior", [*NO_PRIORS, [1, 2, 3], [1, 0], [0, -1]]),
    (GaussianMean(2.25, 1.5), "sum", [150.1, -151, math.nan, math.inf, [3, 200]]),
]
FAMILIES = [family for family, name, _ in BAD if name == "prior"]
ENDS = {"successes": "n = 100", "sum": "clip them first"}
CASES = [(family, name, value) for family, name, values in BAD for value in values]
CASES += [(family, name, value) for family in FAMILIES for name, values in EVERY.items() for value in values]


def kind(value):
    return type(value).__name__ if value in FAMILIES else None


@pytest.mark.parametrize(("family", "name", "value"), CASES, ids=kind)
def test_bad_input_is_refused_by_name(family, name, value):
    calls = {"prior": [family.check_prior], "n": [family.check_records]}
    calls["order"] = [partial(family.renyi_divergence, [6, 12], [7, 12])]
    calls["order"] += [partial(family.worst_case_divergence, [6, 12], 10)]
    for call in calls.get(name, [lambda statistic: family.check_statistic(statistic, 100)]):
        with pytest.raises(InputError, match=rf"^{name} is .*{ENDS.get(name, '')}\.$"):
            call(value)


@pytest.mark.parametrize("family", FAMILIES, ids=kind)
@pytest.mark.parametrize("weights", [{"data_weight": [0.1, 0.2, 0.3]}, {"prior_weight": [1.0, 2.0, 3.0]}])
def test_worst_case_broadcasts_orders_and_scales(family, weights):
    ((name, values),) = weights.items()
    levels = family.worst_case_divergence((6, 18), 100, np.array([[2.0], [15.0]]), **{name: np.array(values)})
    assert levels.shape == (2, 3)
    for place, value in enumerate(values):
        assert levels[1, place] == family.worst_case_divergence((6, 18), 100, 15.0, **{name: value})
