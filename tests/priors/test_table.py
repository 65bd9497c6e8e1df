"""Tables with columns of every kind."""

import numpy as np
import pandas as pd
import pytest

from unprior import priors


@pytest.fixture
def df(rng):
    n = 20
    return pd.DataFrame(
        {
            "batch": rng.choice(list("ab"), n),
            "treated": rng.random(n) < 0.5,
            "site": pd.Categorical(rng.integers(0, 3, n)),
            "age": rng.normal(50, 9, n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
            "dose": pd.array(rng.random(n), dtype="Float64"),
            5: rng.random(n).astype(np.float32),
        },
        index=rng.permutation(n),
    )


def test_each_column_is_a_part(df):
    prior = priors.table(df)
    assert {name: part.kind for name, part in prior.parts.items()} == {
        "batch": "labels",
        "treated": "labels",
        "site": "labels",
        "age": "features",
        "day": "features",
        "dose": "features",
        "5": "features",
    }
    expected = priors.combine({str(name): df[name] for name in df}).to_array()
    np.testing.assert_array_equal(prior.to_array(), expected)
    np.testing.assert_allclose(prior.weights, 1 / 7)


def test_one_column_is_its_prior(df):
    prior = priors.table(df[["batch"]])
    assert isinstance(prior, priors.Labels)
    np.testing.assert_array_equal(prior.to_array(), priors.labels(df["batch"]).to_array())


def test_dates_count_in_days(df):
    days = (df["day"] - df["day"].iloc[0]).dt.days.to_numpy(dtype=float)
    D = priors.table(df[["day"]]).to_array()
    np.testing.assert_allclose(D, np.abs(days[:, None] - days), atol=1e-9)


def test_integers_are_refused_with_both_spellings(df):
    df = df.assign(c=range(20))
    with pytest.raises(ValueError, match=r"^table: column 'c' holds integers") as caught:
        priors.table(df)
    assert 'df.astype({"c": float})' in str(caught.value)
    assert 'df.astype({"c": "category"})' in str(caught.value)
    priors.table(df.assign(c=df["c"] % 3).astype({"c": "category"}))
    priors.table(df.astype({"c": float}))


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        ({}, "takes a table with at least one column; got none"),
        ({"a": ["x", None, "x"]}, r"column 'a': sample 1 has no label \((None|nan)\)"),
        ({"a": [0.5, None, 1]}, "'a' holds NaN .first in row 1"),
        ({"a": pd.array([0.5, None, 1], dtype="Float64")}, "'a' holds NaN .first in row 1"),
        ({"a": pd.array([5, None, 1], dtype="Int64")}, "column 'a' holds integers"),
        ({"a": ["x"] * 3, "b": [0.1, 0.2, 0.3]}, "'a' says nothing: all samples are equally far"),
        ({"a": [1j, 2j, 3j]}, "column 'a' takes labels, numbers or dates; got complex128"),
    ],
)
def test_bad_tables_are_refused(columns, match):
    with pytest.raises(ValueError, match=rf"^table: {match}"):
        priors.table(pd.DataFrame(columns))


def test_columns_of_the_same_name_are_refused():
    df = pd.DataFrame([["x", 0.5], ["y", 0.1]], columns=["a", "a"])
    with pytest.raises(ValueError, match=r"^table: two columns are called 'a'; rename one"):
        priors.table(df)


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match=r"^table: takes a DataFrame; got ndarray"):
        priors.table(np.ones((3, 2)))
