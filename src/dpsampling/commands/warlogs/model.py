"""`dpsampling warlogs model`: one private hidden Markov model of a log, with the guarantee it carries."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.commands import warlogs as event_logs
from dpsampling.errors import InputError
from dpsampling.files import check_ending, write_json
from dpsampling.parameters import check_parameters, parse_settings

HELP = "release one private hidden Markov model of a log, with the guarantee it carries"
STREAM = "warlogs"  # of a run that can be repeated


def arguments(parser: argparse.ArgumentParser) -> None:
    """Of which log, by which mechanism, at which level, where to."""
    event_logs.counts_argument(parser)
    parser.add_argument("--mechanism", choices=("clip", "sum-then-clip", "noise-aware", "ops"), default="noise-aware")
    parser.add_argument("--epsilon", required=True, metavar="E", help="the privacy level")
    parser.add_argument("--multiplier", default="100", metavar="M", help="of OPS (default: 100)")
    parser.add_argument("--states", default="3", metavar="K", help="states of the model (default: 3)")
    parser.add_argument(
        "--seed",
        metavar="N",
        help="for a run that can be repeated; the noise must stay unknown, so leave it out for a release",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.json")


def run(options: argparse.Namespace) -> None:
    """A JSON file with the guarantee, the states and the assignments."""
    settings = [f"states={options.states}", f"multiplier={options.multiplier}"]
    told = check_parameters(parse_settings(settings), "warlogs model")
    epsilon = event_logs.level(options.epsilon, infinite=False)
    check_ending(options.out, ".json")

    import numpy as np  # and numba in the chains

    from dpsampling import randomness
    from dpsampling.warlogs import counts, mechanisms, pictures, sweep
    from dpsampling.warlogs.chains import Model

    mechanism: mechanisms.Mechanism = (
        mechanisms.OnePosteriorSample(epsilon, told["multiplier"])
        if options.mechanism == "ops"
        else mechanisms.NoisyCounts(epsilon, options.mechanism)
    )
    log = counts.load(options.counts)
    if not log.entries.any():
        raise InputError(f"{options.counts} counts no entry; there is nothing to model.")
    # A seed that is known would give the noise away.
    known = options.seed is not None
    rng = randomness.stream(event_logs.seed_of(options), STREAM) if known else np.random.default_rng()
    model = Model(told["states"])
    found = sweep.run(log, np.ones(log.entries.shape, dtype=bool), model, mechanism, rng, "model")
    picture = pictures.arranged(
        log, found.states[pictures.released(mechanism)], found.probabilities, released=slice(None)
    )
    guarantee = mechanism.guarantee(log.sizes, model.iterations)
    assert guarantee is not None
    write_json(
        options.out,
        {
            "log": log.title,
            "mechanism": mechanism.name,
            "variant": mechanism.variant,
            "guarantee": {
                "epsilon": guarantee.epsilon,
                "relation": guarantee.relation.value,
                "conditions": list(guarantee.conditions),
                "seed": "given: whoever knows it can undo the noise" if known else "system entropy",
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
