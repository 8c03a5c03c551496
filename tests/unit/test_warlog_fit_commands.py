"""`dpsampling warlogs`, from simulated rows to scores and to a private model, as one would type it."""

import json

import numpy as np
import pandas as pd
import pytest

from dpsampling.cli import main

MODEL = "model --counts {f}/counts.npz --epsilon 1 --budget 1"
SHORT = "--set splits=3 --set share=0.2 --set iterations=12 --set burn_in=8"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Every file of the chain, by its commands."""
    folder = tmp_path_factory.mktemp("log")
    for command in (
        "simulate afghanistan --rows 0.02 --seed 5 --out {}/raw.csv",
        "count afghanistan --raw {}/raw.csv --part --out {}/part.npz",
        "count afghanistan --raw {}/raw.csv --origin simulated --out {}/counts.npz",
        f"fit --counts {{}}/counts.npz --epsilon 2 {SHORT} --seed 5 --out {{}}/scores.csv",
    ):
        assert main(["warlogs", *command.replace("{}", str(folder)).split()]) == 0
    return folder


def test_scores_have_every_model_mechanism_and_split(folder):
    scores = pd.read_csv(folder / "scores.csv")
    assert set(zip(scores["model"], scores["mechanism"], scores["variant"], strict=True)) == {
        ("naive Bayes", "laplace", "clip"),
        ("HMM", "laplace", "clip"),
        ("HMM", "laplace", "sum-then-clip"),
        *((model, "ops", f"M={m}") for model in ("naive Bayes", "HMM") for m in (10, 100)),
    }
    assert (scores.groupby(["model", "mechanism", "variant", "definition"])["split"].nunique() == 3).all()
    assert (scores["epsilon"] == 2.0).all()
    assert (scores["score"] < 0.0).all()


def test_the_same_seed_gives_the_same_fits(folder, tmp_path, capsys):
    command = f"fit --counts {folder}/counts.npz --epsilon 2.0 {SHORT} --seed 5 --out {tmp_path}/scores.csv"
    assert main(["warlogs", *command.split()]) == 0
    assert (tmp_path / "scores.csv").read_bytes() == (folder / "scores.csv").read_bytes()
    assert "HMM, laplace (sum-then-clip): " in capsys.readouterr().out  # as each mechanism is done


@pytest.mark.parametrize("mechanism", ["clip", "sum-then-clip", "noise-aware", "ops"])
def test_a_private_model_carries_its_guarantee(folder, tmp_path, mechanism, capsys):
    out = tmp_path / "model.json"
    arguments = (
        f"model --counts {folder}/counts.npz --mechanism {mechanism} --epsilon 2 --budget 1600 --ledger {tmp_path}/log"
        f" --states 3 --out {out}"
    )
    assert main(["warlogs", *arguments.split()]) == 0
    told = json.loads(out.read_text(encoding="utf-8"))
    certain = 800.0 if mechanism == "ops" else 2.0
    assert told["guarantee"]["epsilon"] == told["charged"] == told["budget"]["spent"] == certain
    assert told["guarantee"]["unit"] == {"name": "row", "most": 1}
    assert f"{certain:g}-DP (replace one record); neighbours: replace one row" in capsys.readouterr().out
    assert set(told["states"]) == {"1", "2", "3"}
    assert all(abs(sum(outcomes.values()) - 1.0) < 1e-9 for s in told["states"].values() for outcomes in s.values())
    assert len(told["assignments"]) == 5
    assert all(len(months) == 72 for months in told["assignments"].values())
    first = out.read_bytes()
    assert main(["warlogs", *arguments.split()]) == 0
    assert out.read_bytes() != first  # the noise is new every time
    assert (tmp_path / "model.noisy.npz").exists() == (mechanism != "ops")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("fit --counts {f}/no.npz --epsilon 1 --out {t}/x.csv", "no.npz does not exist"),
        ("fit --counts {f}/raw.csv --epsilon 1 --out {t}/x.csv", "raw.csv is damaged or something else"),
        ("fit --counts {f}/part.npz --epsilon 1 --out {t}/x.csv", "was written by 'dpsampling warlogs "),
        ("fit --counts {f}/counts.npz --epsilon 0 --out {t}/x.csv", "--epsilon is 0"),
        ("fit --counts {f}/counts.npz --epsilon two --out {t}/x.csv", "--epsilon is two"),
        ("fit --counts {f}/counts.npz --epsilon 1 --set splits=0 --out {t}/x.csv", "splits is 0"),
        ("fit --counts {f}/counts.npz --epsilon 1 --set share=1 --out {t}/x.csv", "share is 1"),
        ("fit --counts {f}/counts.npz --epsilon 1 --set burn_in=500 --out {t}/x.csv", "is 500"),
        ("fit --counts {f}/counts.npz --epsilon 1 --set stetas=3 --out {t}/x.csv", "'states'"),
        ("model --counts {f}/counts.npz --epsilon inf --budget 1 --out {t}/x.json", "--epsilon is inf"),
        ("model --counts {f}/counts.npz --epsilon 1 --budget inf --out {t}/x.json", "--budget is inf"),
        ("model --counts {f}/counts.npz --budget 1 --out {t}/x.json", "--epsilon is missing"),
        ("model --counts {f}/counts.npz --epsilon 1 --out {t}/x.json", "--budget is missing"),
        ("model --counts {f}/counts.npz --epsilon 1 --budget 1 --states 0 --out {t}/x.json", "states is 0"),
        ("model --counts {f}/counts.npz --epsilon 1 --budget 1 --seed 3 --out {t}/x.json", "a release has no seed"),
        (f"{MODEL} --mechanism ops --multiplier 1 --out {{t}}/x.json", "plier is 1"),
        (f"{MODEL} --mechanism ops --noisy {{t}}/x.npz --out {{t}}/x.json", "OPS has no noisy counts"),
        ("model --from {f}/counts.npz --epsilon 1 --out {t}/x.json", "leave out --epsilon"),
        ("model --from {f}/counts.npz --mechanism ops --out {t}/x.json", "from true counts"),
        ("model --from {f}/counts.npz --out {t}/x.json", "was written by 'dpsampling warlogs count"),
        (f"{MODEL} --states 1 --mechanism noise-aware --out {{t}}/x.json", "one state has no variant 'noise-aware'"),
        ("model --counts {f}/counts.npz --epsilon 1 --budget 1 --out {t}/no/x.csv", "has another ending"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(folder, tmp_path, command, words, capsys):
    assert main(["warlogs", *command.format(f=folder, t=tmp_path).split()]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_part_whose_codes_mean_nothing(folder, tmp_path, capsys):
    for change in (lambda a: a + 9, lambda a: a.astype(float), lambda a: a[:-1], lambda a: -a - 1):
        with np.load(folder / "part.npz") as archive:
            arrays = {name: archive[name] for name in archive.files}
        arrays["region"] = change(arrays["region"])
        np.savez(tmp_path / "broken.npz", **arrays)
        command = f"count afghanistan --parts {tmp_path}/broken.npz --out {tmp_path}/x.npz --report {tmp_path}/r.json"
        assert main(["warlogs", *command.split()]) == 2
        assert "does not hold entries" in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["broken.npz"]


def test_noise_too_wide_to_model_is_refused(folder, tmp_path, capsys):
    command = f"model --counts {folder}/counts.npz --epsilon 1e-9 --budget 1 --out {tmp_path}/x.json"
    assert main(["warlogs", *command.split()]) == 2
    assert "epsilon is 1e-09" in capsys.readouterr().err
    command = command.replace("1e-9", "1e-300 --mechanism clip")
    assert main(["warlogs", *command.split()]) == 2
    assert "leaves nothing of any count" in capsys.readouterr().err
    assert not list(folder.glob("*.ledger"))  # what cannot be made is not charged


def test_tables_refuse_counts_that_they_do_not_ask_for(folder, tmp_path, capsys):
    out = tmp_path / "x.csv"
    assert main(["table", "fig4_3", "--counts", f"{folder}/counts.npz", "--out", str(out)]) == 2
    assert "counts of 'afghanistan' are given" in capsys.readouterr().err
    assert main(["table", "fig5_3", "--counts", f"{folder}/counts.npz", "--out", str(out)]) == 2
    assert "reads no event log" in capsys.readouterr().err
    assert main(["table", "states_used", "--scores", f"{folder}/scores.csv", "--out", str(out)]) == 2
    assert capsys.readouterr().err
    assert not out.exists()
