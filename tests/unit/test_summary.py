"""What a whole run says when it ends."""

import csv

from reproduction.claims import COLUMNS, ERRATA_COLUMNS
from reproduction.report.summary import SHOWN, counts, gravest, summary


def claim(verdict, privacy=""):
    return {**dict.fromkeys(COLUMNS, ""), "verdict": verdict, "privacy": privacy}


def erratum(id, verdict="refuted", privacy="", source="thesis Figure 5.1", statement="ε is large enough"):
    told = {"id": id, "experiment": id.partition(".")[0], "verdict": verdict, "privacy": privacy}
    return {**dict.fromkeys(ERRATA_COLUMNS, ""), **told, "source": source, "statement": statement}


def written(path, columns, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


def test_each_verdict_is_counted_what_holds_first():
    rows = [claim("wrong"), claim("reproduced"), claim("untestable"), claim("reproduced"), claim("not indicated")]
    assert counts(rows) == "5 claims judged: 2 reproduced, 1 wrong, 1 not indicated, 1 untestable."
    assert counts(rows[:1]) == "1 claim judged: 1 wrong."
    assert counts([]) == "0 claims judged."


def test_the_gravest_errata_come_first_and_one_of_each_experiment():
    rows = [
        erratum("a.slip", "misprint"),
        erratum("a.false", "wrong"),
        erratum("b.numbers"),
        erratum("c.risk", "wrong", "over-stated", statement="noise " * 40),
        erratum("c.more", "refuted", "over-stated"),
    ]
    told = gravest(rows)
    assert told[0] == "5 claims of them fail, of which 2 promise more privacy than there is; the gravest:"
    assert [line.split()[0] for line in told[1:]] == ["c.risk", "a.false", "b.numbers"]
    assert len(told) == 1 + SHOWN
    assert told[1].endswith("noise …")
    assert all(len(line) < 200 for line in told)
    assert gravest(rows[:1])[0] == "1 claim of them fails; the gravest:"
    assert gravest([]) == []


def test_the_words_are_of_the_tree_and_name_its_report(tmp_path):
    written(tmp_path / "claims.csv", COLUMNS, [claim("reproduced"), claim("wrong", "over-stated")])
    written(tmp_path / "errata.csv", ERRATA_COLUMNS, [erratum("a.false", "wrong", "over-stated")])
    assert "report" not in summary(tmp_path)
    (tmp_path / "report.html").write_text("<p>", encoding="utf-8")
    lines = summary(tmp_path).splitlines()
    assert lines[0] == "2 claims judged: 1 reproduced, 1 wrong."
    assert lines[2] == "  a.false (thesis Figure 5.1, wrong): ε is large enough"
    assert lines[-1] == f"Open {tmp_path / 'report.html'} to see what each rests on."
    assert summary(tmp_path / "nowhere") == ""
