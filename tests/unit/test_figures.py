"""What a journal asks of figures: two widths, letters of 7 points, nothing cut off or on top of another, and no length
that means nothing. Every figure, as the command line draws it at the experiment's smallest parameters: its table is
made, drawn and judged once for all that is asked of it."""

import contextlib
import io
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text

import tables
from dpsampling.cli import main
from dpsampling.datasets import design
from dpsampling.release import style
from planted_designs import planted as planted_design
from reproduction import config, project
from reproduction.claims import VERDICTS
from reproduction.inputs import paths

EVERY = sorted(project.experiments())
PANELS = {"rev_properties": 1, "rob_session": 1, "rob_kl": 6}
PANELS |= dict.fromkeys(["rev_examples", "rev_naive_bayes", "rev_sgd", "rev_trees", "rev_tuning"], 2)
PANELS |= dict.fromkeys(["rev_composition", "rob_assumptions", "rob_distinguish", "rob_lemmas"], 4)
PANELS |= dict.fromkeys(["approximate_samplers", "family_lemmas", "laplace_approximation", "posterior_limits"], 4)
PANELS |= dict.fromkeys(["preliminaries", "tempering"], 4)


@dataclass(frozen=True)
class Made:
    """What two commands made of an experiment: exit codes, standard error, sizes of files, verdicts, the figure."""

    codes: list[int]
    error: str
    sizes: list[int]
    verdicts: set[str]
    figure: Figure


@cache
def made(experiment: str) -> Made:
    """Table, figure and claims by the command line, in about a second."""
    drawn: list[Figure] = []
    save = style.save

    def kept(figure, *targets, **told):
        drawn.append(figure)
        save(figure, *targets, **told)

    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(style, "save", kept)
        error = stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        names = ("t.csv", "f.png", "claims.csv", "errata.csv", "ledger.csv")
        table, figure, claims, errata, ledger = outs = [folder / name for name in names]
        files = [f"--figure={figure}", f"--claims={claims}", f"--errata={errata}", f"--ledger={ledger}"]
        codes = [
            main(["table", experiment, *tables.smallest(experiment), *given(experiment, folder), "--out", str(table)]),
            main(["show", experiment, "--table", str(table), *files]),
        ]
        sizes = [path.stat().st_size for path in outs]
        return Made(codes, error.getvalue(), sizes, set(pd.read_csv(claims)["verdict"]), drawn[0])


def given(experiment: str, folder: Path) -> list[str]:
    """Planted designs in the place of data sets that nobody may have."""
    if project.experiment(experiment).needs not in {"designs", "sweeps"}:
        return []
    resolved = config.resolve(project.experiment(experiment), project.experiment(experiment).smallest)
    files = {name: folder / f"{name}.npz" for name in paths.datasets(resolved)}
    for name, path in files.items():
        design.put(path, planted_design(name))
    return [f"--design={path}" for path in files.values()]


@cache
def drawn(experiment: str) -> Figure:
    """The figure, laid out."""
    figure = made(experiment).figure
    with style.house_style():
        figure.draw_without_rendering()
    return figure


def texts(figure):
    """Those that are seen, with their place."""
    unseen = {id(text) for axes in figure.findobj(Axes) for text in hidden(axes)}
    shown = [t for t in figure.findobj(Text) if t.get_text().strip() and t.get_visible() and id(t) not in unseen]
    return [(text, text.get_window_extent()) for text in shown]


def hidden(axes):
    """The texts of a panel that is not drawn, and of ticks beyond the ends of its axes."""
    if not axes.get_visible():
        return axes.findobj(Text)
    found = []
    for axis in (axes.xaxis, axes.yaxis):
        kept = axis._update_ticks() if axes.axison and axis.get_visible() else []
        drawn = {id(label) for tick in kept for label in (tick.label1, tick.label2)}
        found += [text for text in axis.findobj(Text) if id(text) not in drawn]
        if kept:
            found = [text for text in found if text not in (axis.label, axis.offsetText)]
    return found


def widths(figure):
    width = figure.get_size_inches()[0]
    return [] if min(abs(width - style.SINGLE), abs(width - style.FULL)) < 1e-9 else [f"{width:g} inches"]


def letters(figure):
    return [f"{t.get_text()!r}: {t.get_fontsize():g}" for t, _ in texts(figure) if t.get_fontsize() < style.SMALLEST]


