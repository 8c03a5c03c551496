"""RO-Crate metadata of a results tree, checked entity by entity against what version 1.1 of the specification asks."""

import copy
import json

import pytest

import refusals
from dpsampling import files
from reproduction import collect, crate, project
from reproduction.citation import citation
from research_object import faults

ORIGIN = {
    "experiment": "fig5_2",
    "sha256": "b" * 64,
    "parameters": {"orders": [1.5, 2], "scales": [1]},
    "seed": 7,
    "dpsampling": "0.2.0",
    "code": {"commit": "c" * 40, "dirty": False},
    "python": "3.11.7",
    "packages": {"numpy": "2.4.6", "snakemake": None},
}


def described() -> dict:
    names = [*collect.listed(["fig5_2"]), collect.MANIFEST]
    return crate.described({name: (i, f"{i:064x}") for i, name in enumerate(names, 1)}, {"fig5_2": ORIGIN})


def test_the_metadata_is_what_the_specification_asks_for():
    metadata = described()
    assert faults(metadata) == []
    assert json.loads(files.json_text(metadata)) == metadata
    assert files.json_text(metadata) == files.json_text(described())


MAKE = "#make-fig5_2"
PLANTED = {
    "no descriptor tells of the root": lambda g: g.pop(0),
    "there is no root": lambda g: g.pop(1),
    "the root lacks license": lambda g: g[1].pop("license"),
    "the root has no date": lambda g: g[1].update(datePublished="soon"),
    "the parts of the root are not the files": lambda g: g[1]["hasPart"].pop(),
    "claims.csv has no checksum or no size": lambda g: named(g, "claims.csv").pop("sha256"),
    f"{MAKE} refers by instrument to what is not described": lambda g: named(g, MAKE).update(instrument={"@id": "#no"}),
    f"{MAKE} made nothing by nothing": lambda g: named(g, MAKE).pop("result"),
    "an entity has no name, or that of another": lambda g: g.append(dict(g[-1])),
    "./ refers by hasPart to what is not described": lambda g: g.remove(named(g, "claims.csv")),
}


def named(graph: list[dict], name: str) -> dict:
    return next(entity for entity in graph if entity["@id"] == name)


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_seen(fault):
    metadata = copy.deepcopy(described())
    PLANTED[fault](metadata["@graph"])
    assert fault in faults(metadata)


def test_an_experiment_is_an_action_with_its_code_its_parameters_and_its_files():
    graph = described()["@graph"]
    action = named(graph, MAKE)
    assert {each["@id"] for each in action["result"]} == {name for name in collect.listed(["fig5_2"]) if "/" in name}
    assert action["description"] == "dpsampling table fig5_2 --seed 7 --set='orders=[1.5, 2]' --set='scales=[1]'"
    code = named(graph, action["instrument"]["@id"])
    assert (code["softwareVersion"], code["version"]) == ("0.2.0", "c" * 40)
    assert {each["@id"] for each in code["softwareRequirements"]} == {"#Python-3.11.7", "#numpy-2.4.6"}
    assert json.loads(named(graph, action["object"]["@id"])["value"]) == {"seed": 7, "orders": [1.5, 2], "scales": [1]}
    assert project.experiment("fig5_2").title in named(graph, "tables/fig5_2.csv")["description"]


def test_it_is_cited_and_licensed_as_the_project_is_and_every_file_has_words_of_its_own():
    graph = described()["@graph"]
    root = named(graph, "./")
    assert root["datePublished"] == citation().released
    assert named(graph, root["license"]["@id"])["name"] == citation().licence == "BSD-3-Clause"
    assert len(root["citation"]) == len(citation().works) >= 4
    assert set(crate.WHOLE) == {*collect.GATHERED, collect.REPORT, collect.MANIFEST}
    assert {name.partition("/")[0] for name in collect.listed(["x"]) if "/" in name} == set(crate.OF_ONE)


def test_a_tree_that_is_not_what_its_manifest_says_is_not_described(tmp_path, capsys):
    listed = {"file": "claims.csv", "bytes": 1, "sha256": "0" * 64}
    (tmp_path / "manifest.json").write_text(json.dumps({"files": [listed], "tables": {}}), encoding="utf-8")
    said = refusals.of_command(capsys, "crate", str(tmp_path))
    assert "is not what its manifest says (claims.csv is missing)" in said
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_it_takes_no_file_of_the_tree_for_its_own(tmp_path, capsys):
    (tmp_path / "manifest.json").write_text('{"files": [], "tables": {}}', encoding="utf-8")
    assert "would replace" in refusals.of_command(capsys, "crate", str(tmp_path), "--out", f"{tmp_path}/manifest.json")
