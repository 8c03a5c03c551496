"""Commands of the front door: one figure by make, and overlays that stop a run before it begins."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_one_figure_by_make_with_an_overlay(small):
    environment = Path(sys.prefix)
    if not (environment / ".ready").exists():
        pytest.skip("this Python is not the environment that `make` sets up")
    # -o: the environment is ready, whatever the copy's files' dates say
    make = ["make", "-o", f"{environment}/.ready", f"VENV={environment}", "CORES=2"]
    settings = {"cwd": small.folder, "env": small.environment, "capture_output": True, "text": True, "check": False}
    done = subprocess.run([*make, "figure", "ID=fig5_2", "CONFIG=overlay.yaml"], **settings)
    assert done.returncode == 0, done.stderr
    made = {str(p.relative_to(small.folder / "results")) for p in (small.folder / "results").rglob("fig5_*.*")}
    assert {"tables/fig5_2.csv", "figures/fig5_2.pdf", "figures/fig5_2.png", "claims/fig5_2.csv"} <= made
    assert not {name for name in made if "fig5_5" in name}

    again = subprocess.run([*make, "figure", "ID=fig5_2", "CONFIG=overlay.yaml"], **settings)
    assert "Nothing to be done" in again.stdout + again.stderr
    for arguments, words in (
        (["ID=fig5_22"], "did you mean 'fig5_2'"),
        ([], "name a figure"),
        (["ID=fig5_2", "CONFIG=no.yaml"], "no.yaml"),
    ):
        failed = subprocess.run([*make, "figure", *arguments], **settings)
        assert failed.returncode == 2
        assert words in failed.stderr
    for arguments, words in (([], "name a part"), (["PART=chapter55"], "there is no part 'chapter55'")):
        failed = subprocess.run([*make, "part", *arguments], **settings)
        assert failed.returncode == 2
        assert words in failed.stderr
    failed = subprocess.run([*make, "figure", "ID=fig5_2", "PROFILE=nowhere"], **settings)
    assert failed.returncode == 2
    assert "there is no profile 'nowhere'" in failed.stderr


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        ("seed: x\n", "seed is 'x'"),
        ("experiments: {fig5_5: {order: 1}}\n", "order is 1"),
        ("experimants: {}\n", "did you mean 'experiments'"),
        ("logs: {afganistan: x.csv}\n", "did you mean 'afghanistan'"),
        ("logs: {afghanistan: nowhere.csv}\n", "logs.afghanistan is nowhere.csv, which is no file"),
        ("experiments: {fig4_7: {log: mine.yaml}}\n", "put it into config/logs"),
    ],
)
def test_a_bad_overlay_stops_the_run_before_any_job(small, overlay, words):
    (small.folder / "bad.yaml").write_text(overlay, encoding="utf-8")
    done = small.run("--configfile", "bad.yaml", "--cores", "1", "--", "all", check=False)
    assert done.returncode == 2
    assert words in done.stdout
    assert "Traceback" not in done.stdout
    assert not (small.folder / "results").exists()
