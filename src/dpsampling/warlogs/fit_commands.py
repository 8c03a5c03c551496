"""`dpsampling warlogs split | fit | evaluate | model`: what comes after the counts."""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling.errors import InputError
from dpsampling.files import check_ending

if TYPE_CHECKING:
    import numpy as np

    from dpsampling.warlogs.counts import EventCounts
    from dpsampling.warlogs.mechanisms import Mechanism


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """The sub-commands."""
    split = commands.add_parser("split", help="choose the cells that are held out")
    _counts(split)
    split.add_argument("--splits", default="10", metavar="N", help="how many splits (default: 10)")
    split.add_argument("--share", default="0.1", metavar="S", help="the share of cells held out (default: 0.1)")
    split.add_argument("--seed", metavar="N", help="default: the configuration's")
    split.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    split.set_defaults(run=_split)

    fit = commands.add_parser("fit", help="fit both models with every mechanism at one ε, on every split")
    _counts(fit)
    fit.add_argument("--splits", type=Path, required=True, metavar="FILE.csv")
    fit.add_argument("--epsilon", required=True, metavar="E", help="the privacy level, or inf for no privacy")
    fit.add_argument("--set", action="append", default=[], metavar="key=value", help="a parameter of fig4_6, in YAML")
    fit.add_argument("--seed", metavar="N", help="default: the configuration's")
    fit.add_argument("--out", type=Path, required=True, metavar="FILE.npz")
    fit.set_defaults(run=_fit)

    evaluate = commands.add_parser("evaluate", help="score fits on the held-out cells")
    evaluate.add_argument("--fits", type=Path, required=True, metavar="FILE.npz")
    evaluate.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    evaluate.set_defaults(run=_evaluate)

    model = commands.add_parser(
        "model", help="release one private hidden Markov model of a log, with the guarantee it carries"
    )
    _counts(model)
    model.add_argument("--mechanism", choices=("clip", "sum-then-clip", "noise-aware", "ops"), default="noise-aware")
    model.add_argument("--epsilon", required=True, metavar="E", help="the privacy level")
    model.add_argument("--multiplier", default="100", metavar="M", help="of OPS (default: 100)")
    model.add_argument("--states", default="3", metavar="K", help="states of the model (default: 3)")
    model.add_argument(
        "--seed",
        metavar="N",
        help="for a run that can be repeated; the noise must stay unknown, so leave it out for a release",
    )
    model.add_argument("--out", type=Path, required=True, metavar="FILE.json")
    model.set_defaults(run=_model)


def _counts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--counts", type=Path, required=True, metavar="FILE.npz", help="what 'dpsampling warlogs counts' wrote"
    )


def _split(options: argparse.Namespace) -> None:
    from dpsampling import config, files
    from dpsampling.warlogs import counts, splits

    told = config.check_parameters(
        config.parse_settings([f"splits={options.splits}", f"share={options.share}"]), "warlogs split"
    )
    rng = _stream(options.seed)
    check_ending(options.out, ".csv")
    log = counts.load(options.counts)
    files.write_table(options.out, splits.frame(log, splits.draw(log, told["splits"], told["share"], rng)))


def _fit(options: argparse.Namespace) -> None:
    from dpsampling import config, files, project
    from dpsampling.warlogs import archive, counts, splits, sweep

    epsilon = _level(options.epsilon, infinite=True)
    params = config.resolve(project.experiment("fig4_6"), config.parse_settings(options.set))
    rng = _stream(options.seed)
    check_ending(options.out, ".npz")
    log = counts.load(options.counts)
    trained = splits.masks(log, files.read_table(options.splits))
    about: list[list[Any]] = []
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    start = time.perf_counter()
    for i, held in enumerate(sweep.fits(log, trained, epsilon, params, rng)):
        about.append([held.log, held.model, held.mechanism, held.variant, held.split, held.entries])
        arrays[f"mixture{i}"], arrays[f"own{i}"] = held.mixture, held.own
        if held.split + 1 == len(trained):
            seconds = time.perf_counter() - start
            what = f"{held.log}, ε = {epsilon:g}: {held.model}, {held.mechanism} ({held.variant})"
            print(f"{what}: {i + 1} chains after {seconds:.1f} s", flush=True)
    with files.atomic_path(options.out) as partial:
        archive.put(partial, "fit", {"epsilon": repr(epsilon), "chains": about}, arrays)


