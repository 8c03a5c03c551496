"""Checksums beside results: `sha256sum` reads them, and what is not as it was made is refused, or removed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from dpsampling.cli import main

TABLE = "table fig5_2 --set orders=[2] --set scales=[1] --out results/tables/t.csv --sums results/sums/tables/t.sha256"
COLLECT = "collect fig5_2 --results results --effective {}"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A folder with results of one command."""
    monkeypatch.chdir(tmp_path)
    assert main(TABLE.split()) == 0
    return tmp_path / "results"


def names(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_every_file_that_a_command_writes_is_listed(tree):
    listed = (tree / "sums/tables/t.sha256").read_text(encoding="utf-8").splitlines()
    assert {line.partition("  ")[2] for line in listed} == {"results/tables/t.csv", "results/tables/t.provenance.json"}
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--strict", "results/sums/tables/t.sha256"], check=True)


@pytest.mark.parametrize("name", ["tables/t.csv", "tables/t.provenance.json", "sums/tables/t.sha256"])
def test_what_was_edited_or_emptied_is_refused_and_removed(tree, name, capsys):
    whole = names(tree)
    (tree / name).write_text("", encoding="utf-8")
    assert main(COLLECT.split()) == 2
    told = f"dpsampling: results/{name} is not what was made; "
    assert capsys.readouterr().err == f"{told}run again, and it is made again.\n"
    assert names(tree) == whole
    assert main(["verify", "--discard", "results"]) == 0
    assert capsys.readouterr().err == f"{told}it is made again.\n"
    assert names(tree) == whole - {name, "sums/tables/t.sha256"}


def test_what_is_whole_or_gone_is_no_fault(tree, capsys):
    assert main(["verify", "--discard", "results"]) == 0
    (tree / "tables/t.csv").unlink()
    assert main(["verify", "--discard", "results"]) == 0
    assert capsys.readouterr().err == ""
    assert "sums/tables/t.sha256" in names(tree)


@pytest.mark.parametrize("name", ["{}/precious", "results/../precious", "precious", "results/link/precious"])
def test_nothing_outside_the_tree_is_removed(tree, name, capsys):
    """Attack: a tree of somebody else, whose list names a file of mine with another checksum."""
    precious = Path("precious")
    precious.write_text("mine", encoding="utf-8")
    (tree / "link").symlink_to("..")
    (tree / "sums/evil.sha256").write_text(f"{'0' * 64}  {name.format(precious.parent.resolve())}\n", encoding="utf-8")
    main(["verify", "--discard", "results"])
    assert precious.exists()
    assert capsys.readouterr().err.count("\n") <= 1


def test_what_is_made_of_rows_in_private_is_discarded_with_the_results(tree, capsys):
    """Or a run ends at what it refuses to gather, and says for ever that it is made again."""
    shutil.copytree(tree, "private")
    listed = Path("private/sums/tables/t.sha256")
    listed.write_text(listed.read_text(encoding="utf-8").replace("results/", "private/"), encoding="utf-8")
    Path("private/tables/t.csv").write_text("", encoding="utf-8")
    assert main(COLLECT.split()) == 2
    assert "private/tables/t.csv is not what was made" in capsys.readouterr().err
    assert main(["verify", "--discard", "results"]) == 0
    assert not Path("private/tables/t.csv").exists()
    assert (tree / "tables/t.csv").exists()


@pytest.mark.parametrize("absent", ["glm_error", "glm_error:no_such_thing", "a:b:c"])
def test_what_is_absent_is_known_before_anything_is_gathered(tree, absent, capsys):
    shown = "show fig5_2 --table results/tables/t.csv --figure results/figures/fig5_2.png"
    parts = [f"--{kind}=results/{kind}/fig5_2.csv" for kind in ("claims", "errata", "ledger")]
    assert main([*shown.split(), *parts]) == 0
    before = names(tree)
    assert main([*COLLECT.split(), "--absent", absent]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert names(tree) == before
