"""Draw an experiment's table."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from pandas.api.types import is_numeric_dtype

from dpsampling.files.grids import expanded
from dpsampling.release.style import literal
from reproduction import axis_words
from reproduction.stages import experiment_contract


def draw(code: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> Figure:
    """The figure; `style.save` writes it. Names that a user gave are drawn as they are; dollars begin no formula."""
    words = {str(name): column.map(literal) for name, column in table.items() if not is_numeric_dtype(column)}
    shown = table.assign(**words)
    shown.attrs = {**table.attrs, "inputs": literal(table.attrs.get("inputs", {}))}
    drawn: Figure = experiment_contract.function(code, "figure")(shown, expanded(literal(parameters)))
    return drawn


def caption(code: str, drawn: Figure) -> str:
    """What a reader has to know to read the figure: what its code says that it shows, and what runs along its axes."""
    return f"{said(code)} {axis_words.axes(drawn)}".strip()


def said(code: str) -> str:
    """The first words of the figure's module, where it has one of its own, and of its function."""
    function = experiment_contract.function(code, "figure")
    module = ast.parse(Path(inspect.getfile(function)).read_text(encoding="utf-8"))  # `python -OO` has no docstrings
    own = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == function.__name__]
    docstrings = [ast.get_docstring(node) for node in ([module] if experiment_contract.is_folder(code) else []) + own]
    return " ".join(_first_paragraph(text) for text in docstrings if text)


def _first_paragraph(docstring: str) -> str:
    """The first sentences of a docstring, on one line."""
    text = " ".join(inspect.cleandoc(docstring).split("\n\n")[0].split())
    return text if text.endswith((".", "!", "?")) else f"{text}."