def _evaluate(options: argparse.Namespace) -> None:
    from dpsampling import files
    from dpsampling.warlogs import archive, sweep

    check_ending(options.out, ".csv")
    about, arrays = archive.get(options.fits, "fit")
    try:
        epsilon = float(about["epsilon"])
        held = [
            sweep.Held(
                log, model, mechanism, variant, epsilon, split, entries, arrays[f"mixture{i}"], arrays[f"own{i}"]
            )
            for i, (log, model, mechanism, variant, split, entries) in enumerate(about["chains"])
        ]
        whole = all(h.entries > 0 and h.mixture.size > 0 and h.own.shape == h.mixture.shape for h in held)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{options.fits} does not hold fits; make it again with 'dpsampling warlogs fit'.") from error
    if not whole:
        raise InputError(f"{options.fits} has chains without scores; make it again with 'dpsampling warlogs fit'.")
    files.write_table(options.out, sweep.evaluate(held))


def _model(options: argparse.Namespace) -> None:
    import numpy as np

    from dpsampling import config, files
    from dpsampling.warlogs import counts, pictures, sweep
    from dpsampling.warlogs.chains import Model
    from dpsampling.warlogs.mechanisms import NoisyCounts, OnePosteriorSample

    settings = [f"states={options.states}", f"multiplier={options.multiplier}"]
    told = config.check_parameters(config.parse_settings(settings), "warlogs model")
    epsilon = _level(options.epsilon, infinite=False)
    check_ending(options.out, ".json")
    mechanism: Mechanism = (
        OnePosteriorSample(epsilon, told["multiplier"])
        if options.mechanism == "ops"
        else NoisyCounts(epsilon, options.mechanism)
    )
    log: EventCounts = counts.load(options.counts)
    if not log.entries.any():
        raise InputError(f"{options.counts} counts no entry; there is nothing to model.")
    # A seed that is known would give the noise away.
    rng = np.random.default_rng() if options.seed is None else _stream(options.seed)
    model = Model(told["states"])
    found = sweep.run(log, np.ones(log.entries.shape, dtype=bool), model, mechanism, rng, "model")
    released = pictures.released(mechanism)
    picture = pictures.arranged(log, found.states[released], found.probabilities, released=slice(None))
    guarantee = mechanism.guarantee(log.sizes, model.iterations)
    assert guarantee is not None
    files.write_json(
        options.out,
        {
            "log": log.title,
            "mechanism": mechanism.name,
            "variant": mechanism.variant,
            "guarantee": {
                "epsilon": guarantee.epsilon,
                "relation": guarantee.relation.value,
                "conditions": list(guarantee.conditions),
                "seed": "system entropy" if options.seed is None else "given: whoever knows it can undo the noise",
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
        },
    )
    print(f"{options.out}: {guarantee}{''.join(f'; {c}' for c in guarantee.conditions)}")


def _stream(seed: str | None) -> np.random.Generator:
    """The stream that all experiments on event logs share."""
    from dpsampling import config
    from dpsampling.randomness import stream

    return stream(config.load()["seed"] if seed is None else config.check_seed(seed), "warlogs")


def _level(text: str, *, infinite: bool) -> float:
    """A privacy level from the command line."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (0.0 < value < math.inf or (infinite and value == math.inf)):
        allowed = "a number above 0, or inf for no privacy" if infinite else "a number above 0"
        raise InputError(f"--epsilon is {text}; it must be {allowed}.")
    return value
