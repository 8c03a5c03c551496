r"""Tables of Figures 5.3 and 5.4: KL(P‖A) from the true posterior P to the output law A of each mechanism.

For Algorithms 2 and 3, A is a Beta law and KL is closed; for the Gaussian statistic, A is a mixture and KL an integral.
The variant `figure` uses the parameter `successes` (32 is what the published curves show), `text` the 38 of the text.
`scale` is r, m, or the noise's standard deviation σ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.experiments.chapter5 import text
from dpsampling.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.calibration import check_order
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic, kl_from_posterior
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior

Array = NDArray[np.float64]


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """KL and scale for every variant, mechanism and ε; `text` only in the setting that the text describes."""
    family = BetaBernoulli()
    prior, n = family.check_prior(params["prior"]), family.check_records(params["n"])
    order, epsilons = check_order(params["order"]), np.sort(np.asarray(params["epsilons"], dtype=float))
    variants = {"figure": float(family.check_statistic(params["successes"], n))}
    if all(params[name] == value for name, value in text.SETTING.items()):
        variants["text"] = text.SUCCESSES

    weighted = (DiffusedPosterior, ConcentratedPosterior)
    scales = {m: m.calibrated_scales(family, prior, n, order=order, epsilons=epsilons) for m in weighted}
    sigmas = {
        "gaussian": GaussianStatistic.calibrated_sigmas(family, order, epsilons, "tight"),
        "gaussian-printed": GaussianStatistic.calibrated_sigmas(family, order, epsilons, "printed"),
    }
    parts = []
    for variant, successes in variants.items():

        def part(mechanism: str, kl: Array, scale: Array, variant: str = variant) -> pd.DataFrame:
            columns = {"variant": variant, "mechanism": mechanism, "epsilon": epsilons, "kl": kl, "scale": scale}
            return pd.DataFrame(columns)

        parts.append(part("direct", np.zeros(epsilons.shape), np.ones(epsilons.shape)))
        for mechanism, scale in scales.items():
            kl = mechanism.kl_from_posterior(family, prior, n, successes, scale)
            parts.append(part(mechanism.name, kl, scale))
        for name, sigma in sigmas.items():
            parts.append(part(name, kl_from_posterior(family, prior, n, successes, sigma), sigma))
    return pd.concat(parts, ignore_index=True)
