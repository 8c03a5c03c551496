"""`dpsampling warlogs model`: one private hidden Markov model of a log, with the guarantee it carries."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling import files
from dpsampling.cli import parsing
from dpsampling.cli.outputs import OutputFile
from dpsampling.errors import InputError
from dpsampling.files.checking import number, whole
from dpsampling.numerics.exact.promise import PROMISE
from dpsampling.privacy import budget
from dpsampling.privacy.budget import Account
from dpsampling.privacy.guarantee import Pure, shown
from dpsampling.privacy.ledger import Release

if TYPE_CHECKING:
    from dpsampling.event_logs.chains import Fit, Model
    from dpsampling.event_logs.counts import EventCounts
    from dpsampling.event_logs.mechanisms import NoisyCounts, OnePosteriorSample
    from dpsampling.event_logs.release import NoisyLog

HELP = "release one private hidden Markov model of a log, with the guarantee it carries"
PUBLISHES = True  # what noise was added to
STATES, MULTIPLIER = whole(2, 100), number(None, 1_000_000, above=1)
MECHANISMS = ("clip", "sum-then-clip", "noise-aware", "ops")
OF_COUNTS = ("epsilon", "budget", "ledger", "noisy")  # what noisy counts that are there already do not need


def arguments(parser: argparse.ArgumentParser) -> None:
    """Of which counts, by which mechanism, at which level, out of which budget, where to."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--counts", type=Path, metavar="FILE.npz", help="what 'dpsampling warlogs count' wrote")
    source.add_argument(
        "--from",
        dest="released",
        type=Path,
        metavar="FILE.npz",
        help="noisy counts that were released before: another model of them costs nothing",
    )
    parser.add_argument("--mechanism", choices=MECHANISMS, help="default: noise-aware, or clip for one state")
    parser.add_argument("--epsilon", metavar="E", help="the privacy level of this release, with --counts")
    parser.add_argument(
        "--budget",
        metavar="E",
        help="what all releases of these data may cost together, with --counts; fixed by the first",
    )
    parser.add_argument(
        "--ledger",
        type=Path,
        metavar="FILE",
        help="the private file of all releases (default: NAME.ledger beside NAME)",
    )
    parser.add_argument("--multiplier", default="100", metavar="M", help="of OPS (default: 100)")
    parser.add_argument("--states", default="3", metavar="K", help="states of the model, 1 or more (default: 3)")
    parser.add_argument("--seed", metavar="N", help=argparse.SUPPRESS)  # there was one
    parser.add_argument(
        "--noisy",
        action=OutputFile,
        metavar="FILE.npz",
        help="the noisy counts, to publish (default: beside the model)",
    )
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.json")


def run(options: argparse.Namespace) -> None:
    """A JSON file with the guarantee, the states and the assignments, and the noisy counts beside it."""
    _check(options)
    states = 1 if options.states == "1" else parsing.checked(f"states={options.states}", STATES, "warlogs model")
    multiplier = parsing.checked(f"multiplier={options.multiplier}", MULTIPLIER, "warlogs model")
    kind = options.mechanism or ("clip" if states == 1 else "noise-aware")

    from dpsampling.event_logs import release  # numpy, and numba in the chains
    from dpsampling.event_logs.chains import Model
    from dpsampling.event_logs.mechanisms import NoisyCounts, OnePosteriorSample

    model = Model(states)
    if options.released:
        log = release.load(options.released)
        mechanism = NoisyCounts(log.epsilon, kind, log.unit)
        fit = release.modelled(log, model, kind)
        told = _description(log, fit, mechanism, mechanism.guarantee(log.sizes, model.updates), release.POST_PROCESSED)
        files.write_json(options.out, {**told, "charged": 0.0, "noisy_counts": str(options.released)})
        print(f"{options.out}: another model of {options.released}, which costs nothing; {_promise(told)}")
        return
    epsilon = parsing.level(options.epsilon)
    if kind == "ops":
        _sample(options, model, OnePosteriorSample(epsilon, multiplier))
    else:
        _noise(options, model, NoisyCounts(epsilon, kind))


def _noise(options: argparse.Namespace, model: Model, mechanism: NoisyCounts) -> None:
    """Charge, draw the noise, and model what comes of it."""
    from dpsampling.event_logs import chains, counts, release

    log = counts.load(options.counts)
    mechanism = replace(mechanism, unit=log.unit)
    chains.check(model, mechanism, len(log.sizes))
    mechanism.check_release(len(log.sizes))
    guarantee = mechanism.guarantee(log.sizes, model.updates)
    kept = options.noisy or options.out.with_suffix(".noisy.npz")
    files.check_apart([options.out, kept], [options.counts])
    with files.staged(options.out, kept) as (out, noisy):  # both can be written, before anything is spent
        account = _charged(options, log, mechanism, guarantee)
        released = release.noisy(log, model, mechanism)
        release.put(noisy, released)
        fit = release.modelled(released, model, mechanism.variant)
        told = _description(released, fit, mechanism, guarantee, release.POST_PROCESSED)
        spent = {"charged": guarantee.epsilon, "budget": account.record, "noisy_counts": kept.name}
        out.write_text(files.json_text({**told, **spent}), encoding="utf-8")
    print(f"{options.out}: {_promise(told)}; {account}; other models of {kept} are free")


