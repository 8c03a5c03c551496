"""Files of config/experiments and config/datasets as a contributor writes them, right and wrong, each in a clone."""

import json
import sys
from pathlib import Path

import pytest

from conftest import Copy, captured

HEAD = "title: mine\nsource: ours\n"
OWN = f"{HEAD}part: chapter5\n"
PARAMETERS = "{prior: [6, 18], n: 100, successes: 32, order: 2, epsilons: [0.1, 1], family: beta-bernoulli}"
PARAMETERS = f"parameters: {PARAMETERS}\n"


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    return Copy(tmp_path_factory.mktemp("clone") / "project")


def run(clone, *arguments):
    return captured([sys.executable, "-m", "dpsampling", *arguments], cwd=clone.folder, env=clone.environment)


@pytest.fixture
def write(clone):
    """Write a file of the clone for one test."""
    written: list[Path] = []

    def put(name: str, content: str | bytes) -> Path:
        path = clone.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        assert not path.exists()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        written.append(path)
        return path

    yield put
    for path in written:
        path.unlink()


def refused(done) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert all(line.startswith("dpsampling: ") and line.endswith(".") for line in done.stderr.splitlines()), done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{OWN}code: renyi.tradeof\n{PARAMETERS}", ["code is 'renyi.tradeof'", "did you mean 'renyi.tradeoff'"]),
        (f"{OWN}code: renyi\n{PARAMETERS}", ["code is 'renyi'"]),
        (f"{OWN}code: checks\n{PARAMETERS}", ["code is 'checks'"]),
        (f"{OWN}code: ..cli\n{PARAMETERS}", ["code is '..cli'"]),
        (f"{OWN}{PARAMETERS}", ["'code' is missing", "`like`"]),
        (f"{HEAD}code: renyi.tradeoff\n{PARAMETERS}", ["'part' is missing"]),
        (f"{OWN}code: renyi.tradeoff\n", ["'parameters' is missing"]),
        (f"{HEAD}part: chapter55\ncode: renyi.tradeoff\n{PARAMETERS}", ["'chapter55'", "parts.yaml", "did you mean"]),
        (f"{OWN}code: renyi.tradeoff\nneeds: rows\n{PARAMETERS}", ["needs is 'rows'", "'dataset'"]),
        (f"{OWN}code: renyi.tradeoff\n{PARAMETERS}quick: {{runs: 3}}\n", ["quick sets 'runs'"]),
        (f"{OWN}code: renyi.tradeoff\n{PARAMETERS}smallest: {{n: 0}}\n", ["n is 0"]),
        (f"{OWN}code: renyi.tradeoff\nparameters: [1]\n", ["parameters is [1]", "a mapping"]),
        (f"{OWN}chapter: 5\ncode: renyi.tradeoff\n{PARAMETERS}", ["unknown key 'chapter'"]),
        (f"{HEAD}like: fig5_33\n", ["like is 'fig5_33'", "did you mean 'fig5_3'"]),
        (f"{HEAD}like: mine\n", ["like is 'mine'", "circle"]),
        (f"{HEAD}like: fig5_3\nparameters: {{runs: 3}}\n", ["fig5_3 has no parameter 'runs'; it has", "successes"]),
        (f"{HEAD}like: fig5_3\nparameters: {{sucesses: 3}}\n", ["'sucesses' (did you mean 'successes'?); it has"]),
        (f"{HEAD}like: fig5_3\nn: 20\n", ["unknown key 'n' (did you mean parameters: {n: 20}?)", "title"]),
        (f"{HEAD}like: fig5_4\nn: 20\nprior: [3, 10]\n", ["(did you mean parameters: {n: 20, prior: [3, 10]}?)"]),
        (f"{OWN}code: renyi.tradeoff\n{PARAMETERS}order: 3\n", ["(did you mean parameters: {order: 3}?)"]),
        (f"{HEAD}like: fig5_3\ncalled: 20\n", ["unknown key 'called'; known are title"]),
        (f"{HEAD}like: fig5_3\nparameters: {{prior: 3, 10}}\n", ["10 stands alone after prior", "prior: [3, 10]."]),
        (
            f"{HEAD}like: fig5_3\nparameters: {{family: beta_bernouli}}\n",
            ["family is", "did you mean 'beta-bernoulli'"],
        ),
        (f"{HEAD}like: fig5_3\nparameters: {{n: 3\n", ["line 5; the { of line 4 has no }"]),
        ("title: t: with colon\nsource: ours\nlike: fig5_3\n", ["line 1; a text with a colon needs quotes"]),
        (f"{HEAD}like: fig5_3\nparameters: {{prior: [3]}}\n", ["prior is [3]"]),
        (f"{HEAD}like: fig5_3\nparameters: {{order: one}}\n", ["order is 'one'"]),
        ("source: ours\nlike: fig5_3\n", ["'title' is missing"]),
        ("", ["'title' is missing", "'source' is missing"]),
        ("a: b: c", ["not YAML"]),
        (b"\xff\xfe\x00", ["not a text file"]),
    ],
)
def test_a_wrong_experiment_file_is_one_sentence(clone, write, tmp_path, text, words):
    write("config/experiments/mine.yaml", text)
    message = refused(run(clone, "table", "mine", "--out", str(tmp_path / "t.csv")))
    assert all(word in message for word in ["mine", *words]), message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["config/experiments/mine.yml", "config/experiments/mine.YAML", "config/mine.yaml"])
