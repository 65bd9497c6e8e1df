"""What counts as kept labels, and what is refused in one sentence."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior import priors
from unprior.priors._read_keep import read_keep

TYPES = ["T", "B", None, "T", "NK"]


@pytest.mark.parametrize(
    "keep",
    [
        TYPES,
        np.array(TYPES, dtype=object),
        pd.Series(TYPES, name="type"),
        pd.Series(TYPES, dtype="category"),
        pd.DataFrame({"type": TYPES}),
        {"type": TYPES},
    ],
    ids=["list", "array", "series", "category", "table", "dict"],
)
def test_labels_with_gaps(keep):
    found = read_keep("embed", keep, 5)
    assert found.codes.tolist() == [2, 0, -1, 2, 1]
    assert found.classes.tolist() == ["B", "NK", "T"]
    assert found.counts.tolist() == [1, 1, 2]


@pytest.mark.parametrize(
    "keep", [[1, 2, 1], [True, False, True], [1.0, 2.0, np.nan], pd.array([1, 2, None])]
)
def test_whole_numbers_are_labels(keep):
    assert read_keep("embed", keep).count == 2


def test_a_prior_of_labels_is_taken_as_it_is():
    assert read_keep("embed", priors.labels([*"aab"])).codes.tolist() == [0, 0, 1]


def test_several_are_kept_jointly():
    found = read_keep("embed", [["T", "T", "B", None], ["x", "y", "y", "x"]])
    assert found.classes.tolist() == [("B", "y"), ("T", "x"), ("T", "y")]
    assert found.codes.tolist() == [1, 2, 0, -1]
    assert found.name == "keep 1 and keep 2"


@pytest.mark.parametrize("keep", [None, ["a", "a"], [None, None], [np.nan, np.nan]])
def test_labels_that_say_nothing_are_none(keep):
    assert read_keep("embed", keep) is None


@pytest.mark.parametrize(
    ("keep", "says"),
    [
        (
            [0.5, 1.5, 2.5],
            "embed: 'keep' takes labels; got numbers or dates. Cut them into classes",
        ),
        (["a", "b"], "embed: 'keep' has 2 samples, the data 3"),
        ({}, "embed: 'keep' is empty"),
        (np.zeros((3, 3)), "embed: 'keep' takes one label for each sample"),
        ("type", "embed: 'keep' takes one label for each sample"),
    ],
)
def test_what_is_refused(keep, says):
    with pytest.raises((TypeError, ValueError), match=says):
        read_keep("embed", keep, 3)


@given(st.lists(st.integers(-1, 3), min_size=4, max_size=30), st.integers(0, 99))
def test_the_part_of_kept_labels(codes, seed):
    keep = read_keep("embed", [None if c < 0 else c for c in codes])
    values = np.random.default_rng(seed).normal(size=(len(codes), 2))
    if keep is None:
        return
    part = keep.part(values)
    labeled = keep.labeled
    assert not part[~labeled].any()
    np.testing.assert_allclose(part.sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(keep.part(values - part), 0, atol=1e-9)  # nothing is left of it
    np.testing.assert_allclose(keep.part(part), part, atol=1e-9)