def _sample(options: argparse.Namespace, model: Model, mechanism: OnePosteriorSample) -> None:
    """Charge for every update of the chain, and release its last sample."""
    from dpsampling.event_logs import counts, release

    if options.noisy:
        raise InputError("OPS has no noisy counts; leave out --noisy.")
    log = counts.load(options.counts)
    mechanism = replace(mechanism, unit=log.unit)
    guarantee = mechanism.guarantee(log.sizes, model.updates)
    with files.staged(options.out) as (out,):
        account = _charged(options, log, mechanism, guarantee)
        fit = release.posterior_sample(log, model, mechanism)
        told = _description(log, fit, mechanism, guarantee, release.EXACT_CHAIN)
        out.write_text(
            files.json_text({**told, "charged": guarantee.epsilon, "budget": account.record}), encoding="utf-8"
        )
    print(f"{options.out}: {_promise(told)}; {account}")


def _check(options: argparse.Namespace) -> None:
    """What a release needs, and what it has no use for."""
    if options.seed is not None:
        raise InputError(
            "a release has no seed, for whoever knows it can take the noise off; leave out --seed, or use 'dpsampling "
            "warlogs fit' for an evaluation that can be repeated and protects nothing."
        )
    given = [name for name in OF_COUNTS if getattr(options, name) is not None]
    if options.released and given:
        raise InputError(f"--from is of noisy counts, of which every model is free; leave out --{given[0]}.")
    if options.released and options.mechanism == "ops":
        raise InputError("OPS samples from true counts and not from noisy ones; use --counts, or another mechanism.")
    missing = [name for name in ("epsilon", "budget") if getattr(options, name) is None and not options.released]
    if missing:
        why = {
            "epsilon": "the level of this release",
            "budget": "what all releases of these data may cost together",
        }[missing[0]]
        raise InputError(f"--{missing[0]} is missing; say {why}, for nobody else can.")


def _charged(
    options: argparse.Namespace, log: EventCounts, mechanism: NoisyCounts | OnePosteriorSample, guarantee: Pure
) -> Account:
    """The ledger's account with this release in it, before anything of it is drawn."""
    from dpsampling.mechanisms.calibration import certify

    certify(guarantee.enclosure, guarantee.epsilon)
    total = parsing.level(options.budget, option="--budget")
    opened = budget.Budget.open(budget.ledger_of(options.counts, options.ledger), Pure(total), unit=log.unit.name)
    release = Release(budget.identity(options.counts), f"{mechanism.name} ({mechanism.variant})", guarantee)
    return opened.charge(release, exactly=getattr(mechanism, "level", None))


def _description(
    log: EventCounts | NoisyLog, fit: Fit, mechanism: NoisyCounts | OnePosteriorSample, guarantee: Pure, bits: str
) -> dict[str, Any]:
    """What may be published of a model."""
    from dpsampling.event_logs import pictures

    picture = pictures.arranged(log, fit.states[pictures.released(mechanism)], fit.probabilities, released=slice(None))
    return {
        "log": log.title,
        "mechanism": mechanism.name,
        "variant": mechanism.variant,
        "guarantee": {
            "epsilon": guarantee.epsilon,
            **_certified(guarantee),
            "relation": guarantee.relation.value,
            "unit": {"name": mechanism.unit.name, "most": mechanism.unit.most},
            "conditions": [*guarantee.conditions, bits],
            "in_bits": PROMISE,
        },
        "states": {
            f"{k + 1}": {
                feature: dict(zip(outcomes, map(float, row[log.offsets[d] : log.offsets[d + 1]]), strict=True))
                for d, (feature, outcomes) in enumerate(zip(log.features, log.outcomes, strict=True))
            }
            for k, row in enumerate(picture.probabilities)
        },
        "assignments": {
            region: dict(zip(log.months, map(int, picture.usual[r]), strict=True))
            for r, region in enumerate(log.regions)
        },
    }


def _certified(guarantee: Pure) -> dict[str, list[float]]:
    """Floats between which the level of the exact law is, to the last bit."""
    enclosure = guarantee.enclosure
    assert enclosure is not None
    return {"enclosure": [enclosure.lower, enclosure.upper]}


def _promise(told: dict[str, Any]) -> str:
    guarantee = told["guarantee"]
    return "; ".join([f"{shown(guarantee['epsilon'])}-DP ({guarantee['relation']})", *guarantee["conditions"]])
