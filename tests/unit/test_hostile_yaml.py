"""YAML that was made to hurt ends with one sentence, soon, wherever it is read."""

import pytest
import yaml

import refusals
from dpsampling.cli import main, parsing
from dpsampling.errors import LONGEST, InputError
from dpsampling.files import documents, strict_yaml
from hostile_files import YAML_VALUES, laughs, pipe
from refusals import of_call as refused
from reproduction import config, parameters, project


@pytest.mark.parametrize("name", YAML_VALUES)
def test_a_hostile_value_in_a_file_is_refused_with_its_reason(tmp_path, name):
    text, why = YAML_VALUES[name]
    path = tmp_path / "a.yaml"
    path.write_text(f"n: {text}\n", encoding="utf-8")
    said = refused(documents.read_yaml, path)
    assert str(path) in said
    assert why in said


@pytest.mark.parametrize("name", YAML_VALUES)
def test_and_as_a_setting(name, capsys, tmp_path):
    text, why = YAML_VALUES[name]
    said = refusals.of_command(capsys, "table", "fig5_3", "--set", f"n={text}", "--out", str(tmp_path / "t.csv"))
    assert why in said
    assert said.startswith(("dpsampling: --set 'n=", 'dpsampling: --set "n='))
    assert len(said) < LONGEST + 50
    assert list(tmp_path.iterdir()) == []


def test_aliases_are_understood_and_those_that_multiply_are_not():
    assert strict_yaml.load("{a: &x [1, 2], b: *x}", "f", "") == {"a": [1, 2], "b": [1, 2]}
    assert "stands for more than 50000 values" in refused(strict_yaml.load, laughs(), "f", "")


def test_a_key_that_stands_twice_is_named_with_its_line(tmp_path):
    (tmp_path / "a.yaml").write_text("seed: 1\nrun: all\nseed: 2\n")
    said = refused(documents.read_yaml, tmp_path / "a.yaml")
    assert said.endswith("a.yaml, line 3: the key 'seed' stands twice; keep one of them.")


# A text that is no YAML, the line that its parsers name, and what is said of it.
CAUSES = {
    "colon": ("title: t: with colon", 1, "a text with a colon needs quotes"),
    "colon in an item": ("a:\n- b: c: d", 2, "a text with a colon needs quotes"),
    "tab below a key": ("a:\n\tb: 2", 2, "a tab stands where only spaces may; indent with spaces"),
    "tab below a value": ("a:\n  b: 1\n\tc: 2", 3, "a tab stands where only spaces may; indent with spaces"),
    "open brace": ("a: 1\nb: {c: 3\nd: {e: 3}", 3, "the { of line 2 has no }"),
    "open bracket": ("a: [1, 2\nb: 3", 2, "the [ of line 1 has no ]"),
    "bracket in braces": ("a: {b: [1, 2}", 1, "the [ of line 1 has no ]"),
    "no comma": ("a: {b: 1 c: 2}", 1, "or lacks a comma"),
    "colon in braces": ("a: {b: c: d}", 1, "or holds a text with a colon that needs quotes"),
    "open quotes": ("a: 'b\nc: d", 2, "the quotes that begin in line 1 have no end"),
    "percent": ("a: %b", 1, "a text that begins with % needs quotes"),
    "line without a key": ("a: 1\nb\nc: 2", 3, "REMEDY"),
    "indented otherwise": ("a: 1\n b: 2", 2, "REMEDY"),
    "unknown alias": ("a: *b", 1, "REMEDY"),
}


@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
@pytest.mark.parametrize("cause", CAUSES)
def test_what_makes_a_text_no_yaml_is_named(monkeypatch, loader, cause):
    monkeypatch.setattr(strict_yaml, "_LOADER", getattr(yaml, loader))
    text, line, why = CAUSES[cause]
    said = refused(strict_yaml.load, text, "f", "REMEDY")
    assert said.startswith(f"f is not YAML at line {line}; ")
    assert why in said


