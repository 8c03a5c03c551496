"""`dpsampling explain`: what a release says, in plain words."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from pathlib import Path

HELP = "say in plain words what a release protects, and what it tells"
WIDEST = 100  # characters of a line that is read with ease


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which release."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="what 'dpsampling release' wrote")


def run(options: argparse.Namespace) -> None:
    """The card, made again of release.json, without markup."""
    from dpsampling.release import verifying, wording

    release, sentences = verifying.explained(options.folder)
    width = min(WIDEST, shutil.get_terminal_size().columns)
    parts, heading = [wording.quoted(release.title)], ""
    for sentence in sentences:
        if sentence.about != heading:
            heading = sentence.about
            parts.append(heading.upper())
        parts.append(textwrap.fill(sentence.text, width, break_long_words=False, break_on_hyphens=False))
    print("\n\n".join(parts))
    print(
        f"\nThese words are made of {options.folder}/release.json; 'dpsampling verify {options.folder}' checks it all."
    )
