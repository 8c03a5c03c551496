"""`dpsampling config`: all that decides the results, checked and written."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import collect, config
from dpsampling.outputs import Output

HELP = "check the configuration and write all that decides the results"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which configuration, at which scale, to which file."""
    parser.add_argument("--config", type=Path, metavar="F", help="an overlay of config/config.yaml")
    parser.add_argument("--scale", choices=config.SCALES, help="default: the configuration's")
    parser.add_argument("--out", action=Output, metavar="FILE.yaml", help="default: it is checked, and not written")


def run(options: argparse.Namespace) -> None:
    """The effective configuration, as YAML that can be laid over the configuration."""
    document = config.load(options.config)
    effective = config.effective(document, options.scale or document["scale"])
    if options.out:
        collect.effective_config(effective, options.out)
