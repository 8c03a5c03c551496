"""The words of a figure, and the caption that its file holds for the report."""

import inspect
import re
from pathlib import Path

import pytest
from PIL import Image

import tables
from dpsampling.files import CAPTION
from dpsampling.release import style
from reproduction import axis_words
from reproduction.project import experiment, experiments
from reproduction.stages import experiment_contract
from reproduction.stages import figure as stage


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("records", "records"),
        (r"privacy level $\varepsilon(\lambda)$", "privacy level ε(λ)"),
        (r"KL$(P\,\|\,\mathcal{A})$ in nats", "KL(P ‖ A) in nats"),
        (r"$\ln\,\varepsilon$ (markers moved sideways)", "ln ε (markers moved sideways)"),
        (r"$\varepsilon_i$, with $(\alpha,\alpha\varepsilon_i)$-RDP", "εᵢ, with (α,αεᵢ)-RDP"),
        (r"$\sigma^2=\lambda\Delta^2/(2\varepsilon)$", "σ² = λΔ²/(2ε)"),
        (r"split $\hat R$ of", "split R̂ of"),
        (r"mean of $|\tilde p - p|$", "mean of |p̃ - p|"),
        (r"$\frac{1}{n}$", "(1)/(n)"),
        (r"$\varepsilon\leq{0.1}$" + "\nline two", "ε ≤ 0.1 line two"),
        (r"a\$b", "a$b"),
        (r"$k\,\partial_\psi\ln F_k$", "k ∂_ψ ln Fₖ"),
        (r"$(\ln 1/\delta)-\ln(1/\delta)$", "(ln 1/δ)-ln(1/δ)"),
        (r"$\partial_{\psi_1}\ln F$", "∂_(ψ₁) ln F"),
        (r"$\rho\,\ln(1/\varepsilon)$", "ρ ln(1/ε)"),
        (r"$\int e^\theta d\theta$", "∫e^θdθ"),
        (r"$x^{ab}_{max}$", "x^(ab)_(max)"),
    ],
)
def test_a_formula_is_read_in_letters(label, words):
    assert axis_words.plain(label) == words


def test_axes_are_said_once_each_with_their_scales_and_nothing_of_none():
    figure, (left, right) = style.subplots(2)
    left.set(xlabel="n", ylabel=r"$\varepsilon$", xscale="log")
    right.set(xlabel="n", ylabel="error", xscale="log")
    assert axis_words.axes(figure) == "Across: n (log). Up: ε; error."
    right.set(xscale="linear", yscale="symlog")
    assert axis_words.axes(figure) == ("Across: n (log); n. Up: ε; error (linear near 0, then log).")
    figure.supylabel("both")
    left.set_yscale("symlog")
    assert "Up: both (linear near 0, then log); ε" in axis_words.axes(figure)
    figure, (axes,) = style.subplots()
    axes.set_axis_off()
    assert axis_words.axes(figure) == ""


def test_a_png_file_holds_its_caption_and_no_other_words(tmp_path):
    figure, _ = style.subplots()
    style.save(figure, tmp_path / "f.png", caption="KL against ε.")
    style.save(figure, tmp_path / "bare.png")
    assert Image.open(tmp_path / "f.png").text[CAPTION] == "KL against ε."
    assert CAPTION not in Image.open(tmp_path / "bare.png").text


def test_the_caption_is_what_the_code_says_and_what_the_axes_are():
    table = tables.made("fig5_3", epsilons=[0.1, 1.0])
    drawn = stage.draw(experiment("fig5_3").code, table, table.attrs["parameters"])
    caption = stage.caption(experiment("fig5_3").code, drawn)
    assert caption.startswith("Figures 5.3 and 5.4: KL(P‖A) against ln ε")
    assert re.search(r"Across: ln ε.*\. Up: KL\(P ‖ A\) in nats\.", caption)


@pytest.mark.parametrize("code", sorted({e.code for e in experiments().values()}))
def test_a_figure_with_bars_or_bands_says_what_they_mean(code):
    source = Path(inspect.getfile(experiment_contract.function(code, "figure"))).read_text(encoding="utf-8")
    if re.search(r"\berrorbar\(|\bcurve\(|\btwo_errors\(|\bfill_between\(|\baccuracy_panels\b", source):
        assert re.search(r"[Bb]ar|[Bb]and|[Ss]tandard (error|deviation)|area|map|spread", stage.said(code))
