r"""A budget that outlives the process: an append-only file of all releases beside the private data.

Releases of ε₁, …, ε_k on the same data cost Σ ε_i together, whoever made them and when. So the total is fixed in the
file's first line, and a release is charged before its noise is drawn:

    lock, read and check all lines, refuse if the sum exceeds the total, append one line, fsync, unlock; then draw

The lock is the operating system's, held by one process at a time: ten at once never spend more than the total. What was
charged is spent, also by a process that was killed before it released anything. Each line ends with the SHA-256 of all
that stands up to there, so that a line which was changed, lost in the middle or cut short stops every further release.
Lines that are taken off the end whole leave no trace: the file is to be kept as the data are.

Pure levels add as the rational numbers that they are, and the total is the decimal that was typed: ten times 0.1 is 1.
Of a Rényi curve the levels at a grid of orders are kept; between two of them the upper one's level holds, for
divergences grow with the order. Where (ε, δ)'s are among them, what their δ's leave is what the curve is converted at.
The file names what it was charged for by content, and is therefore private itself.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import math
import os
import re
import tempfile
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpsampling.errors import InputError
from dpsampling.files import HOST, checksum, left_behind, regular_files, strict_json, why
from dpsampling.privacy.accounting import compose, epsilon_at_order, repeat, to_approximate
from dpsampling.privacy.guarantee import Approximate, Guarantee, Pure, Relation, Renyi, shown
from dpsampling.privacy.ledger import Release
from dpsampling.privacy.rounding import float_above, sum_up

ENDING = ".ledger"
VERSION = 1
ORDERS = tuple(1.0 + 10.0 ** (k / 40.0) for k in range(-80, 241))  # of a kept curve, from 1.01 to 10⁶; each 6% on
LARGEST = 64 << 20  # bytes of a ledger, some hundred thousand releases
MOST = 2**53  # times that a line counts
ROUNDED = Fraction(1, 2**40)  # of itself, what the float of a promise may be above its rational number
_RATIONAL = r"[0-9]{1,2000}(/[0-9]{1,2000})?"
_OWNER = 0o600


@dataclass(frozen=True)
class Entry:
    """One line: what was released on which data, and what one of `count` such releases costs.

    `exact` is the level of a pure guarantee as the rational that adds.
    """

    data: str
    mechanism: str
    guarantee: Pure | Approximate | Renyi
    count: int
    exact: Fraction | None = None


@dataclass(frozen=True)
class Account:
    """What a ledger says: the total, the lines, and what is spent at the total's δ."""

    total: Approximate
    unit: str
    entries: tuple[Entry, ...]

    @property
    def spent(self) -> float:
        """ε of all entries together, rounded up."""
        return float_above(self._spent) if isinstance(self._spent, Fraction) else self._spent

    @property
    def left(self) -> float:
        """Return what is left of the total, rounded down."""
        spent = self._spent
        if not isinstance(spent, Fraction):
            return max(0.0, math.nextafter(self.total.epsilon - spent, -math.inf)) if spent < math.inf else 0.0
        return max(0.0, -float_above(spent - decimal(self.total.epsilon)))

    @property
    def record(self) -> dict[str, float]:
        """The same in figures, as it stands beside a release."""
        return {"total": self.total.epsilon, "spent": self.spent, "left": self.left}

    def __str__(self) -> str:
        return f"spent {shown(self.spent)} of {self.total.epsilon:g}, {shown_down(self.left)} left"

    @property
    def overspent(self) -> bool:
        """Return whether the entries exceed the total."""
        return self._spent > decimal(self.total.epsilon)

    @property
    def _spent(self) -> Fraction | float:
        if all(entry.exact is not None for entry in self.entries):
            return sum((entry.count * entry.exact for entry in self.entries if entry.exact is not None), Fraction(0))
        return _composed([repeat(entry.guarantee, entry.count) for entry in self.entries], self.total.delta)


