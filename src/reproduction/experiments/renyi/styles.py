"""How the mechanisms on conjugate families are drawn and called, by name, the same in every figure."""

from __future__ import annotations

from dpsampling.release.style import CYCLE, CurveStyle

MECHANISMS = {
    "direct": CurveStyle("true posterior (not private)", *CYCLE["black"]),
    "diffused": CurveStyle("Algorithm 2 (diffused)", *CYCLE["blue"]),
    "concentrated": CurveStyle("Algorithm 3 (concentrated)", *CYCLE["vermilion"]),
    "gaussian": CurveStyle(r"Gaussian statistic, $\sigma^2=\lambda\Delta^2/(2\varepsilon)$", *CYCLE["green"]),
    "gaussian-printed": CurveStyle(
        r"Gaussian statistic as printed, $\sigma^2=\lambda\Delta^2/\varepsilon$", *CYCLE["purple"]
    ),
}