def inside(figure):
    """Texts and legends are not cut off at the edge."""
    edge = figure.bbox.padded(1.0)
    boxes = [(t.get_text(), box) for t, box in texts(figure)]
    boxes += [("a legend", legend.get_window_extent()) for legend in figure.findobj(Legend)]
    return [
        name for name, box in boxes
        if box.x0 < edge.x0 or box.y0 < edge.y0 or box.x1 > edge.x1 or box.y1 > edge.y1
    ]  # fmt: skip


def apart(figure):
    """No text is on another; by a pixel they may touch."""
    placed = [(t, box.padded(-1.0)) for t, box in texts(figure) if t.get_rotation() % 90.0 == 0.0]
    return [f"{s.get_text()!r} on {t.get_text()!r}" for (s, a), (t, b) in combinations(placed, 2) if a.overlaps(b)]


def legend(figure):
    """No point or line is under the legend of its panel."""
    found = []
    for axes in figure.findobj(Axes):
        box = axes.get_legend() and axes.get_legend().get_window_extent()
        for line in axes.findobj(Line2D) if box else []:
            if line not in axes.lines:
                continue
            points = line.get_transform().transform(np.column_stack(line.get_data(orig=False)).astype(float))
            points = points[np.isfinite(points).all(axis=1)]
            if line.get_linestyle() not in {"None", "none", ""} and len(points) > 1:
                between = np.linspace(0.0, 1.0, 50)[:, None]
                points = np.vstack([a + between * (b - a) for a, b in pairwise(points)])
            if ((points > box.min) & (points < box.max)).all(axis=1).any():
                found.append(f"{line.get_label()!r} in {axes.get_title('left')!r}")
    return found


def bars(figure):
    """No bar's length is along a logarithmic axis."""
    found = []
    for axes in figure.findobj(Axes):
        for container in axes.containers:
            if isinstance(container, BarContainer) and len(container):
                scale = axes.get_xscale() if container.orientation == "horizontal" else axes.get_yscale()
                found += [axes.get_title("left")] if scale == "log" else []
    return found


CHECKS = {"width": widths, "letters": letters, "inside": inside, "apart": apart, "legend": legend, "bars": bars}


@pytest.mark.parametrize("experiment", EVERY)
def test_table_figure_and_claims_of_every_experiment(experiment):
    done = made(experiment)
    assert (done.codes, done.error) == ([0, 0], "")
    assert all(size > 0 for size in done.sizes)
    assert done.verdicts <= set(VERDICTS)


@pytest.mark.parametrize("experiment", EVERY)
def test_a_figure_is_fit_to_print(experiment):
    figure = drawn(experiment)
    assert {name: found for name, check in CHECKS.items() if (found := check(figure))} == {}
    assert len(figure.axes) == PANELS.get(experiment, len(figure.axes))


def planted():
    with style.house_style():
        figure, (axes,) = style.subplots(width=style.SINGLE)
        axes.plot([1, 2], [1, 2], label="a line")
        return figure, axes


FAULTS = {
    "width": lambda figure, axes: figure.set_size_inches(6.0, 3.0),
    "letters": lambda figure, axes: axes.set_xlabel("small", fontsize=6.5),
    "inside": lambda figure, axes: figure.text(0.9, 0.5, "beyond the edge"),
    "apart": lambda figure, axes: (
        axes.set_title("a title that is far too long for one column"),
        style.tag(axes, "to have this beside it"),
    ),
    "legend": lambda figure, axes: axes.legend(loc="center"),
    "bars": lambda figure, axes: (axes.barh([1], [2]), axes.set_xscale("log")),
}


@pytest.mark.parametrize("name", list(CHECKS))
def test_each_check_finds_a_planted_fault(name):
    figure, axes = planted()
    with style.house_style():
        figure.draw_without_rendering()
        assert CHECKS[name](figure) == []
        FAULTS[name](figure, axes)
        figure.draw_without_rendering()
        assert len(CHECKS[name](figure)) > 0


def test_states_and_curves_are_told_apart_in_grey():
    light = [style.lightness(colour) for colour in style.STATES]
    assert min(abs(a - b) for a, b in combinations(light, 2)) > 7.0
    assert max(light) < 92.0  # from white paper
    assert min(abs(a - b) for a, b in pairwise(light[:4])) > 25.0  # the states that are most seen
    assert len({tuple(map(str, style.state_look(k).items())) for k in range(1, 31)}) == 30
    assert [style.lightness(colour) for colour in ("black", "white")] == pytest.approx([0.0, 100.0])
    assert style.lightness("#777777") == pytest.approx(50.0, abs=0.1)  # of the sRGB standard's tables
    markers = [marker for _, _, marker in style.CYCLE.values()]
    assert len(set(markers)) == len(markers)


