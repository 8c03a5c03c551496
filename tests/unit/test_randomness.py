"""Streams depend on their names and on nothing else."""

import itertools

import numpy as np
import pytest

from dpsampling.numerics.randomness import stream, substream


def first(generator):
    return tuple(generator.integers(0, 2**63, 4))


def test_a_stream_is_the_same_whatever_was_drawn_before():
    alone = first(stream(1, "fig5_5", 2.0))
    for other in ("fig5_6", "fig5_7"):
        stream(1, other, 2.0).random(1000)
    np.random.default_rng(1).random(10)
    assert first(stream(1, "fig5_5", 2.0)) == alone


def test_streams_of_different_names_differ():
    names = [
        (), ("",), ("a",), ("b",), ("a", "b"), ("b", "a"), ("ab",), ("a", ""), (1,), (1.0,), ("1",), (0.0,), (-0.0,),
        ("a\x1fb",), ("a'\x1f'b",), (1, 2), (12,), (2**70,), (float("inf"),), (float("nan"),),
    ]  # fmt: skip
    draws = [first(stream(1, *name)) for name in names]
    assert len(set(draws)) == len(names)
    assert all(a != b for a, b in zip(draws, [first(stream(2, *name)) for name in names], strict=True))


def test_floats_are_named_by_all_their_bits():
    value = 0.1
    neighbours = [value, np.nextafter(value, 1), np.nextafter(value, 0), 0.1000001]
    assert len({first(stream(1, float(v))) for v in neighbours}) == 4
    assert first(stream(1, np.float64(value))) == first(stream(1, value))


def test_neighbouring_streams_are_uncorrelated():
    draws = np.array([stream(1, "point", i).standard_normal(2000) for i in range(20)])
    correlations = [np.corrcoef(draws[i], draws[j])[0, 1] for i, j in itertools.combinations(range(20), 2)]
    # 190 pairs at 5 standard errors: a false alarm in 1e-4 of the seeds.
    assert np.max(np.abs(correlations)) < 5 / np.sqrt(2000)


def test_a_substream_neither_reads_nor_moves_its_parent():
    parent, twin = stream(1, "a"), stream(1, "a")
    child = first(substream(parent, "chain", 3))
    assert first(parent) == first(twin)
    parent.random(100)
    assert first(substream(parent, "chain", 3)) == child
    assert first(substream(parent, "chain", 4)) != child


def test_substreams_of_different_parents_differ():
    assert first(substream(stream(1, "a"), "x")) != first(substream(stream(1, "b"), "x"))
    assert first(substream(stream(1, "a"), "x")) != first(substream(stream(2, "a"), "x"))
    assert first(substream(stream(1, "a"), "b")) != first(stream(1, "a"))
    assert first(substream(substream(stream(1), "a"), "b")) != first(substream(substream(stream(1), "b"), "a"))


def test_a_substream_needs_a_seed_sequence():
    class Fixed(np.random.bit_generator.ISeedSequence):
        def generate_state(self, n_words, dtype=np.uint32):
            return np.arange(n_words, dtype=dtype)

    generator = np.random.Generator(np.random.PCG64(Fixed()))
    with pytest.raises(TypeError, match="SeedSequence"):
        substream(generator, "a")


@pytest.mark.parametrize(("numpy_name", "name"), [(np.int64(3), 3), (np.str_("a"), "a")])
def test_numpy_scalars_name_the_same_stream_as_their_values(numpy_name, name):
    assert first(stream(1, numpy_name)) == first(stream(1, name))
