"""The configuration: merging, checking, grids, and one clear sentence for each mistake."""

import math

import pytest

import refusals
from dpsampling.cli import configuration, main, parsing
from dpsampling.errors import InputError
from dpsampling.files import documents
from dpsampling.files.grids import expand
from reproduction import config, parameters, project
from reproduction.catalogue import PARAMETERS, page

FIG = "fig5_3"


def resolve(**changes):
    return config.resolve(project.experiment(FIG), changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"order": 1}, ["order is 1", "above 1"]),
        ({"order": -3}, ["order is -3"]),
        ({"order": "two"}, ["order is 'two'", "a number"]),
        ({"order": [2]}, ["order is [2]"]),
        ({"order": float("nan")}, ["order is nan", "finite"]),
        ({"order": float("inf")}, ["order is inf", "finite"]),
        ({"order": None}, ["order is None"]),
        ({"epsilons": [0.1, 0]}, ["epsilons[1] is 0", "at least 1e-300"]),
        ({"epsilons": [-1]}, ["epsilons[0] is -1"]),
        ({"epsilons": []}, ["epsilons is []"]),
        ({"epsilons": [1, 1]}, ["none twice"]),
        ({"epsilons": 0.5}, ["epsilons is 0.5", "a list"]),
        ({"epsilons": {"from": 1, "to": 0, "points": 3}}, ["from < to"]),
        ({"epsilons": {"ln_from": 0, "ln_to": 1000, "points": 3}}, ["too large", "ln_to"]),
        ({"epsilons": {"from": 1, "too": 2, "points": 3}}, ["a grid is"]),
        ({"successes": 101}, ["successes is 101", "n = 100"]),
        ({"successes": -1}, ["successes is -1"]),
        ({"successes": 1.5}, ["successes is 1.5", "whole number"]),
        ({"n": 0}, ["n is 0"]),
        ({"n": "many"}, ["n is 'many'"]),
        ({"n": True}, ["n is True"]),
        ({"prior": [-1, 3]}, ["prior[0] is -1"]),
        ({"prior": [3, 3]}, ["prior is [3, 3]", "Beta(6, 12)"]),
        ({"prior": {"from": 1, "to": 3, "points": 3}}, ["prior is [1.0, 2.0, 3.0]", "above the sum"]),
        ({"prior": [3, 3], "successes": 101}, ["prior is [3, 3]", "successes is 101"]),
        ({"prior": [1, 2, 9]}, ["prior is [1, 2, 9]", "two numbers"]),
        ({"prior": 6}, ["prior is 6"]),
        ({"succeses": 3}, ["'succeses'", "did you mean 'successes'"]),
    ],
)
def test_a_bad_parameter_is_one_sentence_that_names_it(changes, words):
    message = refusals.of_call(lambda: resolve(**changes))
    assert message.count("\n") == 0
    assert all(word in message for word in [FIG, *words]), message


def test_numbers_may_be_spelled_as_command_lines_and_yaml_spell_them():
    assert resolve(epsilons=["1e-3", 2])["epsilons"] == [0.001, 2]
    assert resolve(n="1e6")["n"] == 1_000_000
    assert isinstance(resolve(n=1e6)["n"], int)
    grid = {"from": 1, "to": 2, "points": 2}
    assert resolve(epsilons=grid)["epsilons"] == grid  # whole, in place of a list


def test_grids_have_exact_ends_and_the_named_spacing():
    linear = expand({"from": 1.01, "to": 20, "points": 1900})
    assert (linear[0], linear[-1], len(linear)) == (1.01, 20.0, 1900)
    assert linear[1] - linear[0] == pytest.approx(0.01, rel=1e-9)
    logarithmic = expand({"ln_from": -10, "ln_to": 2, "points": 121})
    assert logarithmic[0] == math.exp(-10)
    assert logarithmic[100] == pytest.approx(1.0, abs=1e-15)


def test_overlays_merge_mappings_and_replace_lists():
    base = {"a": {"x": 1, "y": [1, 2]}, "b": 1}
    assert documents.merge(base, {"a": {"y": [3]}}) == {"a": {"x": 1, "y": [3]}, "b": 1}
    assert base["a"]["y"] == [1, 2]


