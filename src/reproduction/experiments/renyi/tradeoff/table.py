r"""Tables of Figures 5.3 and 5.4: KL(P‖A) from the true posterior P to the output law A of each mechanism.

For Algorithms 2 and 3, A is a member of the family and KL is closed; for the Gaussian statistic, A is a mixture and KL
an integral; for any other mechanism it is found by quadrature of the log-densities. The variant `figure` uses the
parameter `successes` (32 is what the published curves show), `text` the 38 of the text. `scale` is r, m, or the noise's
standard deviation σ.

`kl_small` and `kl_large` are what KL tends to as ε → 0 and as ε → ∞ at this order, where that is known: at orders from
λ* on, r and m stay below (λ* − 1)/(λ − 1). `epsilon_direct` is the level of the posterior itself: the family's supremum
over neighbours, without the margins that what is promised and calibrated has. `at_ends` is the mass of the
Gaussian statistic at 0 and n, where the projection puts what the noise takes beyond them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.divergence import kl_by_quadrature
from dpsampling.mechanisms.entry import Entry, Setting
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.posterior import (
    ConcentratedPosterior,
    DiffusedPosterior,
    DirectPosterior,
    WeightedPosterior,
)
from reproduction.experiments.renyi import text
from reproduction.experiments.renyi.setting import built, compared, levels_of, setting_of


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """KL and scale for every variant, mechanism and ε; `text` only in the setting that the text describes."""
    del rng  # nothing here is random
    setting, (order, epsilons) = setting_of(params), levels_of(params)
    statistic = float(setting.family.check_statistic(params["successes"], setting.n))
    variants = {"figure": statistic}
    if all(params[name] == value for name, value in text.SETTING.items()):
        variants["text"] = text.SUCCESSES
    entries = compared(params)
    mechanisms = {entry.name: built(entry, setting, order, epsilons) for entry in entries}
    direct = direct_level(setting, order)
    parts = []
    for variant, successes in variants.items():
        for entry in entries:
            kl = (
                entry.kl(mechanisms[entry.name], successes)
                if entry.kl
                else kl_by_quadrature(mechanisms[entry.name], setting, successes)
            )
            small, large = limits(entry, setting, order, successes)
            columns = {
                "variant": variant,
                "mechanism": entry.name,
                "epsilon": epsilons,
                "kl": kl,
                "scale": [entry.scale_of(mechanism) for mechanism in mechanisms[entry.name]],
                "kl_small": small,
                "kl_large": large,
                "epsilon_direct": direct,
                "at_ends": [at_ends(mechanism, successes) for mechanism in mechanisms[entry.name]],
            }
            parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def at_ends(mechanism: Mechanism, statistic: float) -> float:
    """Pr(S + Z ≤ 0) + Pr(S + Z ≥ n), where there is a noisy statistic."""
    if not isinstance(mechanism, GaussianStatistic) or not math.isfinite(mechanism.n):
        return math.nan
    below, above = ndtr(np.array([-statistic, statistic - mechanism.n]) / mechanism.sigma)
    return float(below + above)


def direct_level(setting: Setting, order: float) -> float:
    """The level of the posterior itself, from which on nothing need be distorted; +inf from λ* on."""
    family, prior, n = setting.family, setting.prior, setting.n
    return float(family.worst_case_divergence(prior, n, order)) if order < family.order_horizon(prior) else math.inf


def limits(entry: Entry, setting: Setting, order: float, statistic: float) -> tuple[float, float]:
    """KL as ε → 0 and as ε → ∞; nan where nothing is known of a mechanism."""
    family, prior, n = setting.family, setting.prior, setting.n
    posterior = family.posterior(prior, statistic, n)
    if entry.mechanism is DirectPosterior:
        return 0.0, 0.0
    if issubclass(entry.mechanism, GaussianStatistic):
        return math.nan, 0.0
    if not issubclass(entry.mechanism, WeightedPosterior):
        return math.nan, math.nan
    horizon = DirectPosterior(family, prior, n).order_horizon
    scale = min(1.0, (horizon - 1.0) / (order - 1.0))
    law = {
        DiffusedPosterior: {"data_weight": scale},
        ConcentratedPosterior: {"prior_weight": 1.0 / scale},
    }[entry.mechanism]
    large = float(family.kl_divergence(posterior, family.posterior(prior, statistic, n, **law))) if scale < 1.0 else 0.0
    to_prior = float(family.kl_divergence(posterior, family.law(prior)))
    small = to_prior if entry.mechanism is DiffusedPosterior else math.inf
    return small, large
