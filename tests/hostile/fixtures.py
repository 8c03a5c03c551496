"""What tests of hostile inputs share: the program that forks, and valid files of every kind, once a worker."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.forks import Forks, forks
from hostile.readers import make_valid


@pytest.fixture(scope="session")
def running() -> Iterator[Forks]:
    with forks() as program:
        yield program


@pytest.fixture(scope="session")
def valid(running: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("valid")
    make_valid(folder, running)
    return folder