def test_quick_parameters_yield_to_an_overlay():
    experiment = project.experiment("fig5_5")
    assert config.resolve(experiment, {}, scale="quick")["runs"] == 500
    assert config.resolve(experiment, {"runs": 77}, scale="quick")["runs"] == 77
    assert config.resolve(experiment, {})["runs"] == 10_000


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        ("sed: 3", ["unknown key 'sed'", "did you mean 'seed'"]),
        ("seed: -1", ["seed is -1"]),
        ("seed: tomorrow", ["seed is 'tomorrow'"]),
        ("scale: huge", ["scale is 'huge'", "'paper' or 'quick'"]),
        ("run: [fig9_9]", ["'fig9_9'"]),
        ("run: [chapter55]", ["'chapter55'", "chapter5"]),
        ("experiments: {fig5_33: {n: 3}}", ["'fig5_33'", "did you mean 'fig5_3'"]),
        ("experiments: {fig5_3: {order: 0.5}}", ["order is 0.5"]),
        ("experiments: {fig5_3: {n: 20}}", ["successes is 32", "n = 20"]),
        ("experiments: [fig5_3]", ["experiments is ['fig5_3']", "a mapping"]),
        ("[1, 2]", ["no mapping"]),
        ("a: b: c", ["not YAML", "line 1", "a text with a colon needs quotes"]),
        ("seed: 1\n\trun: all", ["not YAML at line 2; a tab stands where only spaces may"]),
        ("experiments: {fig5_3: {prior: 3, 10}}", ["10 stands alone after prior", "as in prior: [3, 10]."]),
        ("experiments: {fig5_3: {epsilons: 0.5, 1, 2}}", ["1 stands alone after epsilons", "[0.5, 1, 2]"]),
        ("experiments: {fig5_3: {family: beta_bernouli}}", ["'beta_bernouli' (did you mean 'beta-bernoulli'?)"]),
    ],
)
def test_a_bad_overlay_is_refused_before_anything_runs(tmp_path, overlay, words):
    path = tmp_path / "overlay.yaml"
    path.write_text(overlay, encoding="utf-8")
    message = refusals.of_call(config.load, path)
    assert all(word in message for word in words), message


def test_all_that_is_wrong_is_told_at_once(tmp_path, capsys):
    path = tmp_path / "overlay.yaml"
    path.write_text("sed: 3\nscale: huge\naudit: {orders: [2, one], draws: 5, quick: {delta: 2}}\nrun: [1]\n")
    assert main(["config", "--config", str(path), "--out", str(tmp_path / "c.yaml")]) == 2
    begin = "dpsampling: the configuration: "
    assert capsys.readouterr().err.splitlines() == [
        f"{begin}scale is 'huge'; it must be 'paper' or 'quick'.",
        f"{begin}run[0] is 1; it must be text.",
        f"{begin}audit.orders[1] is 'one'; it must be a number above 1 and at most 1000.",
        f"{begin}audit.draws is 5; it must be a whole number at least 100 and at most 10000000.",
        f"{begin}audit.quick.delta is 2; it must be a number at least 1e-30 and below 1.",
        f"{begin}unknown key 'sed' (did you mean 'seed'?); known are seed, scale, run, audit, experiments, logs.",
    ]
    path.write_text("experiments: {fig5_3: {n: 0, order: 1, x: 1}, fig5_4: {order: 1}, fig5_5: {n: 0, runs: yes}}\n")
    with pytest.raises(InputError) as caught:
        config.load(path)
    begins = [sentence.partition(";")[0] for sentence in caught.value.sentences]
    assert begins == ["fig5_3 has no parameter 'x'", "fig5_4: order is 1", "fig5_5: n is 0", "fig5_5: runs is True"]
    path.write_text(f"run: [{', '.join(f'x{i}' for i in range(50))}]\n")
    with pytest.raises(InputError) as caught:
        config.load(path)
    assert len(caught.value.sentences) == 21
    assert caught.value.sentences[-1] == "30 more things are wrong; correct these first."


