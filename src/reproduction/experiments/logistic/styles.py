"""How the private classifiers look and what they are called, the same in every figure."""

from __future__ import annotations

from dpsampling.learners.logistic import names
from dpsampling.release.style import BLACK, BLUE, GREY, ORANGE, VERMILION, CurveStyle

MECHANISMS = {
    names.DIRECT: CurveStyle("true posterior (not private)", BLACK, "-", "s"),
    names.DIFFUSED: CurveStyle("diffused (Algorithm 5)", BLUE, "-", "o"),
    names.CONCENTRATED: CurveStyle("concentrated (Algorithm 4)", VERMILION, "--", "^"),
    names.OPS: CurveStyle(r"OPS as published, $\rho=\varepsilon\beta/4c^2$", ORANGE, "-", "P"),
}
# With twice the published ρ, OPS is ε-DP too, and what it was at 2ε.
OPS_TIGHT = CurveStyle(r"OPS, $\rho=\varepsilon\beta/2c^2$", GREY, ":", "")
