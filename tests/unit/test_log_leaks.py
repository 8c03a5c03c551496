"""What reading an event log used to tell outside every guarantee: each attack is replayed, and finds nothing."""

import copy
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import stats

from dpsampling.cli import main
from dpsampling.errors import InputError
from dpsampling.event_logs import counts, features, mechanisms, pictures, reader, row_counts, schema, splits, sweep
from dpsampling.event_logs.chains import Model
from dpsampling.numerics.exact import bits

DOCUMENT = {
    "title": "Wards",
    "public": {"by": "the hospital's register", "on": "2024-05-31"},
    "unit": "row",
    "most_outside": 1,  # nothing is refused for what is in the rows
    "most_unread": 1,
    "time": {"column": "when", "format": "%Y-%m-%d", "from": "2024-01", "to": "2024-03"},
    "region": {"column": "ward", "keep": ["north", "south", "west"]},
    "features": {"kind": {"column": "kind", "outcomes": ["fall", "fever"]}, "hurt": {"any_positive": ["hurt"]}},
}
HEADER = "patient,when,ward,kind,hurt"
BASE = ["ann,2024-01-03,north,fall,1", "bob,2024-02-09,north,fever,0", "cat,2024-02-20,south,fall,0"]
PATIENTS = {"name": "patient", "column": "patient", "most": 2}


def parsed(**changes):
    return schema.parse({**copy.deepcopy(DOCUMENT), **changes}, "wards")


def written(folder, rows, name="rows.csv"):
    path = folder / name
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return path


def counted(told, path):
    return counts.count(features.extract(told, reader.read(told, path)[0])[0])


def saved(folder, document, name="wards.yaml"):
    (folder / name).write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return folder / name


def run(command):
    return main(["warlogs", *command.split()])


# -- whether anything is refused tells nothing of one row -------------------------------------------------------------

RECORDS = (
    "dan,2024-03-01,west,fever,3",  # the only row of its region and of its month
    "dan,2031-01-01,west,fall,0",
    "dan,never,west,fall,0",
    "dan,2024-01-01,atlantis,fall,0",
    "dan,2024-01-01,north,a rare disease,0",
    "dan,2024-01-01,north,fall,-1",
    "dan,2024-01-01,north,fall,several",
    "dan,2024-01-01",
    "dan,2024-01-01,north,fall,0,0,0",
    "",
)


@pytest.mark.parametrize("unit", ["row", PATIENTS])
@pytest.mark.parametrize("base", [BASE, BASE[:1], []], ids=["three rows", "one row", "no row"])
def test_no_record_decides_whether_a_log_is_refused(tmp_path, base, unit):
    """Attack: put one record in, take one out or replace it, and see whether the log can still be read.

    It told them apart: 'has no rows in region …; take it out', 'has rows in 1 of the months', 'has no rows'.
    """
    told = parsed(unit=unit)
    neighbours = [base, *([*base, record] for record in RECORDS)]
    for rest in (base[:i] + base[i + 1 :] for i in range(len(base))):
        neighbours += [rest, *([*rest, record] for record in RECORDS)]
    for rows in neighbours:
        found = counted(told, written(tmp_path, rows))
        assert found.counts.shape == (3, 3, 5)
        assert found.outcomes == (("fall", "fever", "other"), ("none", "some"))


def test_no_record_decides_whether_a_column_holds_categories(tmp_path, monkeypatch):
    """Attack: 'has more than 10000 different values' told whether one record has a value that no other has."""
    monkeypatch.setattr(reader, "VALUES_LIMIT", 3)
    rows = [f"p{i},2024-01-01,north,value {i},0" for i in range(3)] + ["ann,2024-02-01,south,fever,0"]
    found = [counted(parsed(), written(tmp_path, rows[:n] + rows[-1:])).counts for n in (2, 3)]
    assert np.abs(found[1] - found[0]).sum() == 2  # one outcome of either feature more
    assert found[1][1, 1].tolist() == [0, 1, 0, 1, 0]


ALONE = [mechanisms.NonPrivate(), mechanisms.NoisyCounts(2.0), mechanisms.OnePosteriorSample(2.0, 10.0)]
SEVERAL = [*ALONE, *(mechanisms.NoisyCounts(2.0, variant) for variant in mechanisms.VARIANTS[1:])]


