"""Archives and logs that were made to hurt: one sentence, soon, and no more memory than a log takes."""

import gzip
import json
import resource
import zipfile

import numpy as np
import pytest

import refusals
from dpsampling.event_logs import counts, reader, release, schema
from hostile_files import JSON_TEXTS, bomb, npy, npz, patched, pipe
from refusals import of_call as refused

UNIT = {"name": "row", "most": 1}
PUBLIC = {"log": "wards", "title": "Wards", "origin": "file", "regions": ["n"], "months": ["2023-01", "2023-02"]}
FEATURES = {"features": ["kind"], "outcomes": [["fall", "other"]]}
COUNTS = {"kind": "counts", **PUBLIC, **FEATURES, "unit": UNIT}
FEW = "too few fields"
TALLY = {"sources": ["rows.csv"], "rows": 2, "reasons": {FEW: 1}, "first": {FEW: ["line", 3, "rows.csv"]}}
TALLY |= {"strangers": {}, "blanks": {}, "crowded": [], "bounded": {}}
ENTRIES = {"kind": "read", **PUBLIC, "unit": UNIT, "values": {"kind": ["fall"]}, "some": ["hurt"], "tally": TALLY}
NOISY = {"kind": "model", **PUBLIC, **FEATURES, "unit": UNIT, "epsilon": 1.0}
ONE = np.array([[[1, 2], [3, 4]]])
GOOD_COUNTS = {"counts": npy(ONE)}
ZEROS = np.zeros(1, np.int16)
GOOD_ENTRIES = {name: npy(ZEROS) for name in ("region", "month", "value_0", "some_0")} | {"times": npy(ZEROS + 1)}


def test_what_the_attempts_are_made_of_is_good(tmp_path):
    assert counts.load(npz(tmp_path / "a.npz", COUNTS, GOOD_COUNTS)).counts.tolist() == ONE.tolist()
    assert counts.load(npz(tmp_path / "a.npz", COUNTS, GOOD_COUNTS, packed=zipfile.ZIP_STORED)).log == "wards"
    assert reader.load(npz(tmp_path / "a.npz", ENTRIES, GOOD_ENTRIES)).some.keys() == {"hurt"}
    assert release.load(npz(tmp_path / "a.npz", NOISY, {"counts": npy(ONE[0])})).epsilon == 1.0


# -- the archive itself ------------------------------------------------------------------------------------------------

