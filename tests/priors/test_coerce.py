"""The written rule of `as_prior`, case by case."""

import datetime as dt
from decimal import Decimal

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from unprior import priors

DATES = ["2024-01-01", "2024-01-02", "2024-01-05"]

LABELS = {
    "a list of strings": ["a", "b", "a"],
    "a tuple of strings": ("a", "b", "a"),
    "strings": np.array(["a", "b", "a"]),
    "booleans": np.array([True, False, True]),
    "a list of booleans": [True, False, True],
    "a list of strings of NumPy": [*np.array(["a", "b", "a"])],
    "strings as objects": np.array(["a", "b", "a"], dtype=object),
    "booleans as objects": np.array([True, False, True], dtype=object),
    "strings and numbers": np.array(["a", 1, "a"], dtype=object),
    "categories": pd.Categorical([3, 5, 3]),
    "a series of categories": pd.Series([0.5, 1.0, 0.5], dtype="category"),
    "a series of strings": pd.Series(["a", "b", "a"]),
    "a series of booleans": pd.Series([True, False, True], dtype="boolean"),
}
FEATURES = {
    "floats": np.array([0.0, 1.0, 4.0]),
    "a list of floats": [0.0, 1.0, 4.0],
    "a list of floats of NumPy": [*np.array([0.0, 1.0, 4.0])],
    "a list of floats and integers": [0, 1.0, 4],
    "floats as objects": np.array([0.0, 1.0, 4.0], dtype=object),
    "decimals": [Decimal(0), Decimal(1), Decimal(4)],
    "single precision": np.array([0, 1, 4], dtype=np.float32),
    "a series": pd.Series([0.0, 1.0, 4.0], index=[9, 9, 9]),
    "a nullable series": pd.Series([0.0, 1.0, 4.0], dtype="Float64"),
    "dates": np.array(DATES, dtype="datetime64[D]"),
    "a series of dates": pd.Series(pd.to_datetime(DATES)),
    "a series with a time zone": pd.Series(pd.to_datetime(DATES).tz_localize("UTC")),
    "a list of dates": [dt.date.fromisoformat(day) for day in DATES],
    "durations": pd.to_timedelta([0, 1, 4], "D"),
    "a column": np.array([[0.0], [1.0], [4.0]]),
    "a column of integers": np.array([[0], [1], [4]]),
    "columns": np.array([[0.0, 7], [1, 7], [4, 7]]),
    "columns of booleans": np.array([[0, 1], [1, 1], [0, 0]], dtype=bool),
}


