"""The gallery, and the first page's numbers and pictures."""

from __future__ import annotations

from collections import Counter
from html import escape

from PIL import Image
from results_tree import Results, badges, missing

from dpsampling.files import CAPTION
from reproduction import project
from reproduction.claims import OVERSTATED
from reproduction.statements import statements

HERO = ("fig4_1", "fig5_3", "fig6_1", "fig7_6")  # on the first page, one a chapter


def gallery(results: Results) -> str:
    """Every figure under its part, with its caption and its claims."""
    if not results.figures:
        return missing("the figures")
    lines = []
    for part, title in project.parts().items():
        members = [e for e in project.experiments().values() if e.part == part and e.id in results.figures]
        if members:
            lines += [
                f"## {title}",
                f'<div class="gallery" id="part-{part}">',
                *(_figure(e, results) for e in members),
                "</div>",
                "",
            ]
    return "\n".join(lines)


def _figure(experiment: project.Experiment, results: Results) -> str:
    path = results.figures[experiment.id]
    with Image.open(path) as image:
        size, caption = (
            f'width="{image.width}" height="{image.height}"',
            str(getattr(image, "text", {}).get(CAPTION, "")),
        )
    own = Counter(row["verdict"] for row in results.claims if row["experiment"] == experiment.id)
    return (
        f'<figure id="{experiment.id}"><a href="figures/{path.name}"><img loading="lazy" {size} '
        f'src="figures/{path.name}" alt="{escape(experiment.title)}"></a>'
        f"<figcaption><strong>{escape(experiment.title)}</strong><br>{escape(experiment.source)} · "
        f"<code>make figure ID={experiment.id}</code><br>{escape(caption)}{badges(own)}</figcaption></figure>"
    )


def front(results: Results) -> str:
    """Four numbers and some figures."""
    told = [
        (len(statements()), "statements of five sources, each with what decides it", "claims.html"),
        (len(project.experiments()), "experiments: figures, tables, theorems", "gallery.html"),
    ]
    if results.claims:
        over = sum(row["privacy"] == OVERSTATED for row in results.errata)
        told += [
            (len(results.claims), "claims judged by numbers", "claims.html"),
            (over, "of them promise more privacy than there is", "errata.html"),
        ]
    cards = "".join(f'<a href="{to}"><b>{number}</b> {escape(words)}</a>' for number, words, to in told)
    hero = [name for name in HERO if name in results.figures]
    strip = [_framed(f"gallery.html#{name}", name) for name in hero] or [
        _framed("prior-rebalancing.html", path.stem) for path in results.pictures
    ]
    return f'<div class="told">{cards}</div>\n<div class="strip">{"".join(strip)}</div>'


def _framed(target: str, name: str) -> str:
    title = project.experiment(name).title
    return f'<a href="{target}"><img src="figures/{name}.png" alt="{escape(title)}"></a>'
