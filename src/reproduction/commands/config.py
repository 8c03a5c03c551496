"""`dpsampling config`: all that decides the results, checked and written."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dpsampling.cli.configuration import Config
from dpsampling.cli.outputs import OutputFile
from dpsampling.datasets import forms as datasets
from dpsampling.event_logs import forms as logs
from reproduction import catalogue, collect, config, project

HELP = "check the configuration and write all that decides the results"
FORMS = {
    "config": Config,
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
    parser.add_argument("--schema", choices=FORMS, help="print what a file of this kind may say, as a JSON schema")
    parser.add_argument("--out", action=OutputFile, metavar="FILE.yaml", help="default: it is checked, and not written")


def run(options: argparse.Namespace) -> None:
    """Check the configuration and write it whole, so that it can be laid over another, or print a schema."""
    if options.schema:
        form = FORMS[options.schema]
        schema = catalogue.schema() if form is None else form.model_json_schema()
        print(json.dumps(schema, indent=2, ensure_ascii=False))
        return
    document = config.load(options.config)
    effective = config.effective(document, options.scale or document["scale"])
    if options.out:
        collect.effective_config(effective, options.out)
