"""Formulas as MathML, written while the site is built: no script, no font and no network shows them.

docutils turns TeX into MathML and refuses what it does not know: a warning here, which stops a strict build.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)


def converted(tex: str, node: nodes.Element, *, block: bool) -> str:
    """MathML of a formula; the TeX itself, with a warning, where it cannot be understood."""
    try:
        return str(tex2mathml(tex, as_block=block))
    except (MathError, SyntaxError, IndexError, AttributeError) as error:
        LOG.warning("the formula '%s' cannot be shown: %s", tex.strip(), error, location=node)
        return f"<code>{nodes.Text(tex)}</code>"


def inline(self: Any, node: nodes.Element) -> None:
    """A formula in a line."""
    self.body.append(converted(node.astext(), node, block=False))
    raise nodes.SkipNode


def displayed(self: Any, node: nodes.Element) -> None:
    """A formula by itself."""
    self.body.append(f'<div class="math">{converted(node.astext(), node, block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """The renderer by its name."""
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
