"""Repulsion within classes against NumPy class by class, and its independence from threads."""

from functools import partial

import numpy as np
import pytest

from reference.jedi import map_affinities
from unprior._threads import compiled_threads
from unprior.forces import (
    ClassRepulsion,
    barnes_hut_field,
    choose_repulsion,
    exact_field,
    fft_field,
)

precise_tree = partial(barnes_hut_field, theta=1e-9)


@pytest.fixture
def codes(rng):
    return rng.permutation(np.repeat(np.arange(6), [40, 1, 13, 2, 30, 1]))


@pytest.mark.parametrize(
    "choose",
    [
        lambda n: exact_field,
        lambda n: precise_tree,
        lambda n: exact_field if n < 20 else precise_tree,
    ],
    ids=["all small", "all large", "both"],
)
def test_equals_numpy(rng, codes, choose):
    Y = rng.normal(size=(len(codes), 3))
    field = ClassRepulsion.of(codes, choose)(Y)
    _, W = map_affinities(Y)
    W = W * (codes[:, None] == codes)
    assert field.normalizer == pytest.approx(W.sum(), rel=1e-13)
    expected = (W**2).sum(axis=1)[:, None] * Y - W**2 @ Y
    np.testing.assert_allclose(field.force, expected, atol=1e-12)


def test_a_class_of_everyone_is_the_plain_repulsion(rng):
    Y = rng.normal(size=(50, 3))
    field, expected = ClassRepulsion.of(np.zeros(50, int), lambda n: exact_field)(Y), exact_field(Y)
    assert field.normalizer == pytest.approx(expected.normalizer, rel=1e-13)
    np.testing.assert_allclose(field.force, expected.force, atol=1e-12)


def test_samples_on_their_own_are_not_repelled(rng):
    field = ClassRepulsion.of(np.arange(5), lambda n: exact_field)(rng.normal(size=(5, 3)))
    np.testing.assert_array_equal(field.force, 0)
    assert field.normalizer == 0


def test_the_bits_do_not_depend_on_the_threads(rng, codes):
    Y = rng.normal(size=(len(codes), 3))
    repulsion = ClassRepulsion.of(codes, lambda n: exact_field if n < 20 else precise_tree)
    fields = []
    for n_threads in (1, 2):
        with compiled_threads(n_threads):
            fields.append(repulsion(Y))
    np.testing.assert_array_equal(fields[0].force, fields[1].force)
    assert fields[0].normalizer == fields[1].normalizer


@pytest.mark.parametrize(
    ("n_samples", "n_components", "expected"),
    [
        (100, 1, exact_field),
        (100, 2, exact_field),
        (100, 3, exact_field),
        (50_000, 1, fft_field),
        (50_000, 2, fft_field),
        (50_000, 3, barnes_hut_field),
    ],
)
def test_the_choice(n_samples, n_components, expected):
    assert choose_repulsion(n_samples, n_components) is expected
