"""Files appear whole or not at all, and depend on their content alone."""

import os
import stat
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from dpsampling import files
from dpsampling.errors import InputError
from dpsampling.files import atomic_path, read_table, write_json, write_table, write_text


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_written_file_stands_alone_under_its_name(tmp_path):
    write_text(tmp_path / "new" / "folder" / "a.txt", "ρ\n")
    assert (tmp_path / "new" / "folder" / "a.txt").read_bytes() == "ρ\n".encode()
    assert names(tmp_path / "new" / "folder") == ["a.txt"]


@pytest.mark.parametrize("old", [None, "old"])
@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_writer_that_raises_leaves_the_old_file_and_no_litter(tmp_path, old, failure):
    target = tmp_path / "a.csv"
    if old:
        target.write_text(old)

    def write_half():
        with atomic_path(target) as partial:
            partial.write_text("half")
            raise failure

    with pytest.raises(failure):
        write_half()
    assert names(tmp_path) == (["a.csv"] if old else [])
    assert not old or target.read_text() == old


def test_nothing_carries_the_targets_name_before_the_block_ends(tmp_path):
    with atomic_path(tmp_path / "a.svg") as partial:
        partial.write_text("x")
        assert partial.parent == tmp_path
        assert partial.suffix == ".svg"  # writers read the format from it
        assert not (tmp_path / "a.svg").exists()
    assert names(tmp_path) == ["a.svg"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_permissions_follow_the_umask_which_is_left_as_it_was(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_text(tmp_path / "a.txt", "x")
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == mode


def test_newlines_are_plain_in_text_json_and_tables(tmp_path):
    write_text(tmp_path / "a.txt", "one\ntwo\n")
    write_json(tmp_path / "a.json", {"λ": [2, 15]})
    write_table(tmp_path / "a.csv", pd.DataFrame({"order": [2.0], "epsilon": [0.1]}))
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert content.endswith(b"\n")
        assert b"\r" not in content
    assert "λ" in (tmp_path / "a.json").read_text(encoding="utf-8")


def test_table_reads_back_to_the_same_floats(tmp_path):
    rng = np.random.default_rng(3)
    mantissas = rng.uniform(1, 10, 5000)
    values = np.concatenate([mantissas * 10.0 ** rng.integers(-300, 300, 5000), [0.1, 1 / 3, 5e-324, np.inf, -np.inf]])
    write_table(tmp_path / "a.csv", pd.DataFrame({"value": values}))
    assert np.array_equal(read_table(tmp_path / "a.csv")["value"].to_numpy(), values)


def test_table_has_inf_for_infinity_and_nothing_for_none_and_the_same_bytes_again(tmp_path):
    write_table(tmp_path / "a.csv", pd.DataFrame({"a": [np.inf, np.nan], "b": ["x", None]}))
    assert (tmp_path / "a.csv").read_text() == "a,b\ninf,x\n,\n"
    for name in ("a.csv", "b.csv"):
        write_table(tmp_path / name, pd.DataFrame({"x": np.random.default_rng(1).random(50)}))
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_folder_cannot_be_written_as_a_file_nor_hold_one_in_a_file(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(InputError, match=r"a is a folder; name a file\.$"):
        write_text(tmp_path / "a", "x")
    assert names(tmp_path) == ["a"]
    (tmp_path / "b").write_text("x")
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "b" / "b.txt", "x")


def test_a_missing_or_empty_table_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match=r"gone\.csv does not exist"):
        read_table(tmp_path / "gone.csv")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InputError, match=r"empty\.csv is not a CSV table"):
        read_table(tmp_path / "empty.csv")


def test_an_error_of_the_writer_is_not_blamed_on_the_target(tmp_path):
    (tmp_path / "folder").mkdir()

    def read_a_folder():
        with atomic_path(tmp_path / "a.txt"):
            (tmp_path / "folder").read_bytes()

    with pytest.raises(IsADirectoryError):
        read_a_folder()


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path):
    target = tmp_path / "t.csv"
    code = (
        "import os, sys; from pathlib import Path; from dpsampling import files\n"
        "with files.staged(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(target)], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    with files.staged(target) as (mine,):
        assert list(tmp_path.iterdir()) == [mine]
        with files.staged(target) as (other,):
            assert set(tmp_path.iterdir()) == {mine, other}
            other.write_text("a")
        mine.write_text("b")
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_a_writer_that_was_killed_and_is_not_buried_yet_is_no_living_one():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert files.runs(child.pid)
    child.kill()
    deadline = time.monotonic() + 10
    while files.runs(child.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not files.runs(child.pid)
    child.wait()
    child.stdin.close()