@dataclass(frozen=True)
class Budget:
    """The ledger at `path`; `open` makes or checks it."""

    path: Path
    total: Approximate
    unit: str

    @classmethod
    def open(cls, path: Path, total: Pure | Approximate, *, unit: str = "row") -> Budget:
        """Return the ledger with this total and these neighbours, made if there is none.

        Args:
            path: its file; `ledger_of` says where that of private data is.
            total: what all releases may cost together, ε above 0 and finite, δ below 1; it can never be changed.
            unit: whose records neighbours differ in: levels for rows and for persons do not add.

        Raises:
            InputError: the file has another total, unit or relation, is damaged, or cannot be written.
        """
        delta = total.delta if isinstance(total, Approximate) else 0.0
        if not 0 < total.epsilon < math.inf or not delta < 1:
            raise InputError(f"a budget is {total}; its ε must be above 0 and finite, and its δ below 1.")
        budget = cls(Path(path), Approximate(total.epsilon, delta, total.relation), unit)
        _create(budget.path, _header(budget.total, unit))
        budget.account()
        return budget

    def account(self) -> Account:
        """Return what is spent so far."""
        with _locked(self.path) as stream:
            return self._read(stream)[0]

    def charge(self, release: Release, *, exactly: Fraction | None = None) -> Account:
        """Write a release down before it is made, and return what is spent with it.

        Args:
            release: what is to be made; a profile-based guarantee has no level that adds.
            exactly: the rational that a pure level is, at most 2⁻⁴⁰ of itself below its float, as of a typed 0.1.

        Raises:
            InputError: the total does not allow it, or it is for other neighbours; nothing is spent then.
        """
        entry = priced(release, exactly)
        if release.guarantee.relation is not self.total.relation:
            raise InputError(
                f"{release.mechanism} takes neighbours to '{release.guarantee.relation.value}', the budget in "
                f"{self.path} to '{self.total.relation.value}'; restate one of them."
            )
        with _locked(self.path) as stream:
            account, before = self._read(stream)
            after = Account(account.total, account.unit, (*account.entries, entry))
            if after.overspent:
                raise InputError(
                    f"releasing {release.mechanism} would bring what is spent of {self.path} from "
                    f"{shown(account.spent)} to {shown(after.spent)}, above its total of {self.total.epsilon:g}; "
                    f"lower ε, for {shown_down(account.left)} is left, or use what was released before."
                )
            _append(stream, before, _record(entry))
        return after

    def _read(self, stream: int) -> tuple[Account, bytes]:
        """Return what the locked file says and holds; it must be this budget's."""
        whole = _content(self.path, stream)
        account = _account(self.path, whole)
        total, unit = account.total, account.unit
        if (total.epsilon, total.delta) != (self.total.epsilon, self.total.delta):
            raise InputError(
                f"the budget of {self.path} is ε = {total.epsilon!r}{f', δ = {total.delta!r}' if total.delta else ''}, "
                "fixed by its first release; a total cannot be changed afterwards, so give that one."
            )
        if (unit, total.relation) != (self.unit, self.total.relation):
            raise InputError(
                f"{self.path} protects each {unit} ('{total.relation.value}'), this release each {self.unit} "
                f"('{self.total.relation.value}'); levels for different neighbours do not add."
            )
        return account, whole


def kept(path: Path) -> Account:
    """Return what a ledger says, whatever its total is; nothing is locked or made."""
    try:
        return _account(path, regular_files.content(path, LARGEST))
    except OSError as error:
        raise InputError(f"the ledger {path} cannot be read ({why(error)[0]}); name the one of these data.") from error


def ledger_of(data: Path, named: Path | None = None) -> Path:
    """Where the ledger of a private file is: `NAME.ledger` beside the file itself, whatever link leads there.

    A copy in the same folder has the ledger of what it is a copy of. Another one may be `named` while there is none.
    """
    path = _resolved(data)
    own = path.with_name(path.name + ENDING)
    if named is not None and own.exists() and _resolved(named) != own:
        raise InputError(f"{data} has the ledger {own} already; leave out --ledger, for releases of it add up there.")
    if named is not None or own.exists():
        return own if named is None else _resolved(named)
    try:
        links, content = path.stat().st_nlink, checksum(path)
        others = sorted(
            other
            for other in path.parent.glob(f"*{ENDING}")
            if content.encode() in regular_files.content(other, LARGEST)
        )
    except OSError as error:
        raise InputError(f"{data} cannot be read ({error.strerror}); name a file that you own.") from error
    if others:
        return others[0]
    if links > 1:
        raise InputError(f"{data} is one of {links} names of the same file; say which ledger is theirs with --ledger.")
    return own


def _resolved(path: Path) -> Path:
    """Where links lead."""
    try:
        return Path(path).resolve()
    except RuntimeError as error:
        raise InputError(f"{path} is a link that leads back to itself; name a file.") from error


def identity(data: Path) -> str:
    """A private file's name, content and place, as its ledger writes them down."""
    path = _resolved(data)
    status = path.stat()
    return f"{path.name} sha256:{checksum(path)} inode:{status.st_dev}:{status.st_ino}"