@pytest.mark.parametrize("value", ["'2'", "true", "null", "[2]", "2.5", "{from: 1, to: 2, points: 2}", "2024-01-01"])
def test_nothing_is_taken_for_a_whole_number_that_is_none(value):
    with pytest.raises(InputError, match=r"here: n is .*; it must be a whole number at least 1 and at most 1000000"):
        parameters.check_parameters(parsing.parse_settings([f"n={value}"]), "here")


@pytest.mark.parametrize(
    "text",
    ["n: 50\nsuccesses: 20\nseed: 5", "seed: 5\nexperiments: {fig5_3: {n: 50, successes: 20}}"],
    ids=["a mapping of parameters", "an overlay"],
)
def test_a_file_for_one_experiment_may_be_a_mapping_or_an_overlay(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    changes, seed = config.read_changes(path, project.experiment(FIG))
    assert (changes["n"], changes["successes"], seed) == (50, 20, 5)
    with pytest.raises(InputError, match=r"nowhere\.yaml does not exist"):
        config.load(tmp_path / "nowhere.yaml")


def test_a_file_for_one_experiment_may_be_a_copy_of_its_own(tmp_path):
    path = tmp_path / "mine.yaml"
    own = documents.root() / "config" / "experiments" / "fig5_3.yaml"
    path.write_text(own.read_text(encoding="utf-8").replace("n: 100", "n: 50"), encoding="utf-8")
    changes, seed = config.read_changes(path, project.experiment(FIG))
    assert (changes["n"], changes["order"], seed) == (50, 2, None)


def test_every_parameter_of_every_experiment_is_described():
    used = {name for e in project.experiments().values() for name in e.parameters}
    assert used == set(PARAMETERS), "a name is used without a description, or described without a use"
    assert all(about for _, about in PARAMETERS.values())
    assert all(f"| `{name}` | {about} |" in page() for name, (_, about) in PARAMETERS.items())


def test_settings_spell_parameters_so_that_they_read_back():
    resolved = resolve()
    spelled = parsing.parse_settings(parsing.settings(resolved))
    assert config.resolve(project.experiment(FIG), spelled) == resolved


def test_quick_runs_ask_the_audit_for_less_but_for_what_an_overlay_asks():
    usual = configuration.settings_of()
    paper = {key: v for key, v in usual["audit"].items() if key != "quick"}
    assert configuration.audit_of(usual, "paper") == paper
    assert configuration.audit_of(usual, "quick") == {**paper, **usual["audit"]["quick"]}
    asked = {**usual, "audit": {**usual["audit"], "epsilons": [0.5], "draws": 1000}}
    quick = usual["audit"]["quick"]["orders"]
    expected = {"orders": quick, "epsilons": [0.5], "delta": 1e-5, "draws": 1000, "mechanisms": "all"}
    assert configuration.audit_of(asked, "quick") == expected


@pytest.mark.parametrize("name", ["x; touch y", "a b", "$(id)", "-x", "x'", "a.b", ".x", "{log}"])
@pytest.mark.parametrize("folder", ["logs", "simulators", "datasets", "experiments"])
def test_names_of_files_that_become_names_of_folders_are_plain(tmp_path, monkeypatch, folder, name):
    (tmp_path / "config" / folder).mkdir(parents=True)
    (tmp_path / "config" / folder / f"{name}.yaml").write_text("title: x\n", encoding="utf-8")
    monkeypatch.setattr(documents, "root", lambda: tmp_path)
    with pytest.raises(InputError, match=f"config/{folder}/.*cannot be called so"):
        documents.named(folder)


def test_the_command_without_an_output_only_checks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["config"]) == 0
    assert capsys.readouterr() == ("", "")
    (tmp_path / "overlay.yaml").write_text("run: [no_such_thing]\n", encoding="utf-8")
    assert "no_such_thing" in refusals.of_command(capsys, "config", "--config", "overlay.yaml")
    assert [path.name for path in tmp_path.iterdir()] == ["overlay.yaml"]