def test_a_file_with_another_ending_or_in_another_folder_is_named(clone, write, place):
    write(place, f"{HEAD}like: fig5_3\n")
    hint = f", but {place} is there; it must be config/experiments/mine.yaml.\n"
    assert refused(run(clone, "list", "--", "mine")).endswith(f"there is no experiment 'mine'{hint}")
    write("config/experiments/other.yaml", f"{HEAD}like: mine\n")
    assert refused(run(clone, "list", "other")).endswith(f"other.yaml: like is 'mine', which is no experiment{hint}")
    overlay = write("overlay.yaml", "run: [mine]\n")
    assert refused(run(clone, "config", "--config", str(overlay), "--out", f"{clone.folder}/c.yaml")).endswith(hint)


@pytest.mark.parametrize("name", ["config", "parts", "x" * 300])
def test_what_is_no_experiments_file_is_not_taken_for_one(clone, name):
    assert "is there; it must be" not in refused(run(clone, "list", name))


def test_two_that_are_like_each_other_are_a_circle(clone, write):
    write("config/experiments/one.yaml", f"{HEAD}like: other\n")
    write("config/experiments/other.yaml", f"{HEAD}like: one\n")
    assert "circle" in refused(run(clone, "list", "one"))


def test_a_wrong_file_spoils_no_other_experiment(clone, write, tmp_path):
    write("config/experiments/mine.yaml", "a: b: c")
    assert run(clone, "list", "fig5_3").returncode == 0
    table = tmp_path / "t.csv"
    assert run(clone, "table", "tab7_1", "--out", str(table)).returncode == 0
    assert run(clone, "figure", "tab7_1", "--table", str(table), "--out", str(tmp_path / "f.png")).returncode == 0
    assert run(clone, "claims", "tab7_1", "--table", str(table), "--out", str(tmp_path / "c.csv")).returncode == 0
    assert "mine.yaml" in refused(run(clone, "list"))


def test_a_variant_of_a_variant_keeps_what_it_does_not_change(clone, write):
    write("config/experiments/first.yaml", f"{HEAD}like: fig5_5\nparameters: {{runs: 40, epsilons: [0.5]}}\n")
    write("config/experiments/second.yaml", f"{HEAD}like: first\nparameters: {{order: 3}}\nquick: {{runs: 20}}\n")
    listed = run(clone, "list", "-v", "second").stdout
    kept = ("order=3", "runs=40", "epsilons=[0.5]", "rho=0.5", "laid over config/experiments/first", "stream    second")
    assert all(word in listed for word in kept)
    quick = [line for line in listed.splitlines() if line.strip().startswith("quick")]
    assert quick == ["    quick     runs=20"], "the smaller scale of the original does not undo what a variant changes"


def test_what_a_variant_sets_is_not_undone_by_the_quick_scale_of_the_original(clone, write):
    """The original's quick sets ε alone, and so does the variant: nothing of the quick scale is left."""
    write("config/experiments/mine.yaml", f"{HEAD}like: fig5_3\nparameters: {{epsilons: [0.01, 0.1, 1]}}\n")
    listed = run(clone, "list", "-v", "mine").stdout
    assert "parameter epsilons=[0.01, 0.1, 1]" in listed
    assert "quick     " not in listed