@pytest.mark.parametrize("rows", [BASE, BASE[:1], []], ids=["an empty region", "an empty month", "an empty log"])
@pytest.mark.parametrize(("states", "mechanism"), [*((1, m) for m in ALONE), *((3, m) for m in SEVERAL)])
def test_zeros_are_modelled_like_any_other_count(tmp_path, rows, states, mechanism):
    log = counted(parsed(), written(tmp_path, rows))
    everything = np.ones(log.entries.shape, dtype=bool)
    model = Model(states, iterations=12, burn_in=8)
    found = sweep.run(log, everything, model, mechanism, np.random.default_rng(1), "x")
    assert np.isfinite(found.probabilities).all()
    picture = pictures.arranged(log, found.states, found.probabilities, released=pictures.released(mechanism))
    assert picture.usual.shape == (3, 3)
    assert len(pictures.assignments(log, picture.usual)) == 9


def test_a_region_of_zeros_is_split_fitted_and_scored(tmp_path):
    rows = [row for _ in range(20) for row in BASE]  # none in the west, none in March
    log = counted(parsed(), written(tmp_path, rows))
    assert (log.entries[2] == 0).all()
    trained = splits.draw(log, 4, 0.8, np.random.default_rng(3))
    params = {"alpha": 1.0, "beta": 1.0, "iterations": 12, "burn_in": 8, "states": 2, "multipliers": [10.0]}
    for epsilon in (np.inf, 1.0):
        scores = sweep.evaluate(sweep.fits(log, trained, epsilon, params, np.random.default_rng(4)))
        assert np.isfinite(scores["score"]).all()


# -- a draft is not public --------------------------------------------------------------------------------------------


def test_a_draft_that_nobody_edited_is_refused_by_every_command(tmp_path, capsys):
    """Attack: draft a schema from the rows, release by it, and read in it that a patient has the rare disease."""
    raw = written(tmp_path, [*BASE, "dan,2024-03-01,west,a rare disease,0"])
    draft = tmp_path / "draft.yaml"
    assert run(f"schema {raw} --time when --region ward --category kind --count hurt --out {draft}") == 0
    assert "a rare disease" in draft.read_text(encoding="utf-8")
    # A part by an honest schema, so that nothing but the draft can be what is refused.
    honest = saved(tmp_path, DOCUMENT)
    assert run(f"count {honest} --raw {raw} --part --out {tmp_path}/part.npz") == 0
    capsys.readouterr()
    silent = saved(tmp_path, {k: v for k, v in DOCUMENT.items() if k != "public"}, "silent.yaml")
    for path, why in ((draft, "its schema is a draft"), (silent, "public is not said")):
        ways = ("", f"--raw {raw}", f"--raw {raw} --part", f"--parts {tmp_path}/part.npz")
        for command in (*(f"count {path} {way}" for way in ways), f"simulate {path}"):
            ending = "csv" if command.startswith("simulate") else "npz"
            assert run(f"{command} --out {tmp_path}/x.{ending}") == 2
            said = capsys.readouterr().err
            assert why in said
            assert "declare who made it so and when" in said
            assert "rare" not in said
            assert not (tmp_path / f"x.{ending}").exists()
        with pytest.raises(InputError, match=why):
            counts.of_log(schema.load(str(path), {"file": str(raw)}), seed=1)


# -- a person is protected, not a row ---------------------------------------------------------------------------------


def test_a_person_of_many_rows_moves_the_counts_by_the_bound(tmp_path):
    """Attack: all forty rows of one patient are others; noise for one row does not hide that, and nobody said so."""
    others = [f"p{i},2024-0{1 + i % 3}-01,{('north', 'south')[i % 2]},fever,0" for i in range(30)]
    logs = [[*others, *[row] * 40] for row in ("dan,2024-01-03,west,fall,1", "dan,2024-02-03,north,fever,0")]
    rows = [counted(parsed(), written(tmp_path, log)) for log in logs]
    assert np.abs(rows[0].counts - rows[1].counts).sum() == 2 * 80  # what 'unit: row' leaves open, aloud
    assert rows[0].unit == schema.Unit("row", 1)
    for most in (1, 3):
        told = parsed(unit={**PATIENTS, "most": most})
        found = [counted(told, written(tmp_path, log)) for log in logs]
        assert np.abs(found[0].counts - found[1].counts).sum() == 2 * 2 * most  # two features
        assert found[0].unit == schema.Unit("patient", most)