BROKEN = {
    "encrypted": lambda path: patched(patched(path, b"PK\3\4", 6, b"\1\0"), b"PK\1\2", 8, b"\1\0"),
    "packed in an unknown way": lambda path: patched(patched(path, b"PK\3\4", 8, b"\x63\0"), b"PK\1\2", 10, b"\x63\0"),
    "packed by another method": lambda path: patched(patched(path, b"PK\3\4", 8, b"\x0c\0"), b"PK\1\2", 10, b"\x0c\0"),
    "a directory of gigabytes": lambda path: patched(path, b"PK\5\6", 12, b"\xff\xff\xff\x7f"),
    "a directory elsewhere": lambda path: patched(path, b"PK\5\6", 16, b"\xff\xff\xff\x7f"),
    "sizes of gigabytes": lambda path: patched(path, b"PK\1\2", 24, b"\xff\xff\xff\x7f"),
    "sizes of nothing": lambda path: patched(path, b"PK\1\2", 24, b"\0\0\0\0"),
    "wrong checksums": lambda path: patched(path, b"PK\1\2", 16, b"\0\0\0\0"),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "more behind it": lambda path: path.write_bytes(path.read_bytes() + b"rubbish"),
    "nothing": lambda path: path.write_bytes(b""),
    "a few bytes": lambda path: path.write_bytes(b"PK"),
    "text": lambda path: path.write_bytes(b"a,b\n1,2\n" * 100),
    "a pickle": lambda path: path.write_bytes(b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93." * 5),
    "one array": lambda path: path.write_bytes(npy(ONE)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_archive_that_is_none_is_refused(tmp_path, name):
    path = npz(tmp_path / "a.npz", COUNTS, GOOD_COUNTS)
    BROKEN[name](path)
    assert "is damaged or something else; name a file that 'dpsampling warlogs count" in refused(counts.load, path)


MEMBERS = {
    "objects": npy(np.array([{}], dtype=object)),
    "a header that says objects": npy(ONE, descr="|O"),
    "complex": npy(ONE.astype(complex)),
    "text": npy(np.array([["a"]])),
    "dates": npy(np.array(["2024-01-01"], "M8[D]")),
    "fields": npy(np.zeros(1, [("a", int), ("b", int)])),
    "floats": npy(ONE.astype(float)),
    "not numbers": npy(ONE * np.nan),
    "other whole numbers": npy(ONE.astype(np.int32)),
    "the other byte order": npy(ONE.astype(">i8")),
    "negative": npy(-ONE),
    "enormous": npy(ONE * 2**60),
    "too few dimensions": npy(ONE[0]),
    "no dimensions": npy(np.array(1)),
    "nothing": npy(np.zeros((0, 2, 2), int)),
    "a shape of terabytes": npy(ONE, shape=(10**6, 10**6)),
    "a shape of nothing": npy(ONE, shape=(0, 10**15)),
    "a negative shape": npy(ONE, shape=(-2, -2)),
    "a shape of one value less": npy(ONE, shape=(1, 1, 3)),
    "a header that is code": npy(ONE, shape="__import__('os').abort()"),
    "a header of brackets": b"\x93NUMPY\1\0\x70\x17" + b"(" * 6000,
    "a header of signs": b"\x93NUMPY\1\0\x70\x17" + b"-" * 5999 + b"1",
    "a header of megabytes": b"\x93NUMPY\2\0\0\0\x80\0" + b" " * (1 << 23),
    "a header that is cut": b"\x93NUMPY\1\0\xff\xff{",
    "no header": b"",
    "no array": b"a,b\n",
}


@pytest.mark.parametrize("name", MEMBERS)
def test_an_array_of_another_kind_or_size_is_refused(tmp_path, name):
    path = npz(tmp_path / "a.npz", COUNTS, {"counts": MEMBERS[name]})
    assert str(path) in refused(counts.load, path)


@pytest.mark.parametrize("name", JSON_TEXTS)
def test_a_description_that_is_no_plain_json_is_refused(tmp_path, name):
    text = JSON_TEXTS[name]
    if isinstance(text, str) and not text.endswith("\0"):
        refused(counts.load, npz(tmp_path / "a.npz", text, GOOD_COUNTS))


def test_what_unpacks_to_gigabytes_is_not_unpacked(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("about.npy", npy(np.array(json.dumps(COUNTS))))
        with packed.open("counts.npy", "w") as member:
            member.write(npy(ONE, shape=(1, 2, 3 << 25)))
            for _ in range(600):
                member.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "is damaged" in refused(counts.load, path)
    patched(path, b"PK\1\2", 24, (1 << 20).to_bytes(4, "little"))  # a directory that lies
    assert "is damaged" in refused(counts.load, path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


def test_two_arrays_of_one_name_are_refused(tmp_path):
    path = npz(tmp_path / "a.npz", COUNTS, GOOD_COUNTS)
    with zipfile.ZipFile(path, "a") as packed, pytest.warns(UserWarning, match="Duplicate"):
        packed.writestr("counts.npy", npy(ONE))
    assert "is damaged" in refused(counts.load, path)


@pytest.mark.parametrize("load", [counts.load, reader.load, release.load])
def test_archives_are_regular_files(tmp_path, load):
    assert "is a pipe or a device" in refused(load, pipe(tmp_path))
    refused(load, tmp_path)


# -- what is in it -----------------------------------------------------------------------------------------------------

ABOUTS = {
    "no list": {"regions": 5},
    "a text for a list": {"regions": "n"},
    "numbers for names": {"regions": [1]},
    "lists for names": {"features": [["kind"]]},
    "a name twice": {"months": ["2023-01", "2023-01"]},
    "no title": {"title": None},
    "a list for a name": {"log": ["wards"]},
    "no outcomes": {"outcomes": [[]]},
    "outcomes of nothing": {"outcomes": []},
    "outcomes of another feature": {"outcomes": [["a"], ["b"]]},
    "no features": {"features": [], "outcomes": []},
    "nested outcomes": {"outcomes": [[["a"], ["b"]]]},
    "no unit": {"unit": None},
    "half a unit": {"unit": {"name": "row"}},
    "nobody's unit": {"unit": {"name": "row", "most": 0}},
    "a unit of text": {"unit": {"name": "row", "most": "1"}},
    "another kind": {"kind": "fit"},
    "a kind of lists": {"kind": []},
}


@pytest.mark.parametrize("name", ABOUTS)
@pytest.mark.parametrize(
    ("load", "about", "arrays"), [(counts.load, COUNTS, GOOD_COUNTS), (release.load, NOISY, {"counts": npy(ONE[0])})]
)
def test_a_description_of_something_else_is_refused(tmp_path, load, about, arrays, name):
    refused(load, npz(tmp_path / "a.npz", {**about, **ABOUTS[name]}, arrays))


@pytest.mark.parametrize("about", [[], "x", 5, None, {}])
def test_a_description_that_is_no_mapping_is_refused(tmp_path, about):
    refused(counts.load, npz(tmp_path / "a.npz", json.dumps(about), GOOD_COUNTS))


@pytest.mark.parametrize("epsilon", [0, -1, "nan", "inf", None, [1], "x"])
def test_noisy_counts_have_a_level(tmp_path, epsilon):
    refused(release.load, npz(tmp_path / "a.npz", {**NOISY, "epsilon": epsilon}, {"counts": npy(ONE[0])}))


WRONG_TALLIES = [
    {"rows": -1}, {"rows": 1.5}, {"rows": True}, {"rows": "2"}, {"sources": []}, {"sources": "x"}, {"reasons": {}},
    {"reasons": {"a whim": 1}}, {"reasons": []}, {"first": {}}, {"first": {FEW: ["line", -3, "x"]}},
    {"first": {FEW: ["line", 3]}}, {"strangers": {"x": "y"}}, {"crowded": [5]}, {"bounded": {"x": None}},
]  # fmt: skip
WRONG = [{"values": []}, {"values": {"kind": 5}}, {"values": {"kind": [["a"]]}}, {"some": 5}, {"some": ["a", "b"]}]


@pytest.mark.parametrize("changes", [*WRONG, *({"tally": {**TALLY, **changed}} for changed in WRONG_TALLIES)])
def test_entries_of_something_else_are_refused(tmp_path, changes):
    refused(reader.load, npz(tmp_path / "a.npz", {**ENTRIES, **changes}, GOOD_ENTRIES))


@pytest.mark.parametrize("name", ["times", "region", "month", "value_0", "some_0"])
@pytest.mark.parametrize("array", [ZEROS - 1, ZEROS + 9, ZEROS * 1.0, ZEROS[:, None], ZEROS[:0], ZEROS * 1j])
def test_codes_that_stand_for_nothing_are_refused(tmp_path, name, array):
    refused(reader.load, npz(tmp_path / "a.npz", ENTRIES, {**GOOD_ENTRIES, name: npy(array)}))


# -- logs --------------------------------------------------------------------------------------------------------------

WARDS = """\
title: Wards
public: {by: "the register", on: 2024-05-31}
unit: row
time: {column: when, format: "%Y-%m", from: 2023-01, to: 2023-12}
region: {column: ward, keep: [north, south]}
features:
  kind: {column: kind, outcomes: [fall, fever]}
"""
HEADER, ROW = b"when,ward,kind\n", b"2023-01,north,fall\n"


@pytest.fixture
def wards(tmp_path):
    """A log's schema and where its rows go."""
    (tmp_path / "wards.yaml").write_text(WARDS)
    return schema.load(str(tmp_path / "wards.yaml")), tmp_path / "rows.csv"


def test_gzip_members_one_after_the_other_are_one_log(wards):
    told, path = wards
    path.write_bytes(gzip.compress(HEADER + ROW) + gzip.compress(ROW) + gzip.compress(b"") + gzip.compress(ROW))
    assert reader.read(told, path)[1]["kept"] == 3


@pytest.mark.parametrize("harm", [lambda data: data[:-9], lambda data: data + b"rubbish", lambda data: data[:11]])
def test_a_broken_gzip_log_is_refused(wards, harm):
    told, path = wards
    path.write_bytes(harm(gzip.compress(HEADER + ROW * 10_000)))
    assert "broken or cut short" in refused(reader.read, told, path)


def test_a_log_of_gigabytes_in_a_few_megabytes_is_not_unpacked(wards):
    told, path = wards
    path.write_bytes(gzip.compress(HEADER + ROW * 10_000))
    reader.read(told, path)  # what DuckDB itself takes is not the log's
    bomb(path, 3_000)
    path.write_bytes(gzip.compress(HEADER + ROW) + path.read_bytes())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "unpacks to more than 100 times its size" in refused(reader.read, told, path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kB


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_without_end_is_refused(wards, packed):
    told, path = wards
    content = HEADER + b"2023-01,north," * 500_000
    path.write_bytes(gzip.compress(content) if packed else content)
    assert "has a line of more than" in refused(reader.read, told, path)


def test_long_fields_are_not_held_by_thousands(wards):
    told, path = wards
    with path.open("wb") as stream:
        stream.write(HEADER)
        for _ in range(300):
            stream.write(b"2023-01,north," + b"x" * 1_000_000 + b"\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert reader.read(told, path)[1]["kept"] == 300
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000  # kB


def test_a_row_that_looks_like_the_end_is_a_row(wards):
    told, path = wards
    path.write_bytes(HEADER + ROW * 100 + b"\x1eend of file\n" + ROW * 100)
    assert reader.read(told, path)[1]["rows"] == 201


@pytest.mark.parametrize("name", ["most_outside", "most_unread"])
@pytest.mark.parametrize("value", [".nan", ".inf", "-1", "[]", "2024-02-30"])
def test_a_share_is_a_number_from_0_to_1(tmp_path, name, value):
    (tmp_path / "wards.yaml").write_text(f"{WARDS}{name}: {value}\n")
    refused(schema.load, str(tmp_path / "wards.yaml"))


@pytest.mark.parametrize("encoding", ["undefined", "hex", "rot13", "a\\0b", "é", "\\udcff"])
def test_an_encoding_is_one_that_is_known(tmp_path, encoding):
    (tmp_path / "wards.yaml").write_text(f'{WARDS}encoding: "{encoding}"\n')
    refused(schema.load, str(tmp_path / "wards.yaml"))


def test_a_schema_of_more_cells_than_fit_into_memory_is_refused(tmp_path):
    text = WARDS.replace("from: 2023-01, to: 2023-12", "from: 0001-01, to: 9999-12")
    (tmp_path / "wards.yaml").write_text(text.replace("[north, south]", f"[{', '.join(f'w{i}' for i in range(100))}]"))
    assert "are more than 10000000 counts" in refused(schema.load, str(tmp_path / "wards.yaml"))


@pytest.mark.parametrize("file", ["a\\0b", "\\udcff", "/dev/zero", "/", "{pipe}"])
def test_the_rows_are_a_regular_file(wards, tmp_path, capsys, file):
    setting, out = f'file="{file.format(pipe=pipe(tmp_path))}"', tmp_path / "e.npz"
    command = ["warlogs", "count", str(tmp_path / "wards.yaml"), "--set", setting, "--out", str(out)]
    assert refusals.of_command(capsys, *command).startswith("dpsampling: ")
    assert not out.exists()