@pytest.mark.parametrize("name", ["all", "counts", "tables_fig5_3", "chapter5", "my fig", "x+y", "-x", "5th", "a.b"])
def test_a_file_with_a_name_that_no_target_can_have_is_refused(clone, write, name):
    path = f"config/experiments/{name}.yaml"
    write(path, f"{HEAD}like: fig5_3\n")
    assert f"{path} cannot be called so" in refused(run(clone, "list"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{OWN}code: renyi.tradeoff\nparameters: {{prior: [6, 18], n: 100}}\n", ["'family' is missing"]),
        (f"{OWN}code: states\nneeds: dataset\nparameters: {{n: 1}}\n", ["code is 'states'"]),
        (f"{OWN}code: renyi.tradeoff\nneeds: dataset\n{PARAMETERS}", ["'dataset' is missing"]),
        (f"{OWN}code: renyi.tradeoff\nneeds: counts\n{PARAMETERS}", ["'rows' is missing"]),
        (f"{OWN}code: renyi.tradeoff\nneeds: scores\n{PARAMETERS}", ["'rows' is missing"]),
        (f"{HEAD}like: fig5_3\ncode: renyi.heldout\n", ["'rho' is missing"]),
        (f"{HEAD}like: fig5_3\nparameters: {{panel: fig9}}\n", ["panel is 'fig9'", "fig2a"]),
        (f"{HEAD}like: fig5_5\nparameters: {{family: beta_bernouli}}\n", ["did you mean 'beta-bernoulli'"]),
        (f"{HEAD}like: fig5_3\nparameters: {{family: dirichlet-categorical}}\n", ["gaussian-mean"]),
        (f"{HEAD}like: fig5_5\nparameters: {{family: gaussian-mean, prior: [1, 2, 4]}}\n", ["prior is [1, 2, 4]"]),
        (f"{HEAD}like: fig5_3\npublished: [nowhere.csv]\n", ["nowhere.csv", "data/published"]),
    ],
)
def test_the_whole_configuration_is_checked_before_anything_runs(clone, write, tmp_path, text, words):
    write("config/experiments/mine.yaml", text)
    message = refused(run(clone, "config", "--out", str(tmp_path / "c.yaml")))
    assert all(word in message for word in ["mine", *words]), message


def test_published_points_are_not_those_of_another_family(clone, tmp_path):
    table, claims = tmp_path / "t.csv", tmp_path / "c.csv"
    options = ["--set", "family=gaussian-mean", "--set", "epsilons=[0.01, 0.1, 1]"]
    assert run(clone, "table", "fig5_3", *options, "--out", str(table)).returncode == 0
    assert '"text"' not in table.read_text(encoding="utf-8")
    assert "\ntext," not in table.read_text(encoding="utf-8")
    assert run(clone, "claims", "fig5_3", "--table", str(table), "--out", str(claims)).returncode == 0
    assert "drawn with family = beta-bernoulli, this run with gaussian-mean" in claims.read_text(encoding="utf-8")


def test_an_output_is_not_the_table_nor_another_output(clone, tmp_path):
    table = tmp_path / "t.csv"
    assert run(clone, "table", "tab7_1", "--out", str(table)).returncode == 0
    before = table.read_bytes()
    for arguments, words in (
        (["claims", "--out", str(table)], "would replace"),
        (["claims", "--out", str(tmp_path / "c.csv"), "--errata", str(tmp_path / "c.csv")], "named for two outputs"),
        (["figure", "--out", str(tmp_path / "f.png"), "--out", str(tmp_path / "f.png")], "named for two outputs"),
    ):
        assert words in refused(run(clone, arguments[0], "tab7_1", "--table", str(table), *arguments[1:]))
    assert table.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.provenance.json"]


@pytest.mark.parametrize("about", ["5", '["a"]', "[]"])
def test_a_provenance_file_that_tells_nonsense_is_refused(clone, tmp_path, about):
    table = tmp_path / "t.csv"
    assert run(clone, "table", "fig5_3", "--set", "epsilons=[0.1, 1]", "--out", str(table)).returncode == 0
    beside = table.with_suffix(".provenance.json")
    told = json.loads(beside.read_text(encoding="utf-8"))
    told["about"] = json.loads(about)
    beside.write_text(json.dumps(told), encoding="utf-8")
    done = run(clone, "figure", "fig5_3", "--table", str(table), "--out", str(tmp_path / "f.png"))
    if about == "[]":  # nothing is told
        assert done.returncode == 0
    else:
        assert "not a provenance file" in refused(done)


def test_a_copy_of_a_variants_own_file_is_a_file_for_it(clone, tmp_path):
    mine = tmp_path / "mine.yaml"
    text = (clone.folder / "config/experiments/fig5_4.yaml").read_text(encoding="utf-8")
    mine.write_text(text.replace("order: 15", "order: 12"), encoding="utf-8")
    out = tmp_path / "t.csv"
    options = ["--config", str(mine), "--set", "epsilons=[0.1]", "--out", str(out)]
    assert run(clone, "table", "fig5_4", *options).returncode == 0
    told = json.loads(out.with_suffix(".provenance.json").read_text(encoding="utf-8"))["parameters"]
    assert (told["order"], told["n"]) == (12, 100)


