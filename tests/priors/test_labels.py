"""Labels of every type a caller may have."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.priors import all_pairs, label_distance
from unprior import priors

KINDS = {
    "list": list("bab"),
    "tuple": tuple("bab"),
    "strings": np.array(["b", "a", "b"]),
    "bytes": np.array([b"b", b"a", b"b"]),
    "booleans": [True, False, True],
    "integers": np.array([7, -2, 7]),
    "unsigned": np.array([7, 2, 7], dtype=np.uint8),
    "floats": [0.5, 0.25, 0.5],
    "dates": np.array(["2020-02-01", "2020-01-01", "2020-02-01"], dtype="datetime64[D]"),
    "categories": pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"]),
    "a series of categories": pd.Series(["b", "a", "b"], dtype="category"),
    "a series": pd.Series(["b", "a", "b"], index=[5, 5, 9]),
    "nullable integers": pd.Series([7, 2, 7], dtype="Int64"),
    "objects": np.array(["b", "a", "b"], dtype=object),
    "an index": pd.Index(["b", "a", "b"]),
    "strings and numbers": np.array(["b", 1, "b"], dtype=object),
    "tuples": pd.Series([("b", 1), ("a", 2), ("b", 1)]),
}


@pytest.mark.parametrize("y", KINDS.values(), ids=KINDS.keys())
def test_every_kind_is_told_apart(y):
    prior = priors.labels(y)
    assert prior.codes.dtype == np.intp
    np.testing.assert_array_equal(prior.to_array(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert prior.counts[prior.codes].tolist() == [2, 1, 2]
    assert len(prior.classes) == 2
    assert all(a == b for a, b in zip(prior.classes[prior.codes], list(y), strict=True))


@given(st.lists(st.one_of(st.text(max_size=2), st.integers(-2, 2)), min_size=1))
def test_distances_are_those_of_the_reference(y):
    entries = np.empty(len(y), dtype=object)
    entries[:] = y
    np.testing.assert_array_equal(priors.labels(entries).to_array(), all_pairs(y, label_distance))


def test_classes_are_in_order_and_do_not_depend_on_the_order_of_samples():
    assert priors.labels(["b", "c", "a"]).classes.tolist() == ["a", "b", "c"]
    mixed = np.array(["b", 10, 2, "a"], dtype=object)
    assert priors.labels(mixed).classes.tolist() == priors.labels(mixed[::-1]).classes.tolist()


def test_slicing_keeps_only_the_classes_present():
    part = priors.labels(["a", "b", "c", "b"])[[3, 2]]
    assert part.classes.tolist() == ["b", "c"]
    assert part.codes.tolist() == [0, 1]
    assert part.counts.tolist() == [1, 1]


MISSING = {
    "None": ["a", "b", None],
    "NaN among strings": ["a", "b", np.nan],
    "NaN": [1.0, 2.0, np.nan],
    "NaT": np.array(["2020", "2021", "NaT"], dtype="datetime64[Y]"),
    "NA": pd.array(["a", "b", pd.NA], dtype="string"),
    "NA of integers": pd.Series([1, 2, pd.NA], dtype="Int64"),
    "NA of booleans": pd.Series([True, False, pd.NA], dtype="boolean"),
    "a missing category": pd.Categorical(["a", "b", None]),
    "objects": np.array([1, "b", None], dtype=object),
    "NaT among objects": np.array(["a", "b", pd.NaT], dtype=object),
}


@pytest.mark.parametrize("y", MISSING.values(), ids=MISSING.keys())
def test_a_missing_label_is_refused_by_its_sample(y):
    with pytest.raises(ValueError, match=r"^labels: sample 2 has no label \(.*\); drop it or give"):
        priors.labels(y)


def test_the_first_missing_label_is_named():
    with pytest.raises(ValueError, match=r"sample 1 has no label \(None\)"):
        priors.labels(["z", None, "a", None, float("nan")])


def test_two_dimensions_are_refused():
    with pytest.raises(
        ValueError, match=r"one label for each sample; got an array of shape \(2, 1"
    ):
        priors.labels([["a"], ["b"]])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (list("aaaa"), "one class only, 'a'"),
        ([3, 3, 3], "one class only, 3"),
        (list("abcd"), "every sample is a class of its own"),
    ],
)
def test_constant_labels_say_why(y, words):
    prior = priors.labels(y)
    assert prior.is_constant()
    assert prior.describe_constant() == words
    assert prior.largest() == prior.to_array().max()