def test_a_mark_of_byte_order_is_no_part_of_the_first_key(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbfseed: 1\n")
    assert documents.read_yaml(tmp_path / "a.yaml") == {"seed": 1}


@pytest.mark.parametrize("content", ["\xe4: 1".encode("latin-1"), "a: 1".encode("utf-16"), b"\xed\xa0\x80: 1"])
def test_what_is_no_utf_8_is_refused(tmp_path, content):
    (tmp_path / "a.yaml").write_bytes(content)
    assert "is not a text file that can be read" in refused(documents.read_yaml, tmp_path / "a.yaml")


def test_a_huge_file_is_refused_before_it_is_read_and_so_are_pipes_devices_and_folders(tmp_path):
    with (tmp_path / "a.yaml").open("wb") as stream:
        stream.truncate(300 << 20)  # takes no room on the disk
    assert "has more than 1 MB" in refused(documents.read_yaml, tmp_path / "a.yaml")
    assert "is a pipe or a device" in refused(documents.read_yaml, pipe(tmp_path))
    for device in ("/dev/zero", "/dev/null"):
        assert f"{device} is a pipe or a device" in refused(documents.read_yaml, device)
    assert "is not a text file" in refused(documents.read_yaml, tmp_path)


@pytest.mark.parametrize("name", ["a\0b.yaml", "a\ud800b.yaml"])
def test_a_name_that_no_file_can_have_is_refused(name):
    assert "is no name that a file can have" in refused(documents.read_yaml, name)


@pytest.mark.parametrize(
    "text",
    ["1: 2", "experiments: {1: {}}", "experiments: {fig5_3: {1: 2}}", "logs: {1: x}", "? 2024-01-01\n: 1", "~: 1"],
)
def test_keys_that_are_no_text_are_refused(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    said = refused(config.load, tmp_path / "a.yaml")
    assert "'1'" in said or "is no text; put it in quotes" in said


GRIDS = [
    "{from: a, to: b, points: c}", "{from: 0, to: [1], points: 3}", "{from: 2024-01-01, to: 2024-02-01, points: 3}",
    "{from: 1, to: 2, points: 1000000000}", "{from: 1, to: 2, points: true}", "{1: 2}", "{from: 1}", "2024-01-01",
    "{ln_from: 1, ln_to: 1000000, points: 3}",
]  # fmt: skip
OTHERS = [
    'logs: {afghanistan: "a\\0b"}', "logs: {afghanistan: /dev/zero}", "experiments: [fig5_3]", "run: {a: 1}",
    "run: [[[[a]]]]", "seed: 1.5", "audit: {orders: {}}",
]  # fmt: skip


@pytest.mark.parametrize("text", [*(f"experiments: {{fig5_3: {{epsilons: {grid}}}}}" for grid in GRIDS), *OTHERS])
def test_values_of_another_kind_are_refused(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    refused(config.load, tmp_path / "a.yaml")


@pytest.mark.parametrize("text", ["'" + "1" * 5_000 + "'", "'1e" + "9" * 200 + "'", "'1e999'"])
def test_numbers_that_are_spelled_as_text_are_bounded_too(text):
    with pytest.raises(InputError):
        parameters.check_parameters(parsing.parse_settings([f"n={text}"]), "here")


def test_a_sentence_has_one_line_whatever_it_names(capsys, tmp_path):
    for setting in ("n='a\x1b[31m\n\nb'", "n=\udcff", "x\ny=1", "k" * 100_000 + "=1"):
        said = refusals.of_command(capsys, "table", "fig5_3", "--set", setting, "--out", str(tmp_path / "t.csv"))
        assert said[:-1].isprintable()
        assert len(said) < LONGEST + 50


@pytest.mark.parametrize("effective", ["[1]", "[", '{"a": NaN}', "[" * 5_000, '{"a": 1, "a": 2}', '{"a": "\\ud800"}'])
def test_an_effective_configuration_is_a_mapping_of_plain_values(capsys, tmp_path, effective):
    assert main(["collect", "fig5_3", "--results", str(tmp_path), "--effective", effective]) == 2
    assert capsys.readouterr().err.startswith("dpsampling: --effective is ")
    assert list(tmp_path.iterdir()) == []


def test_the_projects_own_documents_have_no_key_twice():
    for name in project.names():
        documents.read_yaml(project.path_of(name))
    for folder in ("logs", "simulators", "datasets"):
        for name in documents.named(folder):
            documents.read_yaml(documents.root() / "config" / folder / f"{name}.yaml")