def test_the_bound_travels_to_the_counts(tmp_path, capsys):
    raw, told = written(tmp_path, BASE), saved(tmp_path, {**DOCUMENT, "unit": PATIENTS})
    assert run(f"count {told} --raw {raw} --out {tmp_path}/c.npz") == 0
    assert counts.load(tmp_path / "c.npz").unit == schema.Unit("patient", 2)
    # Attack: read rows, none of them bounded, and count them as if they were.
    assert run(f"count {told} --set unit=row --raw {raw} --part --out {tmp_path}/part.npz") == 0
    capsys.readouterr()
    assert run(f"count {told} --parts {tmp_path}/part.npz --out {tmp_path}/x.npz") == 2
    assert "read by another schema" in capsys.readouterr().err
    assert not (tmp_path / "x.npz").exists()


def test_a_file_that_does_not_say_its_unit_is_refused(tmp_path):
    """Attack: counts that were made before anybody asked."""
    from dpsampling.event_logs import archive

    path = tmp_path / "counts.npz"
    counts.put(path, counted(parsed(), written(tmp_path, BASE)))
    about, arrays = archive.get(path, "counts")
    for unit in (None, {}, {"name": "patient"}, {"name": "patient", "most": 0}, {"name": "patient", "most": "3"}, 3):
        changed = {name: told for name, told in about.items() if name != "unit"} | ({"unit": unit} if unit else {})
        archive.put(path, "counts", changed, arrays)
        with pytest.raises(InputError, match="does not hold counts; make it again"):
            counts.load(path)


SUBSETS = 10  # pairs of 5 rows
LIMIT = float(stats.chi2.isf(1e-6, SUBSETS - 1))  # a fair draw fails once in a million runs


def statistic(draw, units=20_000):
    """χ² of which 2 of 5 rows stay, of many units at once whose rows lie mixed."""
    order = np.random.default_rng(5).permutation(np.repeat(np.arange(units), 5))
    rows = draw(order, 2)[np.argsort(order, kind="stable")].reshape(units, 5)
    assert (rows.sum(axis=1) == 2).all()
    _, found = np.unique(rows @ (1 << np.arange(5)), return_counts=True)
    found = np.concatenate([found, np.zeros(SUBSETS - found.size)])
    return float(((found - units / SUBSETS) ** 2).sum() / (units / SUBSETS))


def drawn(units, most):
    """Which rows stay, with fresh lots."""
    return row_counts.within(units, np.frombuffer(bits.fresh(8 * units.size), np.uint64), most)


def test_any_rows_of_a_unit_are_as_likely_as_any_other():
    assert statistic(drawn) < LIMIT


def test_the_first_rows_would_be_noticed():
    def first(units, most):
        rank = np.zeros(units.size, int)
        order = np.argsort(units, kind="stable")
        rank[order] = np.arange(units.size) - np.searchsorted(units[order], units[order])
        return rank < most

    assert statistic(first) > LIMIT


def test_lots_of_one_bit_would_be_noticed(monkeypatch):
    fresh = bits.fresh
    monkeypatch.setattr(bits, "fresh", lambda n: (np.frombuffer(fresh(n), np.uint64) % 2).tobytes())
    assert statistic(drawn) > LIMIT


def test_the_lots_are_the_operating_system_s(tmp_path, monkeypatch):
    """Attack: whoever can repeat the draw knows which rows are there. No row is drawn without fresh bits."""
    asked = []
    fresh = bits.fresh
    monkeypatch.setattr(bits, "fresh", lambda n: asked.append(n) or fresh(n))
    path = written(tmp_path, [f"dan,2024-01-03,north,{i},0" for i in range(30)])
    told = parsed(unit=PATIENTS)
    stay = {tuple(reader.read(told, path)[0].values["kind"][1].tolist()) for _ in range(20)}
    assert len(stay) > 1  # all the same: 435^-19
    assert asked == [8 * 30] * 20
    asked.clear()
    reader.read(parsed(), path)
    assert asked == []  # a log of rows can be repeated byte for byte


def test_what_stays_of_one_hangs_on_no_other(monkeypatch):
    monkeypatch.setattr(bits, "fresh", lambda n: np.random.default_rng(1).bytes(n))
    units = np.random.default_rng(2).integers(0, 40, 400)
    stay = drawn(units, 3)
    other = np.where(units == 7, 99, units)
    np.testing.assert_array_equal(drawn(other, 3), stay)
    other = np.where(units == 7, 8, units)  # 7's rows are now 8's
    rest = (units != 7) & (units != 8)
    np.testing.assert_array_equal(drawn(other, 3)[rest], stay[rest])


