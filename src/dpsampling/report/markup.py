"""Markup as values: text is escaped when it enters a tag, and nowhere else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote


class Html(str):
    """Text that is markup already; any other text is escaped when it enters a tag."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: str) -> Html:
    """An element; `class_`, `aria_label` and the like are written class, aria-label."""
    inside = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"' for key, value in attributes.items()
    )
    if name in ("input", "img", "meta"):
        return Html(f"<{name}{inside}>")
    end = "\n" if name not in ("a", "code", "b", "span", "small", "td", "th", "label") else ""
    return Html(f"<{name}{inside}>{join(children)}</{name}>{end}")


def join(parts: Iterable[str], between: str = "") -> Html:
    """Parts in a row, as markup."""
    return Html(html.escape(between).join(part if isinstance(part, Html) else html.escape(part) for part in parts))


def table(caption: str, columns: Sequence[str], *bodies: Html, id: str = "") -> Html:
    """A table that scrolls inside its own box where the window is narrow."""
    head = tag("thead", tag("tr", *(tag("th", column, scope="col") for column in columns)))
    box = {"class_": "scroll", "role": "region", "tabindex": "0", "aria_label": caption}
    return tag("div", tag("table", tag("caption", caption), head, *bodies, **({"id": id} if id else {})), **box)


def cells(first: str, *others: str) -> Html:
    """A table row whose first cell names it."""
    return tag("tr", tag("th", first, scope="row"), *(tag("td", other or "–") for other in others))


def anchor(text: str) -> str:
    """A name that a link within the page can point at."""
    return re.sub(r"[^\w.-]", "-", text)


def to(name: str, *text: str) -> Html:
    """A link to a place on this page."""
    return tag("a", *text, href=f"#{quote(anchor(name))}")
