"""No page leads nowhere: every link and picture of the finished site is followed, or the build fails.

Sphinx checks what is written as a link of its own; this looks at the pages as a browser would, raw HTML and all, and
refuses whatever a page would load from elsewhere.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

LOADED = {"img": "src", "script": "src", "source": "src", "iframe": "src"}  # and stylesheets


class Page(HTMLParser):
    """What a page leads to, what it loads, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One element."""
        told = {key: value for key, value in attrs if value}
        self.anchors |= {told[key] for key in ("id", "name") if key in told}
        if tag == "a" and "href" in told:
            self.links.append(told["href"])
        elif tag == "link" and told.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(told["href"])
        elif tag in LOADED and LOADED[tag] in told:
            self.loads.append(told[LOADED[tag]])


def dead_ends(site: Path) -> list[str]:
    """A sentence for each link that leads nowhere, and for each thing that a page would load from elsewhere."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name} loads {url} from elsewhere" for url in page.loads if urlsplit(url).netloc]
        for url in (*page.links, *page.loads):
            place = urlsplit(url)
            if place.scheme or place.netloc:
                continue
            target = (path.parent / unquote(place.path)).resolve() if place.path else path
            if not target.is_file():
                found.append(f"{name} leads to {url}, which is no file of the site")
            elif place.fragment and target in pages and unquote(place.fragment) not in pages[target].anchors:
                found.append(f"{name} leads to {url}, and there is no such place on that page")
    return found


def check(app: Sphinx, error: Exception | None) -> None:
    """When all pages are written."""
    if error is None and app.builder.format == "html" and (found := dead_ends(Path(app.outdir))):
        raise ExtensionError("links that lead nowhere:\n" + "\n".join(found))


def setup(app: Sphinx) -> dict[str, Any]:
    """Look when the build is done."""
    app.connect("build-finished", check, priority=900)  # when all else is in its place
    return {"parallel_read_safe": True, "parallel_write_safe": True}
