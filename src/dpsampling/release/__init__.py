"""Private releases of somebody's own data: prepared, charged, drawn, explained, answered at a public time, verified.

    rows ──prepare──▶ Prepared ──charge──▶ ledger ──draw──▶ Release ──kind──▶ results, card, tables, pictures

    publish     the order of these steps, the same for every kind
    contents    a release as a value, and release.json
    kinds       what a kind of release must know of itself; `proportion`, `table` and `hmm` are such modules
    card        what a release says in plain words, made of its numbers; `wording` says numbers and names
    pages       all files of its folder, each made of it
    folder      the folder that appears whole, holds nothing but what may be published, and tells no time
    clock       answers at a public time
    verifying   whether a folder is what its numbers say
    estimators  the same for programs: PrivateProportion, PrivateTable, PrivateHMM (`estimator` has what they share);
                `priors`, `payment` and `question` go with them, `inference_data` hands draws over to ArviZ

All that a release holds is a function of the numbers that were drawn, of what is public, and of `chance`: random bits
of their own, for whatever post-processing has to draw. So anybody can compute it again, and `verifying` does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpsampling.release.estimators import PrivateHMM, PrivateProportion, PrivateTable, load
    from dpsampling.release.priors import Beta, Dirichlet

__all__ = ["Beta", "Dirichlet", "PrivateHMM", "PrivateProportion", "PrivateTable", "load"]

_PRIORS = ("Beta", "Dirichlet")


def __getattr__(name: str) -> Any:
    """Return what programs import from here, when they do: commands import this package and none of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{'priors' if name in _PRIORS else 'estimators'}"), name)
