"""A results tree as a research object: RO-Crate 1.1 metadata of every file that its manifest lists.

Each experiment is an action: what made it (the code at its commit, with the packages that were installed), from which
parameters, and which files came out, each with its SHA-256. The same tree gives the same bytes: the one date in it is
the day on which this version of the project was released, for a results tree holds no time of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from dpsampling import files
from dpsampling.cli import parsing
from dpsampling.errors import InputError
from reproduction import collect, project, verification
from reproduction.citation import Work, citation

Entity = dict[str, Any]
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
# Of schema.org, but younger than the context of RO-Crate 1.1, which lets a crate add terms.
ADDED_TERMS = {"sha256": "http://schema.org/sha256"}
KINDS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".yaml": "application/yaml",
}
WHOLE = {
    "audit.csv": "every mechanism priced and attacked",
    "claims.csv": "what the sources say, with a verdict each",
    "config.yaml": "the parameters of every experiment, as they were used",
    "errata.csv": "where the sources do not hold",
    "errata.md": "where the sources do not hold, as a page",
    "ledger.csv": "every release that was simulated, and what it would cost",
    "liars.csv": "planted liars, and whether the audit saw them",
    "manifest.json": "every result with its checksum and where it comes from",
    "not_made.csv": "experiments that were not made for want of a data set",
    "report.html": "everything on a page: what to look at first",
}
OF_ONE = {
    "tables": "the numbers",
    "figures": "the picture",
    "claims": "what is said of it, with a verdict each",
    "errata": "where what is said of it does not hold",
    "ledger": "what its simulated releases would cost",
}


def write(results: Path, out: Path) -> None:
    """The metadata of a tree that is what its manifest says."""
    told = verification.read(results / collect.MANIFEST)
    files.check_apart([out], [results / collect.MANIFEST, *(results / name for name in told.files)])
    faults = verification.verify(results).faults
    if faults:
        raise InputError(
            f"{results} is not what its manifest says ({faults[0]}); make it again with 'make reproduce' or 'make "
            "quick' before it is described."
        )
    sizes = told.files | {collect.MANIFEST: _measured(results / collect.MANIFEST)}
    files.write_json(out, described(sizes, told.origins))


def described(sizes: Mapping[str, tuple[int, str]], origins: Mapping[str, Mapping[str, Any]]) -> Entity:
    """The metadata of files, given by bytes and SHA-256, and of the tables' origins."""
    graph = [
        {
            "@id": collect.CRATE,
            "@type": "CreativeWork",
            "conformsTo": _to(SPECIFICATION),
            "about": _to("./"),
        },
        _root(sizes, origins),
        {"@id": _licence(), "@type": "CreativeWork", "name": citation().licence, "url": _licence()},
        *({"@id": _name("author", name), "@type": "Organization", "name": name} for name in citation().authors),
        *map(_work, citation().works),
        *_software(origins),
        *(_file(name, size, sha256) for name, (size, sha256) in sizes.items()),
    ]
    for experiment, origin in origins.items():
        graph += _made(experiment, origin, sizes)
    return {"@context": [f"{SPECIFICATION}/context", ADDED_TERMS], "@graph": [*graph, _gathered(sizes, origins)]}


def _root(sizes: Mapping[str, object], origins: Mapping[str, object]) -> Entity:
    cited = citation()
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Results of dpsampling: {len(origins)} experiments",
        "description": "Tables, figures and verdicts on published claims, regenerated. " + cited.abstract,
        "datePublished": cited.released,
        "license": _to(_licence()),
        "author": _each(_name("author", name) for name in cited.authors),
        "publisher": _to(_name("author", cited.authors[0])),
        "keywords": ", ".join(cited.keywords),
        "citation": _each(_name("work", work.title) for work in cited.works),
        "hasPart": _each(sizes),
        "mentions": _each([*(f"#make-{experiment}" for experiment in origins), "#gather"]),
    }


def _file(name: str, size: int, sha256: str) -> Entity:
    path = PurePosixPath(name)
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "description": _words(path),
        "encodingFormat": KINDS.get(path.suffix, "application/octet-stream"),
        "contentSize": str(size),
        "sha256": sha256,
    }


