"""Every command that reads a file, with the file that a hostile one takes the place of; and valid files for all."""

import gzip
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from conftest import PROJECT
from dpsampling.datasets import design
from hostile import corpus_arguments
from hostile.forks import Forks
from planted_designs import planted

SHORT = "--set splits=2 --set iterations=4 --set burn_in=2 --set epsilons=[1] --set logs=[iraq]"
PICTURE = "--set log=iraq --set iterations=4 --set burn_in=2"


SURVEYED = [f"2004-0{i % 4 + 1}-03,{'NS'[i % 2]},{('yes', 'no', 'n/a')[i % 3]},p{i % 17}\n" for i in range(60)]
PUBLIC = """\
title: Survey
public: {by: the registrar, on: 2024-05-31}
time: {column: When, format: '%Y-%m-%d', from: 2004-01, to: 2004-04}
region: {column: Ward, keep: [N, S, W]}
features: {answer: {column: answer, outcomes: ['yes', 'no']}}
"""


@dataclass(frozen=True)
class Reader:
    """A command line, the file of it that is exchanged, and the valid files or folders that it needs besides."""

    file: str
    line: str
    beside: tuple[str, ...] = ()
    private: bool = False  # the file holds somebody's rows, of which no text may be told

    @property
    def name(self) -> str:
        """The command and the file, as a test's name tells them."""
        return f"{' '.join(word for word in self.line.split()[:2] if '.' not in word)} {self.file}"

    @property
    def of_people(self) -> bool:
        """Whether it reads rows as they came, and not a table that this project or a curator made."""
        return self.file in ("survey.csv", "raw.csv", "more.csv")

    @property
    def arguments(self) -> list[str]:
        return self.line.split()


TABLE = ("t.csv", "t.provenance.json")
TREE = ("tree",)
GRAPH = ("profiles.csv", "edges.csv")
SOLVE = "profiles solve --profiles profiles.csv --edges edges.csv --epsilon 1 --out out.json"
RELEASE = "profiles release --mechanism solved.json --observations observed.csv --out out.csv"
SIMULATE = RELEASE.replace("release", "simulate --seed 1")
REPORT = "report --results tree --out out.html"
APPENDIX = "artifact page --main main.yaml --measured measured.json --out out.md"
SCHEMA = "--time dateoccurred --region region --category type --out out.yaml"
SHOW = "show fig5_2 --table t.csv --figure out.png --claims out.csv"
FIT = f"warlogs fit --counts counts.npz --epsilon 1 {SHORT} --out out.csv"
SCORED = f"table fig4_6 --counts counts.npz --scores inf.csv --scores one.csv {SHORT} --out out.csv"

