"""Event logs in the workflow: what is fitted anew where something changed, and the same bytes without it."""

from conftest import PAGE, QUICK, edit

LOGS = """
seed: 3
run: [fig4_6, fig4_7]
audit: {draws: 2000, orders: [2], epsilons: [1], mechanisms: [diffused, secret-sample]}
experiments:
  fig4_6: {rows: 0.02, logs: [iraq], epsilons: [1, 5], splits: 2, iterations: 12, burn_in: 8}
  fig4_7: {log: iraq, states: 2, rows: 0.02, iterations: 12, burn_in: 8}
"""


def test_event_logs_are_fitted_anew_only_where_something_changed(project_copy):
    (project_copy.folder / "overlay.yaml").write_text(LOGS, encoding="utf-8")
    project_copy.run(*QUICK, "all")
    one = project_copy.results(["fig4_6", "fig4_7"])
    made = project_copy.folder / "results/quick"
    assert [p.name for p in (made / "counts").iterdir()] == ["iraq-0.02.npz"]
    assert {p.name for p in (made / "fits/fig4_6/iraq-0.02").iterdir()} == {"inf.csv", "1.0.csv", "5.0.csv"}
    assert project_copy.planned(*QUICK, "all") == []

    edit(project_copy.folder / "overlay.yaml", "epsilons: [1, 5]", "epsilons: [0.5, 1, 5]")
    jobs = project_copy.planned(*QUICK, "all")
    assert [job for job in jobs if job.startswith("fitting")] == ["fitting the log iraq for fig4_6 at epsilon 0.5"]
    assert "computing fig4_6" in jobs
    assert not [job for job in jobs if job.startswith(("counting", "computing fig4_7"))]
    edit(project_copy.folder / "overlay.yaml", "epsilons: [0.5, 1, 5]", "epsilons: [1, 5]")

    figure = project_copy.folder / "src/reproduction/experiments/warlogs/styles.py"
    edit(figure, '"Laplace, clipped", BLUE', '"Laplace, clipped", ORANGE')
    assert set(project_copy.planned(*QUICK, "all")) == {"drawing and judging fig4_6, fig4_7", PAGE}
    edit(figure, '"Laplace, clipped", ORANGE', '"Laplace, clipped", BLUE')

    title = project_copy.folder / "config/logs/iraq.yaml"
    edit(title, "title: Iraq", "title: Elsewhere")
    assert "computing fig4_6" in project_copy.planned(*QUICK, "all")
    edit(title, "title: Elsewhere", "title: Iraq")

    # The command line alone makes the same table, from a log that it simulates itself.
    out = project_copy.folder / "alone.csv"
    settings = ["rows=0.02", "logs=[iraq]", "epsilons=[1,5]", "splits=2", "iterations=12", "burn_in=8"]
    options = [option for setting in settings for option in ("--set", setting)]
    project_copy.dpsampling("table", "fig4_6", *options, "--seed", "3", "--out", str(out))
    assert out.read_bytes() == one["tables/fig4_6.csv"]
