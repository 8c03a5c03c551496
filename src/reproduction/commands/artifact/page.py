"""`dpsampling artifact page`: the appendix itself."""

from __future__ import annotations

import argparse
from pathlib import Path

import jinja2

from dpsampling import files
from dpsampling.cli.outputs import OutputFile
from dpsampling.errors import InputError
from dpsampling.files import strict_json
from dpsampling.files.documents import read_yaml
from reproduction.artifact import appendix, measured

HELP = "write the appendix from the main claims and what was measured of them"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which claims and numbers, to which file."""
    parser.add_argument("--main", type=Path, required=True, metavar="FILE.yaml", help="the artifact's main claims")
    parser.add_argument(
        "--measured", type=Path, required=True, metavar="FILE.json", help="what 'dpsampling artifact measure' wrote"
    )
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.md")


def run(options: argparse.Namespace) -> None:
    """A Markdown page."""
    claims = measured.main_claims(read_yaml(options.main), str(options.main))
    try:
        text = appendix.page(claims, strict_json.read(options.measured))
    except InputError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, jinja2.TemplateError) as error:
        raise InputError(
            f"{options.measured} does not tell what was measured; make it with 'dpsampling artifact measure'."
        ) from error
    files.write_text(options.out, text)
