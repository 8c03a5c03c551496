"""docs/peers.md: what it names exists, its numbers are the committed ones, and how they are made; nothing is timed."""

import importlib
import importlib.util
import json
import re
import sys

import pytest

from conftest import PROJECT
from dpsampling.privacy.gaussian_dp import GaussianDP

BENCHMARKS = PROJECT / "benchmarks"


@pytest.fixture(scope="module")
def scripts():
    """The scripts of benchmarks/, which is no package: they import one another."""
    names = ("peer_page", "peer_names", "peers", "peer_work", "peer_timings")
    before = {name: sys.modules.pop(name, None) for name in names}
    sys.path.insert(0, str(BENCHMARKS))
    yield {name: importlib.import_module(name) for name in names}
    sys.path.remove(str(BENCHMARKS))
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


@pytest.fixture(scope="module")
def page(scripts):
    return scripts["peer_page"].PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def record(scripts):
    return json.loads(scripts["peer_page"].RECORD.read_text(encoding="utf-8"))


# -- the page ----------------------------------------------------------------------------------------------------------


def test_the_tables_of_the_page_are_those_of_the_committed_files(scripts, page):
    """After a change: `python benchmarks/peer_page.py`."""
    assert scripts["peer_page"].renewed(page) == page


def test_a_changed_number_would_be_seen(scripts, page):
    number = re.search(r"\| ours: `gaussian_dp.compose` \| (.+?) \|", page)[1]
    assert scripts["peer_page"].renewed(page.replace(f"| {number} |", "| 0.1 µs |")) == page


def test_a_page_without_a_place_for_a_table_is_refused(scripts):
    with pytest.raises(ValueError, match="no place for versions"):
        scripts["peer_page"].renewed("# Nothing")


def ours(scripts):
    return [entry for row in scripts["peer_page"].rows() for entry in row["here"]]


def test_our_commands_are_commands(scripts):
    commands = [entry for entry in ours(scripts) if scripts["peer_page"].is_command(entry)]
    assert len(commands) >= 12
    for command in commands:
        _, *words = command.split()
        homes = (PROJECT / "src/dpsampling/cli/commands", PROJECT / "src/reproduction/commands")
        assert any(home.joinpath(*words).with_suffix(".py").is_file() for home in homes), command


def test_our_names_are_names(scripts):
    names = [entry for entry in ours(scripts) if "/" not in entry and " " not in entry]
    assert len(names) >= 45
    for name in names:
        assert resolved(name), name
    assert not resolved("dpsampling.numerics.exact.laws.Zipf")


