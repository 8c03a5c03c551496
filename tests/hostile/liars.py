"""Commands that misbehave, each in one way, to see that it is noticed."""

import sys
import time
from pathlib import Path

from dpsampling.files import write_text


def main() -> int:
    """The one that is named."""
    return {name: liar for name, liar in globals().items() if callable(liar)}[sys.argv[1]]() or 0


def fails() -> None:
    raise ValueError


def waits() -> None:
    time.sleep(3600)


def computes() -> None:
    while True:
        pass


def grows() -> None:
    bytearray(4 << 30)


def holds() -> int:
    sys.stderr.write("dpsampling: so it is.\n")
    return len(b"x" * (900 << 20)) and 2


def chatters() -> int:
    sys.stderr.write("dpsampling: one.\ndpsampling: one.\n")
    return 2


def warns() -> None:
    sys.stderr.write("RuntimeWarning: divide by zero\n")


def litters() -> None:
    Path("half.part").write_text("half", encoding="utf-8")


def spoils() -> None:
    write_text(Path("input"), "another")


def tells() -> int:
    sys.stderr.write("dpsampling: 'Quagmire-5521' is no number.\n")
    return 2