def everything(path):
    """A file's bytes, unpacked."""
    if path.suffix != ".npz":
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in sorted(archive.namelist()))


def test_identifiers_are_kept_nowhere_not_even_as_hashes(tmp_path, monkeypatch, capsys):
    """Attack: look for patients in all that is written. Other names for all of them change no byte of it."""
    monkeypatch.setattr(bits, "fresh", lambda n: np.random.default_rng(1).bytes(n))
    rng = np.random.default_rng(3)
    rows = [(int(i), f"2024-0{1 + i % 3}-02,{('north', 'south')[i % 2]},fall,{i % 4}") for i in rng.integers(0, 9, 60)]
    made = []
    for name in ("Ann{}", "longer-name-{}-999"):
        folder = tmp_path / name.format("")
        folder.mkdir()
        raw = written(folder, [f"{name.format(chr(97 + i))},{rest}" for i, rest in rows])
        told = saved(folder, {**DOCUMENT, "unit": PATIENTS})
        monkeypatch.chdir(folder)  # a log's entries say of which file they are
        outs = f"--out {folder}/c.npz --table {folder}/c.csv --report {folder}/c.json"
        assert run(f"count {told} --raw {raw.name} {outs}") == 0
        reader.put(folder / "e.npz", reader.read(schema.load(str(told)), Path(raw.name))[0])
        said = capsys.readouterr().err
        assert "drawn from those beyond 2 of one patient" in said
        made.append({path.name: everything(path) for path in folder.iterdir() if path != raw})
        for written_ in (*made[-1].values(), said.encode()):
            assert b"annc" not in written_.lower()
            assert b"-999" not in written_.replace(str(folder).encode(), b"")
    assert made[0] == made[1]
    with np.load(io.BytesIO((tmp_path / "Ann" / "e.npz").read_bytes())) as archive:
        assert set(archive.files) == {"about", "times", "region", "month", "value_0", "some_0"}


# -- rows that are left out are told ----------------------------------------------------------------------------------


def mixed(folder, strange, among=100):
    """A file with some times in another format, and some texts in a column of counts."""
    rows = [f"p{i},2024-0{1 + i % 3}-02,north,fall,{i % 2}" for i in range(among - strange)]
    return written(folder, [*rows, *(f"q{i},0{1 + i % 3}/25/2024,south,fever,1 (minor)" for i in range(strange))])


SAID = {
    "time": {**DOCUMENT["time"], "format": ["%Y-%m-%d", "%m/%d/%Y"]},
    "features": {**DOCUMENT["features"], "hurt": {"any_positive": ["hurt"], "counts": {"1 (Minor)": 1}}},
}
USUAL = {name: told for name, told in DOCUMENT.items() if not name.startswith("most_")}


def test_a_third_of_the_rows_is_not_dropped_without_a_word(tmp_path, capsys):
    """Attack on the curator: 30% of the dates are in another format, and one believes the counts."""
    raw, told = mixed(tmp_path, 30), saved(tmp_path, USUAL)
    assert run(f"count {told} --raw {raw} --out {tmp_path}/e.npz") == 2
    assert "30 of its 100 rows are not understood" in capsys.readouterr().err
    assert not (tmp_path / "e.npz").exists()
    told = saved(tmp_path, {**USUAL, "time": SAID["time"]})
    assert run(f"count {told} --raw {raw} --out {tmp_path}/e.npz") == 2
    assert "mostly for 'unparsable count' (30 rows, first at line 72); check the columns" in capsys.readouterr().err
    told = saved(tmp_path, {**USUAL, **SAID})
    assert run(f"count {told} --raw {raw} --out {tmp_path}/e.npz") == 0
    assert capsys.readouterr().err == ""
    found = counts.load(tmp_path / "e.npz")
    assert (found.entries.sum(), found.counts[..., -1].sum()) == (100, 35 + 30)


def test_a_few_rows_are_told_to_the_curator(tmp_path, capsys):
    raw, told = mixed(tmp_path, 2), saved(tmp_path, USUAL)
    assert run(f"count {told} --raw {raw} --out {tmp_path}/e.npz --report {tmp_path}/e.json") == 0
    said = capsys.readouterr().err
    assert "2 of its 100 rows are left out, 2 for 'unparsable time' (first at line 100)" in said
    assert "no part of a release" in said
    assert said.count("\n") == 1
    report = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))
    assert report["left out"] == {"unparsable time": {"rows": 2, "first line": 100}}
    assert "NOT private" in report["note"]
