"""Test errors on Adult of private boosted trees (S-GBDT) by ε, as commonly stated."""

from __future__ import annotations

ERRORS = {0.07: 0.187, 0.54: 0.171}
