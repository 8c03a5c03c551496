"""The ledger beside private data: charged before anything is drawn, never overspent, stopped by damage."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from fractions import Fraction

import pytest

from dpsampling.errors import InputError
from dpsampling.privacy.accounting import compose, repeat, to_approximate
from dpsampling.privacy.budget import Budget, identity, ledger_of
from dpsampling.privacy.guarantee import Approximate, ProfileBased, Pure, Relation, Renyi
from dpsampling.privacy.ledger import Release


def release(epsilon, **changes):
    return Release("log", "laplace", Pure(epsilon, **changes))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "counts.npz.ledger"


# -- charging --------------------------------------------------------------------------------------------------------


def test_every_release_is_in_the_file_before_the_call_returns(path):
    budget = Budget.open(path, Pure(3.0))
    assert lines(path)[0]["epsilon"] == "3.0"
    account = budget.charge(release(1.0))
    assert (account.spent, account.left) == (1.0, 2.0)
    assert Budget.open(path, Pure(3.0)).account() == account  # another process would see as much
    assert [line.get("mechanism") for line in lines(path)] == [None, "laplace"]
    budget.charge(release(2.0))
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"from 3 to 3\.00101, above its total of 3; lower ε, for 0 is left"):
        budget.charge(release(0.001))
    assert path.read_bytes() == before


def test_a_second_run_costs_again_and_a_third_is_refused(path):
    for _ in range(2):
        Budget.open(path, Pure(1.0)).charge(release(0.5))
    with pytest.raises(InputError, match="above its total"):
        Budget.open(path, Pure(1.0)).charge(release(0.5))


def test_levels_add_as_what_they_are(path):
    """Ten times the decimal 0.1 is 1; ten times its float is 1 + 5.6e-17, which the budget does not have."""
    budget = Budget.open(path, Pure(1.0))
    for _ in range(9):
        budget.charge(release(0.1), exactly=Fraction("0.1"))
    with pytest.raises(InputError, match="above its total"):
        budget.charge(release(0.1))
    assert budget.charge(release(0.1), exactly=Fraction("0.1")).left == 0.0
    with pytest.raises(InputError, match="not what it promises"):
        budget.charge(release(0.1), exactly=Fraction("0.11"))
    thirds = Budget.open(path.with_name("b.ledger"), Pure(0.3))
    for _ in range(3):
        account = thirds.charge(release(0.1), exactly=Fraction("0.1"))
    assert account.spent >= Fraction("0.3") > Fraction(0.3)  # what is typed as 0.3 is more than its float


def test_what_is_left_is_rounded_down_and_what_is_spent_up(path):
    account = Budget.open(path, Pure(1.0)).charge(release(1e-20))
    assert Fraction(account.left) <= 1 - Fraction(1e-20) < 1
    assert account.left < 1.0
    account = Budget.open(path, Pure(1.0)).charge(release(1.0 / 3.0))
    assert Fraction(account.spent) >= Fraction(1.0 / 3.0) + Fraction(1e-20)


def test_a_release_is_counted_as_often_as_it_is_made(path):
    budget = Budget.open(path, Pure(10.0))
    budget.charge(Release("log", "ops", Pure(1.0), count=9))
    with pytest.raises(InputError, match="from 9 to 11"):
        budget.charge(Release("log", "ops", Pure(1.0), count=2))


@pytest.mark.parametrize("guarantee", [Pure(float("inf")), ProfileBased(0.1, "g")])
def test_what_promises_nothing_has_no_place_in_a_budget(path, guarantee):
    with pytest.raises(InputError, match=r"promises nothing|no level"):
        Budget.open(path, Pure(1.0)).charge(Release("log", "m", guarantee))


def test_levels_for_other_neighbours_do_not_add(path):
    budget = Budget.open(path, Pure(1.0), unit="patient")
    with pytest.raises(InputError, match=r"each patient .* this release each row"):
        Budget.open(path, Pure(1.0), unit="row")
    with pytest.raises(InputError, match="takes neighbours to 'add or remove one record'"):
        budget.charge(release(0.1, relation=Relation.ADD_OR_REMOVE_ONE))


@pytest.mark.parametrize("total", [Pure(4.0), Pure(2.0), Approximate(3.0, 1e-6)])
def test_a_budget_is_fixed_by_its_first_line(path, total):
    Budget.open(path, Pure(3.0))
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"is ε = 3.0, fixed by its first release"):
        Budget.open(path, total)
    assert path.read_bytes() == before


@pytest.mark.parametrize("total", [Pure(0.0), Pure(float("inf")), Approximate(1.0, 1.0)])
def test_a_budget_that_is_none(path, total):
    with pytest.raises(InputError, match="a budget is"):
        Budget.open(path, total)
    assert not path.exists()


# -- curves and δ ----------------------------------------------------------------------------------------------------


def gaussian(scale):
    return Renyi(lambda order: order / (2.0 * scale**2))


def test_curves_are_kept_at_orders_and_never_cost_less_than_they_do(path):
    """The kept curve is a step above the true one: at most 6% in the order, 1% in what comes of it here."""
    budget = Budget.open(path, Approximate(5.0, 1e-6))
    for _ in range(3):
        account = budget.charge(Release("log", "gaussian", gaussian(4.0)))
    exact = to_approximate(repeat(gaussian(4.0), 3), 1e-6).epsilon
    assert exact <= account.spent <= 1.02 * exact
    for _ in range(20):
        with suppress(InputError):
            budget.charge(Release("log", "gaussian", gaussian(4.0)))
    account = budget.account()
    assert 3 < len(account.entries) < 23
    assert account.spent <= 5.0


def test_a_curve_holds_to_its_horizon_and_no_further(path):
    budget = Budget.open(path, Approximate(9.0, 1e-6))
    short = Renyi(lambda order: 0.01 * order / (3.0 - order), horizon=3.0)
    kept = budget.charge(Release("log", "direct", short)).entries[0].guarantee
    read = Budget.open(path, Approximate(9.0, 1e-6)).account().entries[0].guarantee
    for order in (1.02, 1.5, 2.5, 2.9):
        assert kept.epsilon(order) <= read.epsilon(order)
    assert read.epsilon(3.0) == float("inf")


def test_pure_curves_and_deltas_together(path):
    budget = Budget.open(path, Approximate(3.0, 1e-5))
    budget.charge(release(0.5))
    budget.charge(Release("log", "gaussian", gaussian(10.0)))
    account = budget.charge(Release("log", "converted", Approximate(0.5, 4e-6)))
    exact = 0.5 + to_approximate(compose(Pure(0.5), gaussian(10.0)), 6e-6).epsilon
    assert exact * (1 - 1e-9) <= account.spent <= 1.02 * exact
    with pytest.raises(InputError, match="to inf, above"):
        budget.charge(Release("log", "converted", Approximate(0.1, 7e-6)))
    pure = Budget.open(path.with_name("pure.ledger"), Pure(3.0))
    with pytest.raises(InputError, match="to inf, above"):
        pure.charge(Release("log", "gaussian", gaussian(10.0)))


# -- several processes, and killed ones --------------------------------------------------------------------------------

CHARGE = """
import sys
from pathlib import Path
from dpsampling.errors import InputError
from dpsampling.privacy.budget import Budget
from dpsampling.privacy.guarantee import Pure
from dpsampling.privacy.ledger import Release
made = 0
if len(sys.argv) > 2 and sys.argv[2] == "together":
    print("ready", flush=True)
    sys.stdin.readline()
