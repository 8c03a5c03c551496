"""Held-out log-likelihood against ε, of every mechanism or of ways to use the same noisy counts: thesis Figure 4.6."""

from __future__ import annotations

from reproduction.experiments.warlogs.checks import check

__all__ = ["COLUMNS", "check"]

COLUMNS = {
    "log": str,
    "model": str,
    "mechanism": str,
    "variant": str,
    "epsilon": float,
    "definition": str,
    "mean": float,
    "sem": float,
    "paired_mean": float,
    "paired_sem": float,
}
