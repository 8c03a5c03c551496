"""Tables and JSON that were cut, shifted or made to hurt are refused by every reader, with the line."""

import gzip
import io
import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from dpsampling import files
from dpsampling.amplification import kernel_table
from dpsampling.datasets import descriptions
from dpsampling.errors import InputError
from dpsampling.files import documents, strict_csv, strict_json
from dpsampling.privacy import budget
from dpsampling.privacy.guarantee import Pure
from dpsampling.profiles import files as profile_files
from hostile_files import CSV_TEXTS, JSON_TEXTS, bomb, pipe
from refusals import of_call as refused
from reproduction import collect, provenance
from reproduction.inputs import dataset, scores
from reproduction.project import experiment
from reproduction.report import tree

READERS = {
    "results": files.read_table,
    "gathered": collect.text_table,
    "report": tree.read_rows,
    "errata page": lambda path: collect.errata_page(path, path.with_suffix(".md")),
    "gather": lambda path: collect.gather([path], path.with_name("all.csv")),
    "scores": scores._read,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", CSV_TEXTS)
def test_a_table_that_is_none_is_refused_by_every_reader(tmp_path, name, reader):
    content, why = CSV_TEXTS[name]
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    said = refused(READERS[reader], path)
    assert said.startswith(str(path))
    assert why in said
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_regular_file_is_refused_at_once(tmp_path, reader):
    for path in (pipe(tmp_path), Path("/dev/zero"), tmp_path):
        refused(READERS[reader], path)


def test_good_tables_read_as_before(tmp_path):
    table = pd.DataFrame({"a": [1.5, float("inf")], "b": ['x, "y"\nz', None]})
    files.write_table(tmp_path / "a.csv", table)
    pd.testing.assert_frame_equal(files.read_table(tmp_path / "a.csv"), table, check_dtype=False)
    assert tree.read_rows(tmp_path / "a.csv") == [{"a": "1.5", "b": 'x, "y"\nz'}, {"a": "inf", "b": ""}]
    (tmp_path / "b.csv").write_bytes(b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n")
    assert files.read_table(tmp_path / "b.csv").to_dict("list") == {"a": [1], "b": [2]}
    (tmp_path / "c.csv").write_text("a,b\n")
    assert files.read_table(tmp_path / "c.csv").empty


def test_a_half_cut_table_is_not_gathered_wherever_it_is_cut(tmp_path):
    whole = b'claim,"says, in words",error\nfirst,"one, two",0.125\nsecond,"three ""four""\nfive",0.5\n'
    path = tmp_path / "a.csv"
    for end in range(1, len(whole)):
        path.write_bytes(whole[:end])
        if whole[:end].endswith(b"\n") and whole[:end].count(b'"') % 2 == 0:
            continue  # whole rows
        refused(collect.gather, [path], tmp_path / "all.csv")
    path.write_bytes(whole)
    collect.gather([path], tmp_path / "all.csv")
    assert len(collect.text_table(tmp_path / "all.csv")) == 2


# -- data sets ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def flowers(tmp_path, monkeypatch):
    """A data set of two columns."""
    told = {"title": "flowers", "source": "here", "file": "a.csv", "columns": {"a": "number", "b": "number"}}
    (tmp_path / "flowers.yaml").write_text(yaml.safe_dump(told))
    monkeypatch.setattr(descriptions, "path_of", lambda name: tmp_path / f"{name}.yaml")
    return tmp_path / "a.csv"


@pytest.mark.parametrize("packed", [False, True])
# Others' tables need not end with a line.
@pytest.mark.parametrize("name", sorted(set(CSV_TEXTS) - {"cut within a number"}))
def test_so_is_a_data_set(flowers, name, packed):
    content, why = CSV_TEXTS[name]
    flowers.write_bytes(gzip.compress(content) if packed else content)
    assert why in refused(dataset.read, "flowers", flowers)


def test_a_data_set_may_be_of_several_gzip_members_and_end_without_a_line(flowers):
    flowers.write_bytes(gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4"))
    assert dataset.read("flowers", flowers).rows.to_dict("list") == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize("harm", [lambda data: data[:-9], lambda data: data + b"rubbish", lambda data: data[:12]])
def test_a_broken_gzip_data_set_is_refused(flowers, harm):
    flowers.write_bytes(harm(gzip.compress(b"a,b\n1,2\n" * 1000)))
    assert "broken or cut short" in refused(dataset.read, "flowers", flowers)


def test_a_data_set_that_unpacks_to_gigabytes_is_not_unpacked(flowers):
    assert "unpacks to more than 64 MB" in refused(dataset.read, "flowers", bomb(flowers, 3_000))


# -- kernels and profiles ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"0.5,0.5\n1\n", "1 numbers in row 2"),
        (b"0.5,0.5\n0.5,0.2,0.3\n", "3 numbers in row 2"),
        (b'0.5,"0.5\n', "not CSV"),
        (b"0.5,\x000.5\n", "a kernel's file has numbers"),
        (b"1" * 200_000 + b",0\n", "not CSV"),
        (b"\xff,1\n", "UTF-8"),
        (b"nan,1\n", "finite"),
        (b"1e999,0\n", "finite"),
        (b"", "is empty"),
    ],
)
def test_a_kernel_that_is_none_is_refused(tmp_path, content, why):
    (tmp_path / "k.csv").write_bytes(content)
    assert why in refused(kernel_table.read, tmp_path / "k.csv")


@pytest.mark.parametrize("content", [b'profile,a,b\nx,0.5,"0.5\n', b"profile,a,b\nx,\xff,1\n", b"p" * 5_000_000])
def test_profiles_that_are_none_are_refused(tmp_path, content):
    (tmp_path / "p.csv").write_bytes(content)
    (tmp_path / "e.csv").write_text("x,y\n")
    refused(profile_files.read_graph, tmp_path / "p.csv", tmp_path / "e.csv")


def test_standard_input_without_a_line_end_is_not_held_whole():
    with pytest.raises(InputError, match="a line of more than"):
        list(strict_csv.rows(io.StringIO("1" * (strict_csv.LONGEST + 1)), "standard input", "give lines"))


# -- JSON --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", JSON_TEXTS)
def test_hostile_json_is_no_provenance_no_mechanism_and_no_ledger(tmp_path, name):
    text = JSON_TEXTS[name]
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(ValueError, match=r"\w"):
        strict_json.loads(data)
    table, beside = tmp_path / "profile_costs.csv", tmp_path / "profile_costs.provenance.json"
    table.write_text("a\n1\n")
    beside.write_bytes(data)
    assert "is not a provenance file" in refused(provenance.read, table, experiment("profile_costs"))
    assert "is not JSON" in refused(profile_files.read_mechanism, beside)
    (tmp_path / "a.ledger").write_bytes(data + b"\n")
    assert "is damaged" in refused(budget.Budget.open, tmp_path / "a.ledger", Pure(1.0))
    assert tree._mapping(beside, strict_json.read) == {}
    (tmp_path / "tables").mkdir()
    beside.rename(tmp_path / "tables" / beside.name)
    assert "cannot be read" in refused(collect.manifest, tmp_path, ["profile_costs"], tmp_path / "manifest.json")


def ledger_with(tmp_path, **changes):
    """A ledger with right checksums and a line that nobody charged."""
    path = tmp_path / "a.ledger"
    budget.Budget.open(path, Pure(1.0))
    first = path.read_bytes()
    line = {"when": "now", "data": "d", "mechanism": "m", "count": 1, "epsilon": "1/2", **changes}
    line = {"relation": json.loads(first)["relation"]} | line
    path.write_bytes(first + budget._line(budget.hashlib.sha256(first), line))
    return path


def test_a_line_that_says_what_was_charged_is_read(tmp_path):
    assert budget.Budget.open(ledger_with(tmp_path), Pure(1.0)).account().spent == 0.5


@pytest.mark.parametrize(
    "changes",
    [
        *({"epsilon": epsilon} for epsilon in ("1e999999999", "1/0", "9" * 5000, None, ["1"], "nan", "-1")),
        *({"count": count} for count in (0, 10**30, 1.5, "1")),
        *({"orders": [2], "epsilons": [[1]]}, {"orders": ["nan"], "epsilons": [1]}, {"orders": 5, "epsilons": 5}),
        *({"orders": [], "epsilons": []}, {"orders": [2, 3], "epsilons": [1]}),
        *({"relation": []}, {"delta": "2"}, {"delta": {}}),
    ],
)
def test_a_line_that_nobody_charged_stops_a_ledger(tmp_path, changes):
    assert "is damaged" in refused(budget.Budget.open, ledger_with(tmp_path, **changes), Pure(1.0))


def test_a_ledger_is_a_regular_file_of_some_size(tmp_path):
    assert "is a pipe or a device" in refused(budget.Budget.open, pipe(tmp_path), Pure(1.0))
    with (tmp_path / "a.ledger").open("wb") as stream:
        stream.truncate(1 << 30)
    assert "more than 64 MB" in refused(budget.Budget.open, tmp_path / "a.ledger", Pure(1.0))


def test_other_ledgers_of_a_folder_are_looked_at_without_waiting(tmp_path):
    (tmp_path / "counts.npz").write_bytes(b"x")
    pipe(tmp_path).rename(tmp_path / "other.ledger")
    assert "is a pipe or a device" in refused(budget.ledger_of, tmp_path / "counts.npz")


def test_published_tables_are_read_as_strictly(tmp_path):
    for path in (documents.root() / "data" / "published").glob("*.csv"):
        assert not files.read_table(path).empty


SCORE = "wards,HMM,laplace,clip,1.0,0,predictive,3,-1.5\n"


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (SCORE * 2, "scores a chain twice"),
        (SCORE.replace("-1.5", "low"), "has words"),
        (SCORE.replace("-1.5", ""), "has empty cells"),
        (SCORE.replace(",0,", ",0.5,"), "has fractions"),
    ],
)
def test_scores_are_numbers_of_each_chain_once(tmp_path, rows, why):
    path = tmp_path / "s.csv"
    path.write_text(f"{','.join(scores.sweep.SCORE_COLUMNS)}\n{rows}")
    assert why in refused(scores._read, path)


def test_profiles_whose_mechanism_would_fill_the_memory_are_refused(tmp_path):
    header = ",".join(["profile", *(f"c{i}" for i in range(2000))])
    row = ",".join(["1", *["0"] * 1999])
    (tmp_path / "p.csv").write_text(f"{header}\na,{row}\nb,{row}\nc,{row}\n")
    (tmp_path / "e.csv").write_text("a,b\n")
    assert "at most 10000000" in refused(profile_files.read_graph, tmp_path / "p.csv", tmp_path / "e.csv")