def shown_down(level: float) -> str:
    """Return what is left, to six digits, the last one rounded down."""
    return f"{float(Context(prec=6, rounding=ROUND_FLOOR).create_decimal(repr(level))):g}"


# -- what adds up -----------------------------------------------------------------------------------------------------


def _composed(guarantees: Sequence[Guarantee], delta: float) -> float:
    """ε at this δ, of (ε, δ)'s by themselves and of all others through their Rényi curves."""
    plain = [g for g in guarantees if isinstance(g, Approximate)]
    others = [g for g in guarantees if not isinstance(g, Approximate)]
    used = sum_up([g.delta for g in plain])
    if used > delta:
        return math.inf
    rest = max(0.0, math.nextafter(delta - used, 0.0)) if used else delta
    levels = [g.epsilon for g in plain]
    if others:
        together = compose(*others)
        levels.append(_converted(together, rest))
    return sum_up(levels)


def _converted(together: Guarantee, delta: float) -> float:
    """ε at this δ; of curves at the orders that are kept, for between them they are no longer convex."""
    if not isinstance(together, Renyi):
        return to_approximate(together, delta).epsilon
    if delta == 0:
        return math.inf
    orders = [order for order in ORDERS if order < together.horizon]
    return min((epsilon_at_order(together.epsilon(order), order, delta) for order in orders), default=math.inf)


def priced(release: Release, exactly: Fraction | None = None) -> Entry:
    """A release as a line of an account; `exactly` as `Budget.charge` has it."""
    guarantee = release.guarantee
    if not isinstance(guarantee, Pure | Approximate | Renyi):
        raise InputError(f"{release.mechanism} has no level that a budget counts; keep profile-based releases apart.")
    level = guarantee.epsilon if isinstance(guarantee, Pure | Approximate) else 0.0
    if not (release.count >= 1 and level < math.inf):
        raise InputError(f"{release.mechanism} promises nothing; there is no budget for that.")
    exact = None
    if isinstance(guarantee, Pure):
        promised = Fraction(guarantee.epsilon)
        if exactly is not None and not promised * (1 - ROUNDED) <= exactly <= promised:
            raise InputError(f"{release.mechanism} is charged {float(exactly):g}, which is not what it promises.")
        exact = Fraction(guarantee.epsilon) if exactly is None else exactly
    return Entry(release.data, release.mechanism, guarantee, int(release.count), exact)


def _kept_curve(orders: Sequence[float], levels: Sequence[float], relation: Relation) -> Renyi:
    """Each order has the level of the next one that was kept: divergences do not fall as the order grows."""

    def curve(order: float) -> float:
        place = bisect_left(orders, order)
        return levels[place] if place < len(orders) else math.inf

    return Renyi(curve, math.nextafter(orders[-1], math.inf), relation)


# -- lines ------------------------------------------------------------------------------------------------------------


def decimal(level: float) -> Fraction:
    """The shortest decimal of a float, which is what was typed."""
    return Fraction(repr(float(level)))


def _header(total: Approximate, unit: str) -> dict[str, Any]:
    return {
        "ledger": VERSION,
        "opened": _now(),
        "epsilon": repr(total.epsilon),
        "delta": repr(total.delta),
        "relation": total.relation.value,
        "unit": unit,
    }


def _record(entry: Entry) -> dict[str, Any]:
    g = entry.guarantee
    about = {"when": _now(), "data": entry.data, "mechanism": entry.mechanism, "count": entry.count}
    level: dict[str, Any]
    if isinstance(g, Pure):
        assert entry.exact is not None
        level = {"epsilon": str(entry.exact)}
    elif isinstance(g, Approximate):
        level = {"epsilon": str(Decimal(g.epsilon)), "delta": str(Decimal(g.delta))}
    else:
        kept = [(order, g.epsilon(order)) for order in ORDERS if order < g.horizon]
        finite = [(order, epsilon) for order, epsilon in kept if epsilon < math.inf]
        if not finite:
            raise InputError(f"{entry.mechanism} promises nothing at the orders from {ORDERS[0]:g} on; lower its ε.")
        level = {"orders": [order for order, _ in finite], "epsilons": [epsilon for _, epsilon in finite]}
    return {**about, "relation": g.relation.value, **level}


def _account(path: Path, whole: bytes) -> Account:
    """Return what all lines of a ledger say."""
    header, *lines = _checked(path, whole)
    try:
        total = Approximate(float(header["epsilon"]), float(header["delta"]), Relation(header["relation"]))
        return Account(total, str(header["unit"]), tuple(map(_entry_of, lines)))
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise _damaged(path, "a line says something else than what was charged") from error


