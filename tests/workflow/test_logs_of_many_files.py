"""A log of several files in the workflow: a job reads each, and what changed in one of them is read again alone."""

import stat

from dpsampling.event_logs import counts
from logs_in_files import HEADER, MANY, ONE, SCHEMA, planted, rows

UNIT = "unit: {name: patient, column: Patient, most: 1}"
ASKED = ("--cores", "2", "--")


def test_a_log_of_several_files(project_copy):
    folder = project_copy.folder
    planted(folder, 3)
    project_copy.run(*ASKED, MANY, ONE)
    assert counts.load(folder / MANY).counts.tolist() == counts.load(folder / ONE).counts.tolist()
    assert counts.load(folder / MANY).origin == "file"
    made = folder / "private/counts"
    assert len(list(made.glob("ward-*.part.npz"))) == 3
    assert not list(made.glob("whole-*.part.npz"))
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in made.iterdir()} == {0o600}
    assert not [path for path in folder.glob("results/**/*") if "ward" in path.name]

    # What changed in one file is read again alone, and then what rests on it.
    with (folder / "rows/ward/it's [002].csv").open("a", encoding="utf-8") as stream:
        stream.write("p,2023-02-03,north,fall,1\n")
    jobs = ["counting the log ward", "reading rows/ward/it's [002].csv"]
    assert sorted(project_copy.planned(*ASKED, MANY)) == jobs
    before = counts.load(folder / MANY).counts
    project_copy.run(*ASKED, MANY)
    assert (counts.load(folder / MANY).counts - before).sum() == 2
    assert project_copy.planned(*ASKED, MANY) == []

    # So is a file more that the pattern matches, before the others, in a folder that nothing else tells of.
    (folder / "rows/ward/a.csv").write_text(HEADER + rows(60, 9), encoding="utf-8")
    assert sorted(project_copy.planned(*ASKED, MANY)) == ["counting the log ward", "reading rows/ward/a.csv"]
    project_copy.run(*ASKED, MANY)

    # A log that says who a row is about is read as a whole.
    (folder / "config/logs/ward.yaml").write_text(SCHEMA.replace("unit: row", UNIT), encoding="utf-8")
    project_copy.run(*ASKED, MANY)
    assert counts.load(folder / MANY).counts.sum() < before.sum()

    # And what cannot be meant is one sentence.
    (folder / "rows/ward/{more}.csv").write_text(HEADER, encoding="utf-8")
    refused = project_copy.run(*ASKED, MANY, check=False)
    assert refused.returncode
    assert "{more}.csv, which has braces or other signs that the workflow cannot take; rename" in refused.stdout
    assert "Traceback" not in refused.stdout


def test_a_log_of_a_hundred_files_is_a_hundred_jobs(project_copy):
    planted(project_copy.folder, 100)
    jobs = project_copy.planned(*ASKED, MANY)
    assert sum(job.startswith("reading rows/") for job in jobs) == 100
    assert len(jobs) == 101
