"""Files of data sets by every route, none of which needs a network here; and what is said where none leads there."""

import gzip
import hashlib
import http.server
import io
import os
import pickle
import pickletools
import stat
import tarfile
import threading
import time
import zipfile

import numpy as np
import pytest
import yaml

import refusals
from dpsampling.cli import main
from dpsampling.datasets import descriptions, fetch, images, packages, pickled
from dpsampling.errors import InputError

FIRST, SECOND = b"1,2\n3,4\n", b"5,6\n"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def described(tmp_path, monkeypatch):
    """A data set of two files, and a way to describe its routes."""
    monkeypatch.setattr(descriptions, "root", lambda: tmp_path)
    (tmp_path / "config/datasets").mkdir(parents=True)

    def describe(*routes, **more):
        keys = {
            "title": "pairs",
            "source": "here",
            "file": ["data/raw/a.csv", "data/raw/b.csv"],
            "sha256": [sha256(FIRST), sha256(SECOND)],
            "names": ["x", "y"],
            "columns": {"x": "number"},
            **({"fetch": list(routes)} if routes else {}),
            **more,
        }
        told = {key: value for key, value in keys.items() if value is not None}
        path = tmp_path / "config/datasets/pairs.yaml"
        path.write_text(yaml.safe_dump(told), encoding="utf-8")
        monkeypatch.setattr(descriptions, "path_of", lambda name: path)
        return tmp_path / "data/raw"

    return describe


def files_at(folder, first=FIRST, second=SECOND):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.csv").write_bytes(first)
    (folder / "b.csv").write_bytes(second)
    return {"url": [(folder / name).as_uri() for name in ("a.csv", "b.csv")]}


def fetched(raw):
    said = []
    fetch.fetch("pairs", said.append)
    assert ((raw / "a.csv").read_bytes(), (raw / "b.csv").read_bytes()) == (FIRST, SECOND)
    assert sorted(path.name for path in raw.iterdir() if not path.name.endswith(".gz")) == ["a.csv", "b.csv"]
    return said


def refused(match="pairs is not at"):
    """What is said of each route where none leads there."""
    said = []
    with pytest.raises(InputError, match=match):
        fetch.fetch("pairs", said.append)
    return said


def test_an_address_plain_and_gzipped(described, tmp_path):
    raw = described(files_at(tmp_path / "plain"))
    assert len(fetched(raw)) == 1
    assert fetched(raw) == [f"pairs: {raw / 'a.csv'} and {raw / 'b.csv'}, there already."]
    raw = described(files_at(tmp_path / "packed", gzip.compress(FIRST), gzip.compress(SECOND)))
    (raw / "b.csv").unlink()
    fetched(raw)


def test_a_packed_file_as_it_is_if_its_checksum_is_meant(described, tmp_path):
    packed = gzip.compress(FIRST)
    raw = described(files_at(tmp_path / "there", packed), sha256=[sha256(packed), sha256(SECOND)])
    fetch.fetch("pairs", print)
    assert (raw / "a.csv").read_bytes() == packed


def test_what_stands_beside_is_unpacked_before_any_route_is_tried(described, tmp_path):
    raw = described({"url": ["https://nowhere.invalid/a", "https://nowhere.invalid/b"]})
    files_at(raw)
    (raw / "a.csv").unlink()
    (raw / "a.csv.gz").write_bytes(gzip.compress(FIRST))
    assert fetched(raw)[0].endswith("from the packed file beside it.")


def test_routes_are_tried_in_their_order_until_one_is_right(described, tmp_path):
    raw = described(
        {"url": [(tmp_path / "gone").as_uri(), (tmp_path / "gone").as_uri()]},
        files_at(tmp_path / "wrong", FIRST, b"something else"),
        files_at(tmp_path / "broken", gzip.compress(FIRST)[:-5], SECOND),
        files_at(tmp_path / "right"),
        files_at(tmp_path / "never", b"", b""),
    )
    said = fetched(raw)
    assert len(said) == 4
    assert "No such file" in said[0]
    assert "what it has for b.csv is another file" in said[1]
    assert "what it has for a.csv is another file" in said[2]


@pytest.mark.parametrize("harm", ["pipe", "huge", "bomb"])
def test_what_never_ends_is_no_file(described, tmp_path, monkeypatch, harm):
    monkeypatch.setattr(fetch, "LARGEST", 1 << 16)
    route = files_at(tmp_path / "there")
    bad = tmp_path / "there/a.csv"
    bad.unlink()
    if harm == "pipe":
        os.mkfifo(bad)
    else:
        bad.write_bytes(bytes(1 << 17) if harm == "huge" else gzip.compress(bytes(1 << 20)))
    raw = described(route)
    assert len(refused("run 'make data' where there is a network")) == 1
    assert not raw.exists()


