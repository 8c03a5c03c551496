"""Of values that only rounding tells apart the first is taken, and sorted rows that tie stay in order."""

import re

import numpy as np
import pytest

from conftest import PROJECT
from dpsampling.numerics.ties import first_of_largest
from reproduction.experiments.cases import furthest, nearest


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([0.1 + 0.2, 0.3, 0.2], 0), ([0.3, 0.1 + 0.2, 0.2], 0), ([0.3, 0.3 + 1e-6], 1), ([1.0, np.inf, np.inf], 1),
        ([-np.inf, -np.inf], 0), ([1.0, np.nan, 2.0], 1), ([1e12, 1e12 + 1.0], 0),
    ],
)  # fmt: skip
def test_the_first_of_those_that_tie(values, place):
    assert first_of_largest(values) == place


def test_along_the_last_axis():
    assert first_of_largest([[1.0, 2.0, 2.0 - 1e-12], [3.0 - 1e-12, 3.0, 0.0]]).tolist() == [1, 0]


def test_equal_cases_are_told_apart_by_no_last_bit():
    """All contract with equality; the smallest, whose rounding is relatively largest, does not stand out."""
    rng = np.random.default_rng(0)
    right = np.append(rng.uniform(0.01, 1.0, 50), 9e-9)
    assert len({nearest(right + rng.uniform(-1e-16, 1e-16, 51), right) for _ in range(200)}) == 1
    assert len({furthest(right + rng.uniform(-1e-16, 1e-16, 51), right) for _ in range(200)}) == 1


def test_a_case_that_breaks_its_bound_is_found():
    assert nearest([1.0, 2.0, 3.0], [1.0, 1.99, 3.0]) == 1
    assert nearest([1e-11, 0.5], [0.0, 0.5]) == 0
    assert furthest([1.0, 2.0], [1.0, 2.1]) == 1


def test_no_sort_leaves_the_order_of_equal_items_to_the_processor():
    """NumPy's default sort is another one where there is AVX2 or AVX-512, and not stable."""
    call = re.compile(r"(?:argsort|\.sort_values)\((?!\[)[^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)")
    for path in (PROJECT / "src").rglob("*.py"):
        for found in call.findall(path.read_text(encoding="utf-8")):
            assert "kind=" in found, f"{path.relative_to(PROJECT)}: {found}"
