r"""The words of a figure as plain text: `$\varepsilon'$ at $\alpha=2$` is read as ε′ at α = 2."""

from __future__ import annotations

import re
import unicodedata
from functools import partial

from matplotlib.figure import Figure

SIGNS = {
    "varepsilon": "ε",
    "lambda": "λ",  # whose letter has another name in Unicode
    "Lambda": "Λ",
    "leq": "≤",
    "geq": "≥",
    "sim": "~",
    "propto": "∝",
    "cdot": "·",
    "circ": "∘",
    "sum": "Σ",
    "sqrt": "√",
    "mid": "|",
    "|": "‖",
    "times": "×",
    "infty": "∞",
    "partial": "∂",
    "int": "∫",
    "pm": "±",
    "in": "∈",
    "prime": "′",
    "Vert": "‖",
    "top": "⊤",
}
SCALES = {"log": " (log)", "symlog": " (linear near 0, then log)"}
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304"}
DEEP = str.maketrans("0123456789+-aijnkv", "₀₁₂₃₄₅₆₇₈₉₊₋ₐᵢⱼₙₖᵥ")
HIGH = str.maketrans("0123456789+-nk", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵏ")


def plain(text: str) -> str:
    """A label without the marks of a formula, on one line."""
    found = "".join(part if i % 2 == 0 else _formula(part) for i, part in enumerate(re.split(r"(?<!\\)\$", text)))
    return " ".join(found.replace(r"\$", "$").split())


def axes(figure: Figure) -> str:
    """What runs along the axes of a figure, in sentences; nothing without axes."""
    along, up = _said(figure, "x"), _said(figure, "y")
    return " ".join([*([f"Across: {along}."] if along else ()), *([f"Up: {up}."] if up else ())])


def _said(figure: Figure, name: str) -> str:
    """Different labels of one direction once each, in their order, with the scales that are not linear."""
    told = [
        (getattr(panel, f"get_{name}label")(), getattr(panel, f"get_{name}scale")())
        for panel in figure.axes
        if panel.axison
    ]
    scales = {scale for _, scale in told}
    over_all = (getattr(figure, f"get_sup{name}label")(), scales.pop() if len(scales) == 1 else "")
    words = (f"{said}{SCALES.get(scale, '')}" for label, scale in (over_all, *told) if (said := plain(label)))
    return "; ".join(dict.fromkeys(words))


def _formula(text: str) -> str:
    """A formula of one line in letters."""
    found = re.sub(r"\\(?:mathrm|mathcal|mathbf|text|left|right)\b", "", text)
    found = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1)/(\2)", found)
    found = re.sub(r"\\([,;:! ])", " ", found)
    for name, mark in ACCENTS.items():
        found = re.sub(rf"\\{name}\s*\{{?(\w)\}}?", rf"\1{mark}", found)
    found = re.sub(r"\\(?:([A-Za-z]+)\s*|(\|))", _sign, found)
    for mark, table in (("_", DEEP), ("^", HIGH)):
        for moved in (r"(\w)", r"\{([^{}]*)\}"):  # what has a mark inside braces first
            found = re.sub(rf"\{mark}{moved}", partial(_moved, table=table, mark=mark), found)
    found = re.sub(r"\s*([=≤≥])\s*", r" \1 ", found.replace("'", "′"))
    return unicodedata.normalize("NFC", re.sub(r"[{}]", "", found))


def _sign(name: re.Match[str]) -> str:
    """The letter that is meant, or a function's name, away from the letters beside it."""
    said = name[1] or name[2]
    if said in SIGNS:
        return SIGNS[said]
    try:
        return unicodedata.lookup(f"GREEK {'CAPITAL' if said[0].isupper() else 'SMALL'} LETTER {said.upper()}")
    except KeyError:
        before, after = name.string[: name.start()][-1:], name.string[name.end() :][:1]
        return f"{' ' * (before.isalnum() or before in ' )}')}{said}{' ' * (after not in '([_^')}"


def _moved(found: re.Match[str], table: dict[int, int], mark: str) -> str:
    """Below or above the line, where there are such letters for all of it."""
    text = found[1]
    if all(ord(letter) in table for letter in text):
        return text.translate(table)
    return f"{mark}{text}" if len(text) == 1 else f"{mark}({text})"