def resolved(name: str) -> bool:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def test_the_links_of_the_page_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)(?:#([^)]*))?\)", page)
    assert len(links) > 50
    for path, anchor in links:
        file = (PROJECT / "docs" / path).resolve()
        assert file.is_file(), path
        if anchor:
            heads = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-") for head in heads]


def test_what_the_page_has_be_run_is_there(page):
    for script in set(re.findall(r"python (benchmarks/\w+\.py)", page)):
        assert (PROJECT / script).is_file(), script
    assert "benchmarks/peer_timings.py" in (PROJECT / "Makefile").read_text(encoding="utf-8")


# -- the record --------------------------------------------------------------------------------------------------------


def test_every_name_of_a_peer_was_found_in_the_versions_that_are_told(scripts, record):
    assert set(record["names"]) == set(scripts["peer_page"].peers_names())
    assert all(record["names"].values())
    packages = scripts["peer_timings"].PACKAGES
    assert {name: record["versions"][name] for name in packages} == packages
    assert {peer for subject in scripts["peer_page"].subjects() for peer in subject["among"]} == set(packages)


def test_a_capability_of_a_peer_that_is_not_among_the_subjects_would_be_lost(scripts):
    for subject in scripts["peer_page"].subjects():
        for row in subject["rows"]:
            assert set(row["peers"]) <= set(subject["among"]), row["what"]
            assert row["here"] or row["peers"], row["what"]


def test_the_record_holds_every_task_with_ours_first(scripts, record):
    work = scripts["peer_work"]
    assert [task["task"] for task in record["tasks"]] == list(work.TASKS)
    assert record["absent"] == []
    for task in record["tasks"]:
        assert {key: task[key] for key in ("title", "unit", "note", "alike")} == work.TASKS[task["task"]]._asdict()
        assert task["ways"][0]["package"] == "ours"
        assert task["ways"][0]["ratio"] == 1.0
        assert len({way["package"] for way in task["ways"]}) >= 2
        for way in task["ways"]:
            low, high = way["quartiles"]
            assert 0 < low <= way["ratio"] <= high


def test_the_record_tells_a_machine_and_not_which(record):
    assert set(record["machine"]) == {"processor", "processors", "used", "python", "load"}


def test_what_the_page_says_of_answers(record):
    """ComposeAFA answers below 0; ours are above the truth, and no peer's is far off."""
    ways = {(task["task"], way["call"]): way for task in record["tasks"] for way in task["ways"]}
    assert ways["laplace", "`ComposeAFA`"]["answer"] < 0.0
    for task in ("gaussian", "sigma"):
        off = [way["off"] for (name, _), way in ways.items() if name == task]
        assert 0.0 < off[0] < 1e-14
        assert max(map(abs, off)) < 1e-7


# -- how it is measured ------------------------------------------------------------------------------------------------


def test_the_truth_by_another_route(scripts):
    """δ(ε) of μ = 1 and of μ = 1/σ in ball arithmetic, a little to each side."""
    truths, delta = scripts["peer_work"].truths(), scripts["peer_work"].DELTA
    epsilon, sigma = float(truths["gaussian"]), float(truths["sigma"])
    assert GaussianDP(1.0).delta(epsilon * (1 + 1e-13)) < delta < GaussianDP(1.0).delta(epsilon * (1 - 1e-13))
    assert GaussianDP(1.0 / (sigma * (1 + 1e-13))).delta(1.0) < delta
    assert GaussianDP(1.0 / (sigma * (1 - 1e-13))).delta(1.0) > delta
    assert scripts["peer_work"].off(epsilon * (1 - 1e-12), truths["gaussian"]) == pytest.approx(-1e-12, rel=1e-3)


def test_every_task_of_ours_runs_and_answers(scripts):
    ways = scripts["peer_work"].ours()
    assert {way.task for way in ways} == set(scripts["peer_work"].TASKS)
    for way in ways:
        if way.task in ("gaussian", "renyi", "laplace", "pure", "sigma"):
            assert 4.0 < way.run() < 6.0


def test_ratios_are_of_the_same_round(scripts, monkeypatch):
    """A clock on which rounds are of very different speed: 1, 10 and 100 times as slow, and the second way thrice."""
    now, pace = [0.0], [1.0]

    def takes(seconds):
        def run():
            now[0] += seconds * pace[0]
            return 7

        return run

    def tick(ways=2, calls=[0]):  # noqa: B006  # counts
        calls[0] += 1
        if calls[0] > 2 * ways and (calls[0] - 2 * ways - 1) % (2 * ways) == 0:
            pace[0] *= 10.0
        return now[0]

    monkeypatch.setattr(scripts["peer_timings"].time, "perf_counter", tick)
    ways = [("ours", "a", takes(1.0), 1, True), ("theirs", "b", takes(6.0), 2, False)]
    first, second = scripts["peer_timings"].timed(ways, 3)
    assert (first["ratio"], first["answer"]) == (1.0, 7.0)
    assert (second["ratio"], second["quartiles"], second["answer"]) == (3.0, [3.0, 3.0], None)


def test_a_peer_that_is_absent_is_a_sentence(scripts):
    def missing():
        raise ImportError("No module named 'hmmlearn'")

    class Work:
        """One that is here and one that is not."""

        PEERS = {"hmmlearn": missing, "OpenDP": lambda: ["its way"]}  # noqa: RUF012
        quiet = staticmethod(scripts["peer_work"].quiet)
        ours = staticmethod(lambda: ["our way"])

    assert scripts["peer_timings"]._ways(Work) == (
        [("ours", "our way"), ("OpenDP", "its way")],
        ["hmmlearn 0.3.3 is left out, for it cannot be imported here (No module named 'hmmlearn')."],
    )


def test_without_an_environment_what_is_here_is_timed(scripts, monkeypatch, capsys, tmp_path, record):
    timings = scripts["peer_timings"]
    monkeypatch.setattr(timings.peers.shutil, "which", lambda name: None)
    monkeypatch.setattr(timings, "_child", lambda python, rounds: {**record, "rounds": rounds})
    assert timings.main(["--out", str(tmp_path), "--rounds", "2"]) == 0
    assert capsys.readouterr().out.startswith(
        "The peers' environment cannot be made: there is neither uv nor python3.11. What is installed here is timed."
    )
    assert json.loads((tmp_path / "peer_timings.json").read_text(encoding="utf-8"))["rounds"] == 2
    assert "Medians over 2 rounds" in (tmp_path / "peer_timings.md").read_text(encoding="utf-8")


def test_names_are_followed_through_files(scripts, tmp_path):
    """Definitions, assignments, imports from elsewhere; and what is not there is not found."""
    package = tmp_path / "planted"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("from planted.inner import Thing as Other\nfrom .inner import thing\nX = 1\n")
    (package / "inner" / "__init__.py").write_text("from ._made import Thing\ndef thing(): pass\n")
    (package / "inner" / "_made.py").write_text("class Thing:\n    def does(self): pass\n")
    places = [str(tmp_path)]
    found = scripts["peer_names"].found
    for name in ("planted", "planted.X", "planted.thing", "planted.inner.Thing.does", "planted.Other.does"):
        assert found(name, places), name
    for name in ("absent", "planted.Y", "planted.Thing", "planted.inner.Thing.undone", "planted.inner.absent.Thing"):
        assert not found(name, places), name


def test_where_a_peer_is_better_is_told_from_the_record(scripts):
    def way(package, ratio, answer=None):
        return {"package": package, "call": "f", "ratio": ratio, "quartiles": [ratio, ratio], "answer": answer}

    page = scripts["peer_page"]
    task = {"title": "A price", "alike": True, "ways": [way("ours", 1.0, 4.0), way("quick", 0.5, 3.0), way("slow", 2)]}
    assert page.faster({"tasks": [task]}) == "- A price: quick (f) 0.5"
    assert page.tighter({"tasks": [task]}) == ("- A price: quick (f) has 3.000000, the best of ours 4.000000")
    worse = {**task, "ways": [way("ours", 1.0, 4.0), way("looser", 0.1, 4.1), way("wrong", 0.1, -1.0)]}
    assert page.faster({"tasks": [worse]}) == "Nowhere."
    other = {**task, "alike": False, "ways": [way("ours", 1.0, 4.0), way("wrong", 0.1, -1.0)]}
    assert page.faster({"tasks": [other]}) == page.tighter({"tasks": [other]}) == "Nowhere."


def test_a_name_that_is_not_ours_is_refused(scripts):
    with pytest.raises(ValueError, match="no name of ours"):
        scripts["peer_page"].file_of("autodp.converter")


@pytest.mark.slow
def test_what_is_installed_here_is_timed(scripts, tmp_path):
    assert scripts["peer_timings"].main(["--here", "--rounds", "1", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "peer_timings.json").read_text(encoding="utf-8"))
    here = {way["package"] for task in found["tasks"] for way in task["ways"]}
    assert "ours" in here
    for name in scripts["peer_work"].PEERS:
        assert (name in here) != any(told.startswith(f"{name} ") for told in found["absent"])
