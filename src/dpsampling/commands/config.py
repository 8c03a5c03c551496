"""`dpsampling config`: all that decides the results, checked and written."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dpsampling import collect, config, strict_json
from dpsampling.errors import InputError
from dpsampling.outputs import Output
from dpsampling.schemas import datasets, logs, parameters, project

HELP = "check the configuration and write all that decides the results"
FORMS = {
    "config": project.Config,
    "experiment": project.ExperimentFile,
    "parameters": None,  # of an experiment
    "log": logs.Log,
    "simulator": logs.Simulator,
    "dataset": datasets.DataSet,
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which configuration, at which scale, to which file."""
    parser.add_argument("--config", type=Path, metavar="F", help="an overlay of config/config.yaml")
    parser.add_argument("--scale", choices=config.SCALES, help="default: the configuration's")
    parser.add_argument("--effective", metavar="JSON", help=argparse.SUPPRESS)  # how the workflow hands its own over
    parser.add_argument("--schema", choices=FORMS, help="print what a file of this kind may say, as a JSON schema")
    parser.add_argument("--out", action=Output, metavar="FILE.yaml")


def run(options: argparse.Namespace) -> None:
    """Write the effective configuration, as YAML that can be laid over the configuration, or print a schema."""
    if options.schema:
        form = FORMS[options.schema]
        print(
            json.dumps(parameters.schema() if form is None else form.model_json_schema(), indent=2, ensure_ascii=False)
        )
        return
    if options.out is None:
        raise InputError("--out is missing; name the file that is to be written.")
    if options.effective:
        try:
            effective = strict_json.loads(options.effective)
        except ValueError as error:
            raise InputError("--effective is not JSON; leave it out, it is for the workflow's own use.") from error
        if not isinstance(effective, dict):
            raise InputError("--effective is no mapping; leave it out, it is for the workflow's own use.")
    else:
        document = config.load(options.config)
        effective = config.effective(document, options.scale or document["scale"])
    collect.effective_config(effective, options.out)
