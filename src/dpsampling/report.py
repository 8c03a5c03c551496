"""The report."""

from pathlib import Path


def page(results: Path) -> str:
    """One page."""
    return f"<html>{results}</html>"
