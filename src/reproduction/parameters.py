"""Parameters of experiments: what their names mean everywhere, and what they must satisfy together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from dpsampling.errors import Complaints, InputError, did_you_mean
from dpsampling.files.checking import check, check_keys
from dpsampling.files.documents import Document, numbers
from dpsampling.files.grids import expand, show
from reproduction import catalogue

TOGETHER = (  # parameters whose product is an array or a long loop, and the most that it may be
    (("iterations", "splits", "share"), 20_000),  # log-probabilities of held-out cells in one file of fits
    (("iterations", "chains"), 500_000),  # states of all chains
    (("repeats", "dimension", "n"), 10**10),  # steps of noisy gradient descent, times coefficients
    (("repeats", "dimensions", "n"), 10**10),
    (("repeats", "dimension"), 10**7),  # coefficients that are held
    (("repeats", "dimensions"), 10**7),
    (("draws", "dimensions", "epsilons"), 10**8),  # noisy numbers that are drawn
    (("repeats", "probabilities"), 10**7),  # counts that are held
    (("kernels", "kl_orders"), 10**6),  # bounds of six laws each
    (("orders", "scales"), 200_000),  # points of curves
    (("orders", "second_scales"), 5_000),  # integrals
    (("graphs", "categories", "categories", "degree"), 10**6),  # constraints of a linear program
    (("kl_orders", "epsilons", "repeats", "regularity"), 10**7),  # draws of classifiers
    (("splits", "repeats", "regularity"), 10**6),
    (("precisions", "weights", "sizes", "kl_orders"), 10_000),  # quadratures over pairs of data sets
)


def check_parameters(parameters: Mapping[str, Any], where: str) -> Document:
    """Return the parameters with their numbers as numbers, or raise an InputError about all that is wrong."""
    check_keys(parameters, where)
    checked, complaints = {}, Complaints()
    for name, value in parameters.items():
        with complaints.collected():
            if name not in catalogue.PARAMETERS:
                hint = did_you_mean(name, catalogue.PARAMETERS)
                raise InputError(
                    f"{where}: '{name}' is no parameter{hint}; describe it in src/reproduction/catalogue.py."
                )
            checked[name] = check(numbers(value, f"{where}: {name}"), catalogue.checks(name), where, name)
    complaints.complain()
    _check_together(checked, where)
    return checked


def merge_parameters(base: Mapping[str, Any], over: Mapping[str, Any]) -> Document:
    """Parameters are replaced whole: half of an old grid is not kept under half of a new one."""
    return deepcopy({**base, **over})


def check_names(changes: Mapping[str, Any], known: Mapping[str, Any], owner: str) -> None:
    """That what is changed are parameters that the owner has, or an InputError that lists those."""
    unknown = next((key for key in changes if key not in known), None)
    if unknown is not None:
        hint = did_you_mean(str(unknown), known)
        raise InputError(f"{owner} has no parameter '{unknown}'{hint}; it has {', '.join(known)}.")


def _check_together(parameters: Mapping[str, Any], where: str) -> None:
    """Raise what no single parameter can say; names mean the same everywhere, so this holds for every experiment."""
    complaints = Complaints()
    prior, probabilities = (expand(parameters.get(name)) for name in ("prior", "probabilities"))
    n, successes = (parameters.get(name) for name in ("n", "successes"))
    if prior is not None and not math.fsum(prior[:-1]) < prior[-1]:
        complaints.append(
            f"{where}: prior is {show(prior)}; its last number counts the pseudo-observations "
            "and must be above the sum of the others, as in [6, 18] for Beta(6, 12)."
        )
    if probabilities is not None and not math.isclose(math.fsum(probabilities), 1.0, rel_tol=1e-9):
        complaints.append(f"{where}: probabilities is {show(probabilities)}; they must sum to 1.")
    if n is not None and successes is not None and successes > n:
        complaints.append(f"{where}: successes is {successes}; it must be at most n = {n}.")
    for names, most in TOGETHER:
        if all(name in parameters for name in names) and math.prod(_size(parameters[name]) for name in names) > most:
            told = " × ".join(f"{name} ({_size(parameters[name]):g})" for name in names)
            complaints.append(
                f"{where}: {told} is more than {most}, which would take too long or too much memory; lower one."
            )
    complaints.complain()


def _size(value: Any) -> float:
    """A number as it is, of whole numbers the largest, and of other lists and grids the length."""
    if isinstance(value, Mapping):
        return float(value["points"])
    if not isinstance(value, list):
        return float(value)
    return float(max(value) if all(isinstance(item, int) for item in value) else len(value))