for _ in range(4):
    try:
        Budget.open(Path(sys.argv[1]), Pure(1.0)).charge(Release("log", "m", Pure(0.0625)))
        made += 1
    except InputError:
        pass
print(made, flush=True)
if len(sys.argv) > 2 and sys.argv[2] == "wait":
    import time
    time.sleep(60)  # where the noise would be drawn
"""


def test_ten_processes_at_once_never_overspend(path):
    """Forty charges of 1/16 for a total of 1: sixteen are made, whoever makes them."""
    command, pipe = [sys.executable, "-c", CHARGE, str(path), "together"], subprocess.PIPE
    running = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(10)]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert sum(int(process.communicate(timeout=60)[0]) for process in running) == 16
    account = Budget.open(path, Pure(1.0)).account()
    assert (account.spent, len(account.entries)) == (1.0, 16)


def test_a_killed_process_has_spent(path):
    killed = subprocess.Popen([sys.executable, "-c", CHARGE, str(path), "wait"], stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "4\n"
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    killed.stdout.close()
    assert Budget.open(path, Pure(1.0)).account().spent == 0.25


def test_a_release_waits_for_the_lock(path):
    import fcntl

    budget = Budget.open(path, Pure(1.0))
    held = os.open(path, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    other = subprocess.Popen([sys.executable, "-c", CHARGE, str(path)], stdout=subprocess.PIPE, text=True)
    time.sleep(1.0)
    assert other.poll() is None
    assert len(lines(path)) == 1
    os.close(held)
    assert other.communicate(timeout=60)[0] == "4\n"
    assert budget.account().spent == 0.25


# -- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[:-1],  # a last line that was cut short is no line to be left out
        lambda whole: whole[:-30],
        lambda whole: whole[: whole.index(b"\n") + 5],
        lambda whole: b"".join(whole.splitlines(keepends=True)[1:]),
        lambda whole: b"".join(line for i, line in enumerate(whole.splitlines(keepends=True)) if i != 1),  # one is lost
        lambda whole: whole.replace(b'"epsilon": "1"', b'"epsilon": "0"', 1),
        lambda whole: whole.replace(b'"epsilon": "3.0"', b'"epsilon": "9.0"', 1),
        lambda whole: whole + whole.splitlines(keepends=True)[-1],
        lambda whole: whole + b"\n",
        lambda whole: whole.replace(b"\n", b"\r\n"),
        lambda whole: b"\x00" * len(whole),
        lambda whole: b"[]\n" + whole,
    ],
)
def test_a_damaged_ledger_stops_every_release_with_one_sentence(path, damage):
    budget = Budget.open(path, Pure(3.0))
    for _ in range(2):
        budget.charge(release(1.0))
    path.write_bytes(damage(path.read_bytes()))
    before = path.read_bytes()
    for attempt in (lambda: budget.charge(release(0.1)), lambda: Budget.open(path, Pure(3.0))):
        with pytest.raises(InputError, match="is damaged") as told:
            attempt()
        assert re.fullmatch(r"[^\n]*[^.]\.", str(told.value))
    assert path.read_bytes() == before


def test_a_disk_that_is_full_stops_the_release_and_keeps_the_ledger_whole(path, monkeypatch):
    budget = Budget.open(path, Pure(3.0))
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, line: write(descriptor, line[: len(line) // 2]))
    with pytest.raises(InputError, match="disk is full"):
        budget.charge(release(1.0))
    monkeypatch.undo()
    assert budget.charge(release(1.0)).spent == 1.0


def test_a_ledger_is_its_owners_alone(path):
    budget = Budget.open(path, Pure(3.0))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    budget.charge(release(1.0))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_ledger_that_cannot_be_written_stops_the_release(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        Budget.open(tmp_path / "no" / "x.ledger", Pure(1.0))
    (tmp_path / "real").write_text("", encoding="utf-8")
    (tmp_path / "x.ledger").symlink_to(tmp_path / "real")
    with pytest.raises(InputError, match="cannot be written"):
        Budget.open(tmp_path / "x.ledger", Pure(1.0))


# -- whose ledger ----------------------------------------------------------------------------------------------------


def test_links_and_copies_of_a_file_have_its_ledger(tmp_path):
    """The attack: reach the same private file under another name, and begin at nothing again."""
    data = tmp_path / "counts.npz"
    data.write_bytes(b"rows")
    own = ledger_of(data)
    assert own.name == "counts.npz.ledger"
    Budget.open(own, Pure(1.0)).charge(Release(identity(data), "m", Pure(1.0)))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.npz").symlink_to(data)
    assert ledger_of(tmp_path / "elsewhere" / "link.npz") == own
    (tmp_path / "copy.npz").write_bytes(b"rows")
    assert ledger_of(tmp_path / "copy.npz") == own
    (tmp_path / "elsewhere" / "hard.npz").hardlink_to(data)
    with pytest.raises(InputError, match="one of 2 names"):
        ledger_of(tmp_path / "elsewhere" / "hard.npz")
    data.write_bytes(b"rows, and one more")  # data that have changed have spent what they have
    assert ledger_of(data) == own
    with pytest.raises(InputError, match="above its total"):
        Budget.open(own, Pure(1.0)).charge(Release(identity(data), "m", Pure(0.1)))


def test_another_ledger_can_be_named_only_while_there_is_none(tmp_path):
    data = tmp_path / "counts.npz"
    data.write_bytes(b"rows")
    assert ledger_of(data, tmp_path / "shared") == tmp_path / "shared"
    Budget.open(ledger_of(data), Pure(1.0))
    with pytest.raises(InputError, match=r"has the ledger .* already; leave out --ledger"):
        ledger_of(data, tmp_path / "shared")
    assert ledger_of(data, tmp_path / "counts.npz.ledger") == ledger_of(data)
