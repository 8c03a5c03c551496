"""`dpsampling logistic release`: one private classifier, drawn exactly in bits, with the guarantee it carries."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling import files
from dpsampling.cli.outputs import OutputFile
from dpsampling.cli.parsing import level
from dpsampling.errors import InputError
from dpsampling.numerics.exact.promise import PROMISE
from dpsampling.privacy import budget
from dpsampling.privacy.guarantee import Approximate, Guarantee, Pure, Renyi
from dpsampling.privacy.ledger import Release

if TYPE_CHECKING:
    from dpsampling.datasets.design import Design
    from dpsampling.learners.logistic.mechanisms import Classifier, Model


HELP = "release one private classifier of a design, drawn exactly in bits, with the guarantee it carries"
PUBLISHES = True  # what was drawn, and nothing besides
MECHANISMS = ("diffused", "concentrated", "direct", "ops")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Of which rows, by which mechanism, at which level, out of which budget, where to."""
    parser.add_argument(
        "--design", type=Path, required=True, metavar="FILE.npz", help="what 'dpsampling design' wrote; all its rows"
    )
    parser.add_argument("--mechanism", choices=MECHANISMS, default="diffused", help="default: diffused")
    parser.add_argument("--epsilon", required=True, metavar="E", help="the privacy level of this release")
    notion = parser.add_mutually_exclusive_group()
    notion.add_argument("--delta", metavar="D", help="for (ε, δ)-DP, by the posterior's Gaussian reading")
    notion.add_argument("--order", metavar="λ", help="for (λ, ε)-Rényi DP, λ ≥ 1; the budget then needs --budget-delta")
    parser.add_argument("--regularity", default="0.001", metavar="β", help="prior N(0, (nβ)⁻¹ I) (default: 0.001)")
    parser.add_argument(
        "--budget", required=True, metavar="E", help="what all releases of these rows may cost; fixed by the first"
    )
    parser.add_argument(
        "--budget-delta", metavar="D", help="the δ of the budget (default: --delta, or 0 for OPS); fixed by the first"
    )
    parser.add_argument(
        "--ledger",
        type=Path,
        metavar="FILE",
        help="the private file of all releases (default: NAME.ledger beside NAME)",
    )
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.json")


def run(options: argparse.Namespace) -> None:
    """Charge, draw, and write the classifier with its guarantee."""
    _check(options)

    from dpsampling.datasets import design  # numpy
    from dpsampling.learners.logistic.mechanisms import Model
    from dpsampling.learners.logistic.records import Records
    from dpsampling.numerics.exact.draws import numbers

    made = design.load(options.design)
    records = Records(made.features, made.labels)
    mechanism = _calibrated(options, Model(records.n, level(options.regularity, option="--regularity")))
    promised = _promised(options, mechanism)
    law = mechanism.exact_law(records)  # what is wrong with these rows is said before anything is spent
    total_delta = options.budget_delta or options.delta
    total = level(options.budget, option="--budget")
    whole = Approximate(total, level(total_delta, option="--budget-delta")) if total_delta else Pure(total)
    with files.staged(options.out) as (out,):
        ledger = budget.Budget.open(budget.ledger_of(options.design, options.ledger), whole)
        account = ledger.charge(Release(budget.identity(options.design), f"logistic ({options.mechanism})", promised))
        weights = numbers(law)
        out.write_text(
            files.json_text(
                {**_description(made, mechanism, promised, options), "budget": account.record, **_drawn(made, weights)}
            ),
            encoding="utf-8",
        )
    print(f"{options.out}: {promised}; {'; '.join(promised.conditions)}; {account}")


def _check(options: argparse.Namespace) -> None:
    """Which level belongs to which mechanism."""
    if options.mechanism == "ops":
        if options.delta or options.order:
            raise InputError("OPS is ε-DP, with no δ and no order; leave out --delta and --order.")
    elif not (options.delta or options.order):
        raise InputError("a posterior is (ε, δ)-DP or Rényi DP; say --delta, or --order.")
    if options.order and not options.budget_delta:
        raise InputError("--budget-delta is missing; say the δ at which the budget counts Rényi levels.")


def _calibrated(options: argparse.Namespace, model: Model) -> Classifier:
    from dpsampling.learners.logistic import mechanisms

    epsilon = level(options.epsilon, option="--epsilon")
    if options.mechanism == "ops":
        return mechanisms.TruncatedClassifier.calibrate(model, epsilon=epsilon)
    kinds = {
        "diffused": mechanisms.DiffusedClassifier,
        "concentrated": mechanisms.ConcentratedClassifier,
        "direct": mechanisms.DirectClassifier,
    }
    kind: Any = kinds[options.mechanism]
    if options.order:
        calibrated: Classifier = kind.calibrate(model, epsilon=epsilon, order=level(options.order, option="--order"))
    else:
        calibrated = kind.calibrate(model, epsilon=epsilon, delta=level(options.delta, option="--delta"))
    return calibrated


def _promised(options: argparse.Namespace, mechanism: Classifier) -> Guarantee:
    """What is charged: the Gaussian reading at its δ, or else the mechanism's own guarantee."""
    if not options.delta:
        return mechanism.guarantee
    found: Approximate = mechanism.gaussian.approximate(level(options.delta, option="--delta"))
    return found


def _description(
    made: Design, mechanism: Classifier, promised: Guarantee, options: argparse.Namespace
) -> dict[str, Any]:
    """What may be published besides the draw: nothing of it depends on the rows but their number."""
    if isinstance(promised, Renyi):
        order = level(options.order, option="--order")
        promise = {"order": order, "epsilon": mechanism.level(order)}  # type: ignore[union-attr]
    else:
        promise = {"epsilon": promised.epsilon, "delta": getattr(promised, "delta", 0.0)}
    return {
        "data": made.title,
        "mechanism": mechanism.name,
        "guarantee": {
            **promise,
            "mu": mechanism.gaussian.mu,
            "relation": promised.relation.value,
            "conditions": list(promised.conditions),
            "in_bits": PROMISE,
        },
        "records": mechanism.model.n,
        "prior_precision": mechanism.precision,
        "weight_of_a_record": mechanism.weight,
        "radius": mechanism.radius,
    }


def _drawn(made: Design, weights: Any) -> dict[str, Any]:
    """The classifier: label 1 where the sum of weight times feature is above 0."""
    return {
        "exponent": weights.exponent,
        "weights": dict(zip(made.columns, map(float, weights.floats), strict=True)),
    }