def _words(path: PurePosixPath) -> str:
    if len(path.parts) == 1:
        return WHOLE.get(path.name, path.name)
    experiment = path.name.partition(".")[0]
    title = project.experiment(experiment).title if experiment in project.names() else experiment
    what = "where the numbers come from" if path.name.endswith(".provenance.json") else OF_ONE.get(path.parts[0], "")
    return f"{title}: {what}"


def _made(experiment: str, origin: Mapping[str, Any], sizes: Mapping[str, object]) -> Iterator[Entity]:
    """The action that made an experiment, and the parameters that it was given."""
    asked = origin.get("parameters", {})
    options = " ".join(f"--set='{option}'" for option in parsing.settings(asked))
    yield {
        "@id": f"#make-{experiment}",
        "@type": "CreateAction",
        "name": f"make {experiment}",
        "description": f"dpsampling table {experiment} --seed {origin.get('seed')} {options}".rstrip(),
        "instrument": _to(_code(origin)),
        "object": _to(f"#parameters-{experiment}"),
        "result": _each(name for name in sizes if "/" in name and name.rpartition("/")[2].startswith(f"{experiment}.")),
    }
    yield {
        "@id": f"#parameters-{experiment}",
        "@type": "PropertyValue",
        "name": f"parameters of {experiment}",
        "value": json.dumps({"seed": origin.get("seed"), **asked}, ensure_ascii=False),
    }


def _gathered(sizes: Mapping[str, object], origins: Mapping[str, Mapping[str, Any]]) -> Entity:
    """The action that put the results of all experiments together."""
    return {
        "@id": "#gather",
        "@type": "CreateAction",
        "name": "gather claims, errata and ledger, audit every mechanism, write the report and the manifest",
        "instrument": _each(sorted({_code(origin) for origin in origins.values()})),
        "object": _each(name for name in sizes if "/" in name),
        "result": _each(name for name in sizes if "/" not in name),
    }


def _software(origins: Mapping[str, Mapping[str, Any]]) -> Iterator[Entity]:
    """The code at each commit that made some of the tables, and what was installed beside it."""
    packages: dict[str, Entity] = {}
    for code, origin in sorted({_code(origin): origin for origin in origins.values()}.items()):
        beside = {"Python": origin.get("python"), **origin.get("packages", {})}
        used = {f"#{name}-{version}": (name, version) for name, version in beside.items() if version}
        for place, (name, version) in used.items():
            packages[place] = {"@id": place, "@type": "SoftwareApplication", "name": name, "softwareVersion": version}
        yield {
            "@id": code,
            "@type": "SoftwareApplication",
            "name": "dpsampling",
            "softwareVersion": str(origin.get("dpsampling")),
            "version": verification.commit_of(origin),
            "description": citation().title,
            "license": _to(_licence()),
            "softwareRequirements": _each(used),
        }
    yield from (packages[place] for place in sorted(packages))


def _work(work: Work) -> Entity:
    return {
        "@id": _name("work", work.title),
        "@type": "CreativeWork",
        "name": f"{', '.join(work.authors)}: {work.title} ({work.year})",
        **({"url": work.url} if work.url else {}),
    }


def _code(origin: Mapping[str, Any]) -> str:
    return _name("dpsampling", verification.commit_of(origin))


def _licence() -> str:
    return f"https://spdx.org/licenses/{citation().licence}"


def _name(kind: str, words: str) -> str:
    """The name of something that is no file, without blanks."""
    kept = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in words.lower())
    return f"#{kind}-{kept}"


def _to(name: str) -> Entity:
    return {"@id": name}


def _each(names: Iterable[str]) -> Entity | list[Entity]:
    """References: a list where there are several, as the specification advises, and one alone where there is one."""
    found = [_to(name) for name in names]
    return found[0] if len(found) == 1 else found


def _measured(path: Path) -> tuple[int, str]:
    return path.stat().st_size, files.checksum(path)