READERS: dict[str, tuple[Reader, ...]] = {
    "YAML": (
        Reader("overlay.yaml", "config --config overlay.yaml --out out.yaml"),
        Reader("overlay.yaml", "table fig5_2 --config overlay.yaml --set scales=[1] --out out.csv"),
        Reader("overlay.yaml", "audit --config overlay.yaml --set no_such_thing=1 --out out.csv"),
        Reader("log.yaml", "warlogs simulate log.yaml --rows 0.001 --out out.csv"),
        Reader("log.yaml", "warlogs count log.yaml --raw raw.csv --out out.npz", ("raw.csv",)),
        Reader("tree/config.yaml", REPORT, TREE),
        Reader("main.yaml", APPENDIX, ("measured.json",)),
        Reader("public.yaml", corpus_arguments.TABLE, corpus_arguments.SURVEY),
    ),
    "CSV": (
        Reader("survey.csv", corpus_arguments.PROPORTION, private=True),
        Reader("survey.csv", corpus_arguments.TABLE, ("public.yaml",), private=True),
        Reader("survey.csv", corpus_arguments.HMM, ("public.yaml",), private=True),
        Reader("t.csv", "claims fig5_2 --table t.csv --out out.csv", TABLE[1:]),
        Reader("t.csv", "figure fig5_2 --table t.csv --out out.png", TABLE[1:]),
        Reader("tree/tables/fig5_2.csv", "perturb fig5_2 --results tree --out out.csv", TREE),
        Reader("tree/claims.csv", "summary tree", TREE),
        Reader("kernel.csv", "amplification kernel --kernel kernel.csv --epsilon 1 --out out.csv"),
        Reader("profiles.csv", SOLVE, GRAPH[1:]),
        Reader("edges.csv", SOLVE, GRAPH[:1]),
        Reader("observed.csv", RELEASE, ("solved.json",), private=True),
        Reader("observed.csv", SIMULATE, ("solved.json",), private=True),
        Reader("raw.csv", "warlogs count iraq --raw raw.csv --out out.npz", private=True),
        Reader("more.csv", "warlogs count iraq --raw raw.csv more.csv --out out.npz", ("raw.csv",), private=True),
        Reader("raw.csv", "warlogs count iraq --raw raw.csv --part --out out.npz", private=True),
        Reader("raw.csv", f"warlogs schema raw.csv {SCHEMA}"),  # a draft quotes the rows, and says that it does
        Reader("one.csv", SCORED, ("counts.npz", "inf.csv")),
        Reader("tree/claims.csv", REPORT, TREE),
        Reader("tree/errata.csv", REPORT, TREE),
        Reader("tree/ledger.csv", REPORT, TREE),
    ),
    "gzip": (
        Reader("raw.csv.gz", "warlogs count iraq --raw raw.csv.gz --out out.npz", private=True),
        Reader("raw.csv.gz", f"warlogs schema raw.csv.gz {SCHEMA}"),
    ),
    "npz": (
        Reader("part.npz", "warlogs count iraq --parts part.npz --out out.npz", private=True),
        Reader("part.npz", "warlogs count iraq --parts one.npz part.npz --out out.npz", ("one.npz",), private=True),
        Reader("counts.npz", FIT, private=True),
        Reader("counts.npz", f"table fig4_7 --counts counts.npz {PICTURE} --out out.csv", private=True),
        Reader("counts.npz", "warlogs model --counts counts.npz --states 1 --epsilon 1 --budget 9 --out out.json"),
        Reader("noisy.npz", "warlogs model --from noisy.npz --states 1 --out out.json"),
        Reader("design.npz", f"{corpus_arguments.LOGISTIC}", private=True),
        Reader("design.npz", f"{corpus_arguments.SWEEP} --out out.csv", private=True),
    ),
    "JSON": (
        Reader("solved.json", RELEASE, ("observed.csv",)),
        Reader("solved.json", SIMULATE, ("observed.csv",)),
        Reader("t.provenance.json", "claims fig5_2 --table t.csv --out out.csv", TABLE[:1]),
        Reader("t.provenance.json", SHOW, TABLE[:1]),
        Reader("tree/tables/fig5_2.provenance.json", "perturb fig5_2 --results tree --out out.csv", TREE),
        Reader("tree/tables/fig5_2.provenance.json", REPORT, TREE),
        Reader("tree/manifest.json", REPORT, TREE),
        Reader("tree/manifest.json", "verify tree", TREE),
        Reader("tree/manifest.json", "crate tree --out out.json", TREE),
        Reader("measured.json", APPENDIX, ("main.yaml",)),
        Reader("share/release.json", "explain share", ("share",)),
        Reader("share/release.json", "verify share", ("share",)),
        Reader("kept/release.json", "release hmm --from kept --states 1 --out out", ("kept",)),
        Reader("tree/benchmarks/table/fig5_2.jsonl", REPORT, TREE),
        Reader(
            "kept.ledger",
            "warlogs model --counts counts.npz --ledger kept.ledger --states 1 --epsilon 1 --budget 9 --out out.json",
            ("counts.npz",),
        ),
    ),
}


