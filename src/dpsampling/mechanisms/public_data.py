r"""Public data, thesis section 5.3.1: records that need no protection join the prior.

    η₀ → η₀ + Σ_public (S(x_i), 1),

and the mechanisms run on the remaining, private records with that prior. The posterior of Algorithm 1 is what it was;
Algorithms 2 and 3 now use the public records in full. The guarantee must be computed anew, for the private n.

It "in most cases improves", says the thesis. For the families here it never gets worse: a pair of posteriors that
remains was reachable before, or lies further from the boundary, where each divergence is less. It stays the same

  * for Dirichlet-Categorical with d ≥ 3, unless the two least entries of the prior (with repetition: 1, 1 of 3, 1, 1)
    rise, since the level depends on them alone;
  * for Beta-Bernoulli and Algorithm 1, when the public records come out of the data, all alike, and the worst data are
    all like them (or all but one): that pair is still reachable. Public records besides the data always help;
  * for Gaussian means and Algorithm 1, when the public records come out of the data: ε depends on N₀ + n alone. Public
    records besides the data help, and so do those out of the data at a scale below 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.mechanisms.families.base import ConjugateFamily
from dpsampling.numerics.arrays import Array


def with_public_data(family: ConjugateFamily, prior: ArrayLike, public_statistic: ArrayLike, public_n: float) -> Array:
    """η₀ + (Σ S(x_i), n) over `public_n` public records with Σ S = `public_statistic`: the prior for the others."""
    prior, public_n = family.check_prior(prior), family.check_records(public_n)
    added = np.append(family.check_statistic(public_statistic, public_n), public_n)
    if added.shape != prior.shape:
        needed = prior.size - 1
        raise InputError(f"public_statistic has {added.size - 1} numbers; this prior needs {needed}, besides public_n.")
    return family.check_prior(prior + added)
