"""How `make docs` makes a site of this folder: Sphinx reads its Markdown, `_site` does what Sphinx does not.

Nothing is asked of a network, neither here nor by the pages: formulas become MathML, letters are the reader's own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_site"))

project = "dpsampling"
author = "The dpsampling developers"
extensions = ["myst_parser", "mathml", "written_pages", "every_link"]
exclude_patterns = ["_site"]
source_suffix = {".md": "markdown"}
nitpicky = True
highlight_language = "none"  # a block that names no language is shown as it stands

myst_enable_extensions = ["dollarmath", "attrs_block"]
myst_heading_anchors = 4
myst_dmath_allow_space = False
myst_dmath_allow_digits = False

written_from = os.environ.get("RESULTS", "results")  # a results tree, seen from the project's folder

html_theme = "furo"
html_title = "dpsampling"
html_math_renderer = "mathml"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_search_summary = False  # it fetches pages, which a browser refuses to pages read from a disk
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7fb7dd", "color-brand-content": "#7fb7dd"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"
