"""What is refused ends with one sentence: of a call, and of a command."""

import pytest

from dpsampling.cli import main
from dpsampling.errors import LONGEST, InputError


def of_call(call, *arguments) -> str:
    """The sentence of an error."""
    with pytest.raises(InputError) as caught:
        call(*arguments)
    assert len(str(caught.value)) < LONGEST
    return str(caught.value)


def of_command(capsys, *words: str) -> str:
    """The line that a command leaves, and nothing else."""
    capsys.readouterr()
    assert main(list(words)) == 2
    out, line = capsys.readouterr()
    assert (out, line.count("\n")) == ("", 1), out + line
    return line
