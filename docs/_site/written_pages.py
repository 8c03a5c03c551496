"""What stands in the pages for the project itself and for a results tree, where there is one.

A page has `<!-- written: NAME -->` on a line of its own; the site has there what the function of that name in WRITTEN
makes. Readers of the plain Markdown see nothing of it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from results_tree import Results
from shown_claims import errata, of_part, statements, verdicts
from shown_figures import front, gallery
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from dpsampling.files.documents import root
from reproduction import catalogue as parameters
from reproduction import project

MARK = re.compile(r"^<!-- written: ([a-z0-9 ]+) -->$", re.MULTILINE)
NAMED = re.compile(r"\[[\w/-]+\.md\]\(([\w-]+\.md(?:#[^)]*)?)\)")  # a link that is called as its file is


def data_page(_: Results) -> str:
    """data/README.md, below its title."""
    text = (root() / "data" / "README.md").read_text(encoding="utf-8").partition("\n")[2]
    return text.replace("](../docs/", "](")


WRITTEN: dict[str, Callable[[Results], str]] = {
    "front": front,
    "gallery": gallery,
    "errata": errata,
    "verdicts": verdicts,
    "statements": statements,
    "data": data_page,
    "parameters": lambda _: parameters.page(),
}


def fill(app: Sphinx, docname: str, content: list[str]) -> None:
    """A page's marks, and its links to what is a page here and a file elsewhere in the project."""
    results: Results = app.config["the_results"]

    def written(mark: re.Match[str]) -> str:
        name = mark[1]
        if name.startswith("part ") and name[5:] in project.parts():
            return of_part(results, name[5:])
        if name not in WRITTEN:
            raise ExtensionError(f"docs/{docname}.md asks for '{name}', which nothing writes")
        return WRITTEN[name](results)

    text = MARK.sub(written, content[0]).replace("](../data/README.md", "](data.md")
    content[0] = NAMED.sub(r"[](\1)", text)  # the site calls a page by its title


def take(_: Sphinx, config: Config) -> None:
    """Read the tree that is named."""
    config["the_results"] = Results.read(root() / config.written_from)


def copy(app: Sphinx, error: Exception | None) -> None:
    """The pictures, beside the pages that show them."""
    results: Results = app.config["the_results"]
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / "figures"
        folder.mkdir(exist_ok=True)
        for path in results.pictures:
            shutil.copyfile(path, folder / path.name)


def setup(app: Sphinx) -> dict[str, Any]:
    """The setting that names the tree, and the steps in their order."""
    app.add_config_value("written_from", "results", "env", str)
    app.add_config_value("the_results", None, "", Results)
    app.connect("config-inited", take)
    app.connect("source-read", fill)
    app.connect("build-finished", copy, priority=400)  # before the links are followed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