def test_another_file_in_its_place_is_refused_and_stays(described, tmp_path):
    raw = described(files_at(tmp_path / "there"))
    raw.mkdir(parents=True)
    (raw / "a.csv").write_bytes(b"mine")
    refused(r"a\.csv is not the file .* SHA-256 is another; remove it")
    assert [path.read_bytes() for path in raw.iterdir()] == [b"mine"]


def test_without_routes_it_is_said_where_to_put_it(described):
    raw = described(sha256=None)
    refused(r"not at data/raw/a\.csv and data/raw/b\.csv; put the file there \(here\)\.")
    files_at(raw, b"any", b"thing")
    fetch.fetch("pairs", print)


# -- addresses --------------------------------------------------------------------------------------------------------


@pytest.fixture
def server():
    """A server of one path that answers, one that drips, and none else."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/gone":
                self.send_error(404)
                return
            self.send_response(200)
            self.end_headers()
            for _ in range(40 if self.path == "/drip" else 1):
                self.wfile.write(b"1,2\n")
                self.wfile.flush()
                time.sleep(0.05 if self.path == "/drip" else 0)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()


def test_what_an_address_has(server, monkeypatch):
    monkeypatch.setattr(fetch, "PATIENCE", 0.5)
    assert fetch._address(f"{server}/there") == b"1,2\n"
    for path, why in (("gone", "404"), ("drip", "more than 0.5 s")):
        with pytest.raises(packages.UnreachableError, match=why):
            fetch._address(f"{server}/{path}")
    monkeypatch.setattr(fetch, "LARGEST", 3)
    with pytest.raises(packages.UnreachableError, match="it has more than"):
        fetch._address(f"{server}/there")
    with pytest.raises(packages.UnreachableError, match="Connection refused"):
        fetch._address("http://127.0.0.1:9/there")


@pytest.mark.parametrize("url", ["http://x.org/a", "ftp://x.org/a", "https://x.org/a b", "/etc/passwd", "data:,x"])
def test_only_safe_addresses_may_be_described(described, url):
    described({"url": [url, url]})
    with pytest.raises(InputError, match="it must be an address that begins with https:// or file://"):
        descriptions.description("pairs")


# -- packages ---------------------------------------------------------------------------------------------------------

WHEEL = {"there/a.csv": FIRST, "there/b.csv": SECOND}


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """A pip, an uv and an npm that do as they are told here; what they were called with is kept."""
    wheel, tgz = tmp_path / "pairs-1-py3-none-any.whl", tmp_path / "pairs-1.tgz"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in WHEEL.items():
            archive.writestr(name, data)
    with tarfile.open(tgz, "w:gz") as archive:
        for name, data in WHEEL.items():
            told = tarfile.TarInfo(f"package/{name}")
            told.size = len(data)
            archive.addfile(told, io.BytesIO(data))
    scripts = {
        "uv": f'for a; do case $a in --target=*) cd "${{a#--target=}}";; esac; done; unzip -q {wheel}',
        "npm": f"cp {tgz} .",
    }
    (tmp_path / "bin").mkdir()
    for name, script in scripts.items():
        path = tmp_path / "bin" / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> {tmp_path}/calls\n{script}\n', encoding="utf-8")
        path.chmod(0o755)
    (tmp_path / "modules/pip").mkdir(parents=True)
    pip = "import shutil, sys\n"
    pip += f"open({str(tmp_path / 'calls')!r}, 'a').write('pip ' + ' '.join(sys.argv[1:]) + '\\n')\n"
    pip += f"shutil.copy({str(wheel)!r}, next(a for a in sys.argv if a.startswith('--dest='))[7:])\n"
    (tmp_path / "modules/pip/__main__.py").write_text(pip, encoding="utf-8")
    (tmp_path / "modules/pip/__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


PIP = {"pip": "pairs==1", "files": list(WHEEL)}
NPM = {"npm": "pairs@1.0.0", "files": [f"package/{name}" for name in WHEEL]}


def without_pip(monkeypatch):
    monkeypatch.setattr(packages.importlib.util, "find_spec", lambda name: None)


def test_a_package_by_pip_by_uv_and_by_npm(described, tools, monkeypatch):
    for route, name in ((PIP, "pip"), (PIP, "uv"), (NPM, "npm")):
        if name != "pip":
            without_pip(monkeypatch)
        raw = described(route)
        fetched(raw)
        (raw / "a.csv").unlink()
        call = (tools / "calls").read_text(encoding="utf-8").splitlines()[-1]
        assert call.startswith(name)
        assert call.endswith(f"-- {route.get('pip') or route.get('npm')}")
        if name != "npm":
            assert "--no-deps --only-binary=:all:" in call, "no package may run what it brings"
        else:
            assert "--ignore-scripts" in call


@pytest.mark.parametrize("route", [PIP, NPM])
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'ERROR: No matching distribution.' >&2; echo hint >&2; exit 3", "ended with 3 (ERROR: No matching"),
        ("exit 1", "ended with 1 (no reason)"),
        ("true", "no package of a usual size"),
        ("echo x > a.whl; echo x > b.whl; echo x > a.tgz; echo x > b.tgz", "no package of a usual size"),
        ("echo x > a.whl; echo x > a.tgz", "has no "),
        ("sleep 60 & sleep 60", "took more than"),
    ],
)
def test_a_tool_that_fails_is_a_reason(described, tools, monkeypatch, route, script, why):
    if script.startswith("sleep"):
        monkeypatch.setattr(packages, "PATIENCE", 0.3)
    (tools / "bin/npm").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    run = "import os, sys\nos.chdir(next(a for a in sys.argv if a.startswith('--dest='))[7:])\n"
    run += f"os.execv('/bin/sh', ['sh', '-c', {script!r}])\n"
    (tools / "modules/pip/__main__.py").write_text(run, encoding="utf-8")
    described(route)
    (said,) = refused()
    assert why in said


def test_without_tools(described, tools, monkeypatch):
    without_pip(monkeypatch)
    monkeypatch.setenv("PATH", "")
    described(PIP, NPM)
    by_pip, by_npm = refused()
    assert "neither pip nor uv" in by_pip
    assert "there is no npm" in by_npm


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "there", "nowhere"])
def test_nothing_but_the_packages_own_files_is_read(tools, monkeypatch, name):
    for by in ("pip", "npm", "uv"):
        if by == "uv":
            without_pip(monkeypatch)
        get, package = (packages.from_npm, "pairs@1.0.0") if by == "npm" else (packages.from_pip, "pairs==1")
        with pytest.raises(packages.UnreachableError, match="that can be read"):
            get(package, [name], 1000)


@pytest.mark.parametrize("package", ["--extra==1", "a b==1", "pairs", "pairs>=1", "git+https://x==1", "-r==1"])
def test_only_pinned_packages_may_be_described(described, package):
    described({"pip": package, "files": ["a", "b"]})
    with pytest.raises(InputError, match=r"it must be a package with its version, as in NAME==1\.2"):
        descriptions.description("pairs")


# -- the pickle -------------------------------------------------------------------------------------------------------


def digits(count=5, side=4):
    draw = np.random.default_rng(3)
    return draw.integers(0, 256, (count, side, side)).astype(np.uint8), draw.integers(0, 10, count).astype(np.uint8)


def pickle_of(pictures, labels, protocol=3):
    """As the package has it: a training and a validation part, points over 256 in single precision."""
    points = (pictures.reshape(len(pictures), -1) / 256).astype(np.float32)
    parts = slice(3), slice(3, None)
    return pickle.dumps([(points[part], labels[part].astype(np.int64)) for part in parts], protocol)


def as_by_python_2(data):
    """Bytes as the strings that they were there; both have their length in as many bytes."""
    written = bytearray(data)
    for told, _, at in pickletools.genops(data):
        if told.name in {"BINBYTES", "SHORT_BINBYTES"}:
            written[at : at + 1] = b"T" if told.name == "BINBYTES" else b"U"
    return bytes(written)


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_a_pickle_gives_back_the_two_files(kind):
    pictures, labels = digits()
    data = pickle_of(pictures, labels, max(kind, 3))
    data = as_by_python_2(data) if kind == 2 else data
    found = pickled.images_and_labels(data, 5)
    sizes = np.array([5, 4, 4], ">u4").tobytes()
    head, beside = b"\0\0\x08\x03" + sizes, b"\0\0\x08\x01" + sizes[:4]
    assert list(found) == [head + pictures.tobytes(), beside + labels.tobytes()]
    assert pickled.images_and_labels(data, 4)[1] == images.written(labels[:4])


class Evil:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


def hostile_pickles():
    pictures, labels = digits()
    good = pickle_of(pictures, labels)
    array = np.zeros((2, 16), np.float32)
    return {
        "a command": pickle.dumps(Evil(os.system, ("touch evil",))),
        "a command in a pair": pickle.dumps([(array, Evil(os.system, ("touch evil",)))]),
        "another numpy function": pickle.dumps([(Evil(np.load, ("evil.npy", None, True)), array)]),
        "eval": b'cbuiltins\neval\n(S\'open("evil", "w")\'\ntR.',
        "an array of objects": pickle.dumps([(np.array([{}], object), array)]),
        "an array by columns": pickle.dumps([(np.asfortranarray(np.ones((3, 4), np.float32)), array)]),
        "large ends first": pickle.dumps([(array.astype(">f4"), array)]),
        "text": pickle.dumps([(np.array(["a"]), array)]),
        "a size that is another": good.replace(b"K\x03K\x10\x86", b"K\x04K\x10\x86"),
        "a size beyond memory": good.replace(b"K\x03K\x10\x86", b"J\xff\xff\xff\x7fK\x10\x86"),
        "cut short": good[:-9],
        "no array": pickle.dumps([("a", "b")]),
        "no pair": pickle.dumps([array]),
        "nothing": b"",
        "bytes": b"\x80\x02\xff\xff",
        "numbers that are no points": pickle.dumps([(np.full((2, 16), np.nan, np.float32), np.array([1, 2]))]),
        "a huge number": pickle.dumps([(np.full((2, 16), 1e30, np.float32), np.array([1, 2]))]),
        "a huge buffer": b"\x80\x05\x96" + (1 << 62).to_bytes(8, "little") + b"x.",
        "a deep nest": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
    }


@pytest.mark.parametrize("name", sorted(hostile_pickles()))
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_hostile_pickle_calls_nothing_and_is_a_reason(described, tools, monkeypatch, name):
    monkeypatch.chdir(tools)
    with zipfile.ZipFile(tools / "pairs-1-py3-none-any.whl", "w") as archive:
        archive.writestr("p.gz", gzip.compress(hostile_pickles()[name]))
    described({"pip": "pairs==1", "pickle": "p.gz", "count": 5})
    (said,) = refused()
    assert "its pickle holds something else" in said or "another file" in said
    assert not (tools / "evil").exists()


def test_the_planted_command_would_run_in_an_open_unpickler(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pickle.loads(hostile_pickles()["a command"])
    assert (tmp_path / "evil").exists()


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command_ends_with_a_sentence(described, tmp_path, capsys):
    raw = described({"url": [(tmp_path / "gone").as_uri()] * 2})
    assert main(["fetch", "pairs"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("dpsampling: data set pairs is not at data/raw/a.csv and data/raw/b.csv;")
    files_at(raw)
    assert main(["fetch", "pairs"]) == 0


def test_into_a_folder_of_ones_own(described, tmp_path):
    raw = described(files_at(tmp_path / "there"))
    assert main(["fetch", "pairs", "--out-dir", str(tmp_path / "mine")]) == 0
    assert (tmp_path / "mine/b.csv").read_bytes() == SECOND
    assert not raw.exists()
    assert stat.S_IMODE((tmp_path / "mine/b.csv").stat().st_mode) & 0o600 == 0o600


def test_a_name_that_is_none(capsys):
    said = refusals.of_command(capsys, "fetch", "abalon")
    assert "there is no data set 'abalon' in config/datasets (did you mean 'abalone'?)" in said
    assert "name either" in refusals.of_command(capsys, "fetch", "abalone", "--for", "fig5_3")
    assert main(["fetch", "--for", "fig5_3"]) == 0, "it is made from no data set"


WRONG = [
    ({"sha256": None}, "'sha256' is missing; what is fetched is known by it"),
    ({"sha256": sha256(FIRST)}, "sha256 is of 1 files, and file of 2"),
    ({"fetch": [{"url": ["file:///x"]}]}, r"fetch\[0\] is of 1 files, and file of 2"),
    ({"fetch": [{}]}, r"fetch\[0\] has no address; a route is one of url, pip and npm"),
    ({"fetch": [{"pip": "a==1", "npm": "a@1"}]}, "has pip and npm; a route is one of"),
    ({"fetch": [{"pip": "a==1"}]}, "needs the package's files, or its pickle with a count"),
    ({"fetch": [{"pip": "a==1", "pickle": "x"}]}, "needs the package's files, or its pickle with a count"),
    ({"fetch": [{"url": ["file:///x", "file:///y"], "files": ["a", "b"]}]}, "has 'files' beside url"),
    ({"fetch": []}, "fetch is"),
    ({"file": "data/{x}.csv"}, "a path without braces"),
]


@pytest.mark.parametrize(("change", "why"), WRONG)
def test_a_description_that_contradicts_itself_is_one_sentence(described, tmp_path, change, why):
    described(files_at(tmp_path / "there"), **change)
    with pytest.raises(InputError, match=why):
        descriptions.description("pairs")


def test_the_shipped_routes_name_no_index():
    """Packages are had by whatever index the user's tools are told to use."""
    for name in descriptions.names():
        told = descriptions.description(name)
        assert descriptions.is_public(told)
        assert any("url" in route for route in told["fetch"][:1]), "the publisher's address comes first"
        assert any("pip" in route or "npm" in route for route in told["fetch"])