def test_months_are_as_long_as_they_are():
    months = ["2004-01", "2004-02", "2004-12"]
    assert list(np.subtract(style.month_ends(months), style.dates(months))) == [31.0, 29.0, 31.0]


def test_bars_are_two_standard_errors_and_left_out_where_none_is_known():
    _, axes = planted()
    with style.house_style():
        style.two_errors(axes, [1.0, 2.0], [5.0, 6.0], [0.25, np.nan], style.CurveStyle("a", "black", "-", "o"))
    (stems,) = axes.containers[0].lines[2]
    assert [float(np.ptp(stem[:, 1])) for stem in stems.get_segments()] == [1.0, 0.0]


def test_a_tag_stands_inside_a_figure_and_a_panel():
    figure, axes = planted()
    with style.house_style():
        style.tag(figure, "simulated log")
        axes.set_title("\n")
        style.tag(axes, "real log")
        figure.draw_without_rendering()
    assert inside(figure) == apart(figure) == []
    assert {"simulated log", "real log"} <= {t.get_text() for t, _ in texts(figure)}


@pytest.mark.parametrize(
    ("months", "ticks"),
    [
        (["2004-01", "2006-12"], ["2004", "2005", "2006", "2007"]),
        (["2004-01", "2004-04"], ["Jan 2004", "Feb 2004", "Mar 2004", "Apr 2004", "May 2004"]),
    ],
)
def test_ticks_of_dates_are_years_or_in_a_short_time_months(months, ticks):
    figure, axes = planted()
    axes.clear()
    with style.house_style():
        style.date_axis(axes, months)
        figure.draw_without_rendering()
    assert [t.get_text() for t in axes.get_xticklabels()] == ticks


def test_held_out_scores_are_drawn_as_paired_differences_of_both_scores():
    table = tables.made("fig4_6", **project.experiment("fig4_6").smallest | {"epsilons": [1, 5]})
    panels = tables.drawn("fig4_6", table).axes
    assert [axes.get_ylabel().split("\n")[:2] for axes in panels[::2]] == [
        ["naive Bayes,", "either score,"], ["HMM,", "predictive score,"], ["HMM,", "literal score,"],
    ]  # fmt: skip
    rows = table[(table["log"] == "iraq") & (table["definition"] == "literal") & (table["variant"] == "M=10")]
    rows = rows[rows["model"] == "HMM"]
    drawn = [c for c in panels[5].containers if "M=10" in c.get_label()]
    assert list(drawn[0].lines[0].get_ydata()) == list(rows["paired_mean"])
    bars = [float(np.ptp(stem[:, 1])) for stem in drawn[0].lines[2][0].get_segments()]
    assert bars == pytest.approx(list(4.0 * rows["paired_sem"]))


def test_a_state_has_one_colour_and_number_in_both_estimates_of_one_fit():
    table = tables.made("fig4_7", rows=0.05)
    shown = [group["state"].to_numpy() for _, group in table.groupby("estimate", sort=False)]
    joint = np.array([[((shown[0] == i) & (shown[1] == k)).sum() for k in range(1, 4)] for i in range(1, 4)])
    best = max(permutations(range(3)), key=lambda order: joint[range(3), order].sum())
    assert best == (0, 1, 2)  # no other naming of the last sample's states agrees better with all samples'


def test_cells_are_filled_by_their_share_and_blank_where_there_is_no_month():
    table = tables.made("fig4_3", rows=0.05).query("month != '2005-06'")
    table.loc[table["month"] == "2006-01", "frequency"] = 0.5
    table.attrs["parameters"] = {**tables.made("fig4_3", rows=0.05).attrs["parameters"]}
    (axes,) = tables.drawn("fig4_3", table).axes
    faces = [patch for patch in axes.patches if patch.get_facecolor() != to_rgba(style.EMPTY["facecolor"])]
    rows = {abs(patch.get_height()) for patch in faces if patch.get_x() == style.dates(["2006-01"])[0]}
    assert min(rows) == pytest.approx(max(abs(patch.get_height()) for patch in faces) / 2.0)
    missing = style.dates(["2005-06"])[0] + 1.0
    assert not [patch for patch in faces if patch.get_x() < missing < patch.get_x() + patch.get_width()]