def test_a_variant_is_judged_under_its_own_source(clone, write, tmp_path):
    changes = "{prior: [3, 10], epsilons: [0.01, 0.1, 1]}"
    write("config/experiments/mine.yaml", f"{HEAD}like: fig5_3\nparameters: {changes}\n")
    table, claims = tmp_path / "t.csv", tmp_path / "c.csv"
    for arguments in (
        ["table", "mine", "--out", str(table)],
        ["figure", "mine", "--table", str(table), "--out", str(tmp_path / "f.png")],
        ["claims", "mine", "--table", str(table), "--out", str(claims)],
    ):
        done = run(clone, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
    text = claims.read_text(encoding="utf-8")
    assert "mine.published,mine,ours," in text
    assert "Figure 5.3" not in text


DATASET = "title: coins\nsource: ours\nfile: data/raw/coins.csv\ncolumns: {coin: category, heads: number}\n"
MODULE = """
COLUMNS = {"coin": str, "share": float}


def table(params, rng, inputs):
    return inputs.rows.groupby("coin")["heads"].mean().rename("share").reset_index()
"""
NEEDING = f"{HEAD}part: chapter4\ncode: coins\nneeds: dataset\nparameters: {{dataset: coins}}\n"


def test_a_data_set_is_read_and_told_of(clone, write, tmp_path):
    write("config/datasets/coins.yaml", DATASET)
    write("data/raw/coins.csv", "heads,coin,else\n1,penny,x\n0,penny,\n1, dime ,y\n")
    write("src/reproduction/experiments/coins.py", MODULE)
    write("config/experiments/coin_bias.yaml", NEEDING)
    out = tmp_path / "t.csv"
    assert run(clone, "table", "coin_bias", "--out", str(out)).returncode == 0
    assert out.read_text(encoding="utf-8") == "coin,share\ndime,1.0\npenny,0.5\n"
    told = json.loads(out.with_suffix(".provenance.json").read_text(encoding="utf-8"))["about"]["inputs"]["coins"]
    assert told["rows"] == 3
    assert told["title"] == "coins"
    assert "reads no event log" in refused(run(clone, "table", "coin_bias", "--counts", "x.npz", "--out", str(out)))


@pytest.mark.parametrize(
    ("description", "rows", "words"),
    [
        (None, "x", ["there is no data set 'coins'"]),
        (DATASET, None, ["coins.csv", "put the file there"]),
        (DATASET, "coin\npenny\n", ["no column 'heads'"]),
        (DATASET, "coin,heads\npenny,many\n", ["no number in row 1 of heads"]),
        (DATASET, "coin,heads\npenny,\n", ["no number in row 1 of heads"]),
        (DATASET, "coin,heads\npenny,inf\n", ["no number in row 1 of heads"]),
        (DATASET, "", ["not a CSV table"]),
        (DATASET, "coin,heads\n", ["has no rows"]),
        (DATASET, "coin,heads,when\npenny,1,5,\ndime,0,6,\n", ["line 2", "4 fields for 3 columns"]),
        (DATASET + "delimiter: ';;'\n", "coin,heads\npenny,1\n", ["delimiter is ';;'"]),
        (DATASET, b"coin,heads\n\xff,1\n", ["not a CSV table"]),
        (DATASET + f"sha256: {'a' * 64}\n", "coin,heads\npenny,1\n", ["SHA-256"]),
        (DATASET.replace("number", "whole"), "coin,heads\npenny,1\n", ["'whole'", "'number' or 'category'"]),
        (DATASET + "colums: {}\n", "coin,heads\npenny,1\n", ["unknown key 'colums'"]),
        (DATASET.replace("number", "{bonds: [0, 1]}"), "", ["key 'bonds' of columns.heads (did you mean 'bounds'"]),
        (DATASET.replace("number", "{bounds: [0]}"), "", ["columns.heads.bounds is [0]; it must be a list of 2 to 2"]),
        (DATASET + "split: {}\n", "", ["split is {}; it must be 'own', or a mapping"]),
    ],
)
def test_a_data_set_that_cannot_be_used_is_one_sentence(clone, write, tmp_path, description, rows, words):
    if description is not None:
        write("config/datasets/coins.yaml", description)
    if rows is not None:
        write("data/raw/coins.csv", rows)
    write("src/reproduction/experiments/coins.py", MODULE)
    write("config/experiments/coin_bias.yaml", NEEDING)
    message = refused(run(clone, "table", "coin_bias", "--out", str(tmp_path / "t.csv")))
    assert all(word in message for word in words), message
    assert not list(tmp_path.iterdir())