@pytest.mark.parametrize("value", LABELS.values(), ids=LABELS.keys())
def test_labels(value):
    prior = priors.as_prior(value, 3)
    assert isinstance(prior, priors.Labels)
    np.testing.assert_array_equal(prior.to_array(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize("value", FEATURES.values(), ids=FEATURES.keys())
def test_features(value):
    prior = priors.as_prior(value, 3)
    assert isinstance(prior, priors.Features)
    if np.asarray(value).dtype != bool:
        np.testing.assert_allclose(prior.block([0], [0, 1, 2]), [[0, 1, 4]], atol=1e-9)


def test_priors_tables_and_graphs():
    prior = priors.labels(["a", "b"])
    assert priors.as_prior(prior) is prior
    df = pd.DataFrame({"a": list("xyx"), "b": [0.1, 0.2, 0.9]})
    assert type(priors.as_prior(df)) is priors.Combined
    assert isinstance(priors.as_prior(nx.path_graph(3)), priors.Graph)
    # A table stays a table if it happens to be square.
    assert type(priors.as_prior(df.assign(c=[True, False, False]), 3)) is priors.Combined


@pytest.mark.parametrize(
    "value",
    [
        np.array([1, 2, 2]),
        [1, 2, 2],
        range(3),
        np.array([1, 2, 2], dtype=np.uint8),
        np.array([1, 2, 2], dtype=object),
        pd.Series([1, 2, 2]),
        pd.Series([1, 2, None], dtype="Int64"),
    ],
    ids=["array", "list", "range", "unsigned", "objects", "series", "nullable"],
)
def test_integers_are_refused_with_both_spellings(value):
    match = r"^JEDI: 'prior' holds integers.*priors\.labels\(y\) or priors\.features\(y\)\.$"
    with pytest.raises(ValueError, match=match):
        priors.as_prior(value, 3, who="JEDI")


@pytest.mark.parametrize("value", [np.eye(3), np.eye(3, dtype=int), csr_array(np.eye(3))])
def test_square_arrays_are_refused_with_all_spellings(value):
    with pytest.raises(ValueError, match=r"^JEDI: 'prior' is a square array") as caught:
        priors.as_prior(value, 3, who="JEDI")
    for name in ("distances(D)", "kernel(K)", "features(Z)", "graph(A)"):
        assert f"priors.{name}" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "error", "match"),
    [
        (None, TypeError, "'prior' takes a prior, an array .* got NoneType"),
        ("batch", TypeError, "'prior' takes a prior, an array .* got str"),
        (3.0, TypeError, "'prior' takes a prior"),
        ({1.0, 2.0}, TypeError, "'prior' takes a prior.* got set"),
        (np.ones((2, 3, 4)), TypeError, "'prior' takes a prior, an array in one or two dimensions"),
        (csr_array(np.ones((3, 2))), TypeError, "'prior' takes a dense array"),
        ([], ValueError, "'prior' is empty; give at least one prior"),
        ({}, ValueError, "'prior' is empty"),
        ([["a", "b"], 3], TypeError, "'prior' mixes arrays and single values"),
        (["a", None, "b"], ValueError, r"'prior': sample 1 has no label \(None\)"),
        (["a", np.nan, "b"], ValueError, r"'prior': sample 1 has no label \(nan\)"),
        (
            pd.Series([True, False, None], dtype="boolean"),
            ValueError,
            "'prior': sample 2 has no label",
        ),
        ([None, None], ValueError, r"'prior': sample 0 has no label \(None\)"),
        ([0.5, np.nan], ValueError, "'prior' holds NaN .first in row 1"),
        ([0.5, None], ValueError, "'prior' holds NaN .first in row 1"),
        (pd.to_datetime(["2024-01-01", None]), ValueError, "'prior' holds NaN .first in row 1"),
        ([1j, 2j], ValueError, "'prior' takes labels, numbers or dates; got complex128 values"),
        (
            np.array([object(), object()]),
            ValueError,
            "'prior' takes labels, numbers or dates; got object",
        ),
        (np.array([["a", "b"], ["c", "d"], ["e", "f"]]), ValueError, "'prior' takes numbers; got"),
        (pd.DataFrame({"c": [1, 2]}), ValueError, "'prior': column 'c' holds integers"),
        ({"c": [1, 2]}, ValueError, "'prior': 'c' holds integers"),
        ({"c": ["a", "a", "a"]}, ValueError, "'prior': 'c' says nothing"),
        ({"c": 1.0}, TypeError, "'prior': 'c' takes a prior"),
        ({"c": ["a", "b"], "d": [0.1, np.nan]}, ValueError, "'prior': 'd' holds NaN"),
    ],
)
def test_what_is_no_prior_is_refused(value, error, match):
    with pytest.raises(error, match=rf"^JEDI: {match}"):
        priors.as_prior(value, who="JEDI")


@pytest.mark.parametrize(
    "value",
    [list("abcab") * 18, np.ones((90, 2)), priors.labels(["a"] * 90), [list("ab") * 45]],
    ids=["labels", "features", "prior", "several"],
)
def test_another_length_than_the_data_is_refused(value):
    with pytest.raises(
        ValueError, match=r"^JEDI: 'prior' has 90 samples, the data 100; it takes one"
    ):
        priors.as_prior(value, 100, who="JEDI")


class TestPartsOf:
    def test_a_single_prior(self):
        prior = priors.labels(["a", "b", "a"])
        assert priors.parts_of(prior, 3, who="JEDI") == {"prior": prior}
        assert [*priors.parts_of(["a", "b", "a"], 3, who="JEDI")] == ["prior"]

    def test_lists_are_numbered_and_dicts_named(self):
        prior, z = priors.labels(["a", "b", "a"]), [0.1, 0.2, 0.5]
        parts = priors.parts_of([prior, z], 3, who="JEDI")
        assert parts["prior 1"] is prior
        assert [*parts] == ["prior 1", "prior 2"]
        parts = priors.parts_of({"batch": prior, "age": z}, 3, who="JEDI")
        assert [*parts] == ["batch", "age"]
        assert isinstance(parts["age"], priors.Features)

    def test_several_come_apart_and_what_was_combined_does_not(self):
        both = {"batch": ["a", "b", "a"], "age": [0.1, 0.2, 0.5]}
        several, combined = priors.as_prior(both), priors.combine(both)
        assert priors.parts_of(several, 3, who="JEDI") == several.parts
        assert priors.parts_of(combined, 3, who="JEDI") == {"prior": combined}

    def test_each_part_has_the_length_of_the_data(self):
        with pytest.raises(ValueError, match=r"^JEDI: 'prior': 'b' has 2 samples, the data 3"):
            priors.parts_of({"a": list("xyx"), "b": list("xy")}, 3, who="JEDI")
        with pytest.raises(ValueError, match=r"^JEDI: 'prior' has 2 samples, the data 3"):
            priors.parts_of(["x", "y"], 3, who="JEDI")

    def test_none_are_refused(self):
        with pytest.raises(ValueError, match=r"^JEDI: 'prior' is empty"):
            priors.parts_of([], 3, who="JEDI")