def _entry_of(line: Mapping[str, Any]) -> Entry:
    relation, count = Relation(line["relation"]), line["count"]
    if not (isinstance(count, int) and 1 <= count <= MOST):
        raise ValueError("a release counts once or more")
    guarantee: Pure | Approximate | Renyi
    exact = None
    if "orders" in line:
        orders, levels = list(map(float, line["orders"])), list(map(float, line["epsilons"]))
        if (
            not orders
            or len(orders) != len(levels)
            or orders != sorted(orders)
            or not all(0 <= x < math.inf for x in orders + levels)
        ):
            raise ValueError("a curve has a level at each order")
        guarantee = _kept_curve(orders, levels, relation)
    elif "delta" in line:
        guarantee = Approximate(float(line["epsilon"]), float(line["delta"]), relation)
    else:
        if not re.fullmatch(_RATIONAL, line["epsilon"]):  # a power of ten would be written out, however large
            raise ValueError("a level is a rational number")
        exact = Fraction(line["epsilon"])
        guarantee = Pure(float_above(exact), relation)
    return Entry(str(line["data"]), str(line["mechanism"]), guarantee, count, exact)


def _line(before: hashlib._Hash, about: Mapping[str, Any]) -> bytes:
    """A line whose last member is the checksum of all that stands up to there; `before` is that of the lines above."""
    body = json.dumps(about, ensure_ascii=False, allow_nan=False)
    total = before.copy()
    total.update(body.encode())
    return f'{body[:-1]}, "sha256": "{total.hexdigest()}"}}\n'.encode()


def _checked(path: Path, whole: bytes) -> list[dict[str, Any]]:
    """All lines, each with the right checksum; a last line that was cut short counts as damage, never as nothing."""
    lines = whole.splitlines(keepends=True)
    if not lines:
        raise _damaged(path, "it is empty")
    found, before = [], hashlib.sha256()
    for number, line in enumerate(lines, start=1):
        try:
            about = strict_json.loads(line)
            told = about.pop("sha256")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise _damaged(path, f"line {number} is no entry") from error
        if _line(before, about) != line or not told:
            raise _damaged(path, f"line {number} does not follow from what stands before it")
        found.append(about)
        before.update(line)
    if found[0].get("ledger") != VERSION:
        raise _damaged(path, f"its first line is no budget of version {VERSION}")
    return found


def _damaged(path: Path, how: str) -> InputError:
    return InputError(
        f"{path} is damaged ({how}), so that what is spent is not known; nothing is released on these data until its "
        "keeper has put back a copy that has every release."
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# -- the file ---------------------------------------------------------------------------------------------------------


def _create(path: Path, header: Mapping[str, Any]) -> None:
    """The file with its first line, unless there is one: it appears whole, so that an empty one is always damage."""
    begin = f".{path.name}."
    for left in left_behind(path.parent, begin, ""):
        left.unlink(missing_ok=True)
    if path.exists():
        return
    try:
        descriptor, name = tempfile.mkstemp(
            prefix=f"{begin}{HOST}.{os.getpid()}.", dir=path.parent
        )  # its owner's alone
        try:
            os.write(descriptor, _line(hashlib.sha256(), header))
            os.fsync(descriptor)
            os.link(name, path)
        except FileExistsError:
            return  # another process was first
        finally:
            os.close(descriptor)
            Path(name).unlink(missing_ok=True)
        _sync_folder(path)
    except OSError as error:
        raise _unwritable(path, error) from error


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """The open file, locked until the block ends."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        regular_files.check(descriptor, path)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.fchmod(descriptor, _OWNER)
        yield descriptor
    finally:
        os.close(descriptor)


def _content(path: Path, descriptor: int) -> bytes:
    if os.fstat(descriptor).st_size > LARGEST:
        raise _damaged(path, f"it has more than {LARGEST >> 20} MB")
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _append(descriptor: int, before: bytes, about: Mapping[str, Any]) -> None:
    """One line, on the disk when this returns; one that does not fit whole is taken back, for nothing was drawn yet."""
    line = _line(hashlib.sha256(before), about)
    try:
        written = os.write(descriptor, line)
        if written == len(line):
            os.fsync(descriptor)
            return
        reason = why(OSError(errno.ENOSPC, ""))[0]
    except OSError as error:
        reason = why(error)[0]
    os.ftruncate(descriptor, len(before))
    raise InputError(f"the release cannot be written down ({reason}), so it is not made; make room and try again.")


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError("the ledger {} cannot be written ({}), so nothing is released; {}.".format(path, *why(error)))
