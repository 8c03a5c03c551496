"""`dpsampling release hmm`: the folder, its level, other models of the same counts, and what is refused."""

import csv
import json
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpsampling.cli import main
from dpsampling.errors import InputError
from dpsampling.release import contents, hmm, hmm_words

SCHEMA = """
title: Wards
public: {by: the register, on: 2024-05-31}
time: {column: when, format: "%Y-%m-%d", from: 2022-01, to: 2022-08}
region: {column: ward, keep: [north, "south, \\"old\\"", nobody]}
features:
  kind: {column: kind, outcomes: [check, fall, never]}
  hurt: {any_positive: [hurt], counts: {"1 (minor)": 1}}
"""
UNIT = ["--unit", "patient", "--id", "Patient", "--max-per-unit", "3"]
PAID = ["--schema", "wards.yaml", *UNIT, "--epsilon", "2", "--budget", "3", "--quantum", "0.05"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rows, their description, and a release."""
    folder = tmp_path_factory.mktemp("wards")
    chance = random.Random(3)
    with (folder / "wards.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["Patient", "when", "ward", "kind", "hurt"])
        for month in range(8):
            for ward in ("north", 'south, "old"'):
                for _ in range(60):
                    kind = chance.choices(["check", "fall"], weights=[9, 1] if month < 4 else [1, 9])[0]
                    day = f"2022-{month + 1:02d}-{chance.randint(1, 28):02d}"
                    rows.writerow([chance.randint(1, 400), day, ward, kind, chance.choice(["0", "1 (minor)"])])
    (folder / "wards.yaml").write_text(SCHEMA, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["release", "hmm", "wards.csv", *PAID, "--states", "2", "--out", "out"]) == 0
    return folder


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_folder_says_what_the_numbers_say(made):
    """Every table and picture is there; a ward without rows is one as any other."""
    out = made / "out"
    release, document, _ = contents.read(out)
    assert release.numbers.shape == (24, 6)  # `other` is an outcome too
    assert {path.name for path in out.iterdir()} == {
        "CARD.md", "card.json", "release.json", "noisy_counts.csv", "emissions.csv", "transitions.csv", "states.csv",
        "cells.csv", "emissions.png", "states.png", "transitions.png",
    }  # fmt: skip
    counts = read(out / "noisy_counts.csv")
    assert [int(row["count"]) for row in counts] == [int(k) for k in release.numbers.integers.ravel()]
    assert {row["region"] for row in counts} == {"north", 'south, "old"', "nobody"}
    shares = document["results"]["emissions"]
    assert np.all(np.array(shares["low"]) <= np.array(shares["mean"]))
    assert np.all(np.array(shares["mean"]) <= np.array(shares["high"]))
    for row in document["results"]["transitions"]["mean"]:
        assert sum(row) == pytest.approx(1.0, abs=1e-5)
    cells = read(out / "cells.csv")
    assert len(cells) == 24
    states = [[row["state"] for row in cells if row["region"] == "north"][part] for part in (slice(3), slice(5, 8))]
    assert not set(states[0]) & set(states[1])


def test_the_level_is_that_of_the_rate(made):
    """2Dm times the rate is ε to the last digit; each of these changes breaks it."""
    release, document, _ = contents.read(made / "out")
    assert Fraction(release.mechanism["rate"]) == Fraction(2, 2 * 2 * 3)
    assert hmm.promised(release).epsilon == release.guarantee.epsilon == 2.0
    assert not hmm.faults(release)
    for change in ({"features": 1}, {"name": "ops"}):
        document["mechanism"] = {**release.mechanism, **change}
        assert hmm.faults(contents.from_record(document, "it"))
    for rate in ("-1/6", "x", "1e-9"):
        document["mechanism"] = {**release.mechanism, "rate": rate}
        with pytest.raises(InputError, match="is no release"):
            contents.from_record(document, "it")


def test_results_are_computed_again(made):
    """All that is said follows from the numbers and the public bits."""
    release, document, _ = contents.read(made / "out")
    assert json.loads(json.dumps(hmm.results(release))) == document["results"]


def test_another_model_is_free(made, monkeypatch, capsys):
    """The ledger stays as it is; the folder says where its numbers are from; verify finds nothing."""
    monkeypatch.chdir(made)
    before = (made / "wards.csv.ledger").read_bytes()
    assert main(["release", "hmm", "--from", "out", "--states", "1"]) == 0
    assert main(["release", "hmm", "--from", "out", "--states", "best", "--up-to", "2", "--out", "best"]) == 0
    assert "costs nothing" in capsys.readouterr().out
    assert (made / "wards.csv.ledger").read_bytes() == before
    first, _, digest = contents.read(made / "out")
    for folder in (made / "out" / "states-1", made / "best"):
        release, _, _ = contents.read(folder)
        assert release.derived_from == digest
        assert release.budget.charged == 0.0
        assert (release.numbers.integers == first.numbers.integers).all()
    assert [row["states"] for row in read(made / "best" / "scores.csv")] == ["1", "2"]
    assert main(["verify", "best"]) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--states 2", "name a file of rows"),
        ("wards.csv --from out --states 2", "one of them"),
        ("--from out --states 2 --epsilon 1", "--epsilon is of no use with --from"),
        ("--from out --states 2 --budget 1", "--budget is of no use with --from"),
        ("--from out --states 2 --unit patient", "--unit is of no use with --from"),
        ("--from nowhere --states 2", "holds no release"),
        ("--from out", "--states is missing"),
        ("--from out --states 0", "whole number from 1 to 100"),
        ("--from out --states 2.5", "whole number from 1 to 100"),
        ("--from out --states nan", "whole number from 1 to 100"),
        ("--from out --states ٣", "whole number from 1 to 100"),
        ("--from out --states 1e400", "whole number from 1 to 100"),
        ("--from out --states 3 --up-to 4", "--up-to goes with --states best"),
        ("--from out --states best --up-to 101", "whole number from 1 to 100"),
        ("--from out --states 2 --level 1", "level is 1"),
        ("wards.csv --states 2 --unit patient --epsilon 1 --budget 3 --out new", "--schema is missing"),
        (
            "wards.csv --schema wards.yaml --states 2 --unit row --epsilon 1e-9 --budget 3 --quantum 0.05 --out new",
            "epsilon is 1e-09",
        ),
    ],
)
def test_refused_in_one_sentence(words, told, made, monkeypatch, capsys):
    """Nothing is written and nothing charged."""
    monkeypatch.chdir(made)
    before = (made / "wards.csv.ledger").read_bytes()
    assert main(["release", "hmm", *words.split()]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.rstrip().endswith(".")
    assert "Traceback" not in said
    assert (made / "wards.csv.ledger").read_bytes() == before
    assert not (made / "new").exists()


def test_it_says_when_series_disagree(made):
    """In the card, in plain words."""
    release, document, _ = contents.read(made / "out")
    chains = {"run": 4, "kept": 2, "draws": 500, "effective": 30.0, "r_hat": 1.5, "agree": False, "long_enough": False}
    told = " ".join(s.text for s in hmm_words.sentences(release, {**document["results"], "chains": chains}))
    assert "CAUTION: the series did not agree. 2 of 4" in told
    assert "are worth 30 independent ones" in told


def test_pictures_of_strange_sizes(tmp_path):
    """One region and two months, sixty outcomes with long names, forty regions, a hundred states."""
    for regions, months, outcomes, states in ((1, 2, 2, 1), (40, 30, 60, 3), (2, 3, 3, 100)):
        release = invented(regions, months, outcomes)
        told = invented_results(np.random.default_rng(1), regions, months, outcomes, states)
        for name, write in hmm.files(release, told).items():
            write(tmp_path / name)
            assert (tmp_path / name).stat().st_size > 0


def invented(regions: int, months: int, outcomes: int) -> contents.Release:
    """A release of nothing, with long names and a dollar in one of them."""
    from dpsampling.event_logs.schema import ROW
    from dpsampling.numerics.exact.fixed_point import FixedPoint
    from dpsampling.privacy.guarantee import Pure

    declared = {
        "by": ["nobody", "2024-01-01"],
        "regions": [f"the region of $ and of a name that does not end {r}" for r in range(regions)],
        "months": [f"{2001 + m // 12}-{m % 12 + 1:02d}" for m in range(months)],
        "features": [
            {"name": "f", "title": "What $it was", "outcomes": [f"{'an outcome ' * 6}{j}" for j in range(outcomes)]}
        ],
    }
    return contents.Release(
        kind="hmm", title="t", on="2024-01-02", unit=ROW, identified=False, declared=declared,
        mechanism={"name": "noisy counts", "rate": "1/2", "features": 1}, guarantee=Pure(1.0),
        budget=contents.Spent(1.0, 1.0, 0.0), numbers=FixedPoint(np.zeros((regions * months, outcomes), object), 0),
        settings={"level": 0.9, "states": 1}, chance=1, made_with={},
    )  # fmt: skip


def invented_results(rng: np.random.Generator, regions: int, months: int, outcomes: int, states: int) -> dict:
    """Results of the right form."""

    def summary(*shape: int) -> dict:
        mean = rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])
        return {"mean": mean.tolist(), "low": (0.9 * mean).tolist(), "high": np.minimum(1.1 * mean, 1.0).tolist()}

    shares = rng.dirichlet(np.ones(states), size=(regions, months))
    return {
        "states": states,
        "emissions": summary(states, outcomes),
        "transitions": summary(states, states),
        "start": summary(states),
        "dwell_months": summary(states),
        "events_a_month": summary(states),
        "cells_of_state": summary(states),
        "state_of_cell": (shares.argmax(axis=2) + 1).tolist(),
        "probability_of_state": shares.tolist(),
    }


def test_scores_of_which_none_is_the_best_make_words():
    """They cannot be computed again with other versions, so anything may stand there."""
    scores = [{"states": k, "score": 0.0, "below_best": gap, "error": 1.0} for k, gap in ((1, 2.0), (2, 1.0))]
    assert "The best has 2" in hmm_words._choice({"scores": scores, "states": 1}).text


def test_limits_are_said_to_be_the_models(made):
    """Of a share of 1% under wide noise they hold a third, measured: the model takes all shares to be as likely."""
    card = (made / "out" / "CARD.md").read_text(encoding="utf-8")
    assert "true figure is between them with a probability of 90%" in card
    assert "may miss the truth far more often" in card
    assert "in nine of ten releases" not in card