def make_valid(folder: Path, forks: Forks) -> None:
    """Every file that a reader reads, as the commands themselves write it."""

    def command(line: str) -> None:
        done = forks.run(line.split(), folder)
        assert done.code == 0, (line, done)

    command("table fig5_2 --set orders=[1.5,2] --set scales=[1] --out t.csv")
    command("claims fig5_2 --table t.csv --out claims.csv --errata errata.csv --ledger ledger.csv")
    command("figure fig5_2 --table t.csv --out t.png")
    command("warlogs simulate iraq --rows 0.002 --out raw.csv")
    command("warlogs count iraq --raw raw.csv --out counts.npz")
    command("warlogs count iraq --raw raw.csv --part --out one.npz")
    command("warlogs simulate iraq --rows 0.002 --seed 1 --out more.csv")
    command("warlogs count iraq --raw more.csv --part --out part.npz")
    for level, name in (("inf", "inf"), ("1", "one")):
        command(f"warlogs fit --counts counts.npz --epsilon {level} {SHORT} --out {name}.csv")
    model = "warlogs model --counts counts.npz --states 1 --epsilon 1 --budget 9"
    command(f"{model} --ledger kept.ledger --noisy noisy.npz --out model.json")
    write(folder / "profiles.csv", "profile,yes,no\na,0.1,0.9\nb,0.3,0.7\nc,0.5,0.5\n")
    write(folder / "edges.csv", "a,b\nb,c\n")
    write(folder / "observed.csv", "profile,observation\na,yes\nb,no\n")
    for name in ("main.yaml", "measured.json"):
        shutil.copy(PROJECT / "docs/artifact" / name, folder / name)
    write(folder / "kernel.csv", "0.5,0.5\n0.25,0.75\n")
    write(folder / "overlay.yaml", "seed: 11\nrun: [fig5_2, fig5_5]\nexperiments:\n  fig5_2: {orders: [1.5, 2]}\n")
    write(folder / "log.yaml", "like: iraq\ntitle: Elsewhere\ntime: {from: 2005-01, to: 2006-12, drop: [2005-03]}\n")
    write(folder / "survey.csv", "When,Ward,answer,person\n" + "".join(SURVEYED))
    write(folder / "public.yaml", PUBLIC)
    command(corpus_arguments.PROPORTION.replace("--out out", "--out share"))
    command(corpus_arguments.HMM.replace("--out out", "--out kept"))
    design.put(folder / "design.npz", planted("abalone"))
    command(SOLVE.replace("out.json", "solved.json"))
    command("config --config overlay.yaml --out config.yaml")
    without_seconds(folder / "t.provenance.json")
    (folder / "raw.csv.gz").write_bytes(gzip.compress((folder / "raw.csv").read_bytes(), mtime=0))
    make_tree(folder)


def make_tree(folder: Path) -> None:
    """A results tree of one experiment."""
    tree = folder / "tree"
    for name in ("tables", "figures", "benchmarks/table"):
        (tree / name).mkdir(parents=True)
    for name in ("claims.csv", "errata.csv", "ledger.csv", "config.yaml"):
        shutil.copy(folder / name, tree / name)
    shutil.copy(folder / "t.csv", tree / "tables/fig5_2.csv")
    shutil.copy(folder / "t.provenance.json", tree / "tables/fig5_2.provenance.json")
    shutil.copy(folder / "t.png", tree / "figures/fig5_2.png")
    write(tree / "benchmarks/table/fig5_2.jsonl", '{"s": 2.5, "max_rss": 120, "wildcards": {"id": "fig5_2"}}\n')
    write(tree / "manifest.json", '{"files": [], "tables": {}}\n')


def without_seconds(provenance: Path) -> None:
    """A provenance file that is the same each time, so that what is made of it by a seed is too."""
    told = json.loads(provenance.read_text(encoding="utf-8")) | {"seconds": 1.0}
    write(provenance, json.dumps(told, indent=2))


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
