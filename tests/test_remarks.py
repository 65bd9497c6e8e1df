import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

import unprior as up
from unprior._remarks import count_distinct, remark_on_classes, remarks_on_data

NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def X(rng):
    return rng.normal(size=(100, 4))


def told(X, names=NAMES):
    return " ".join(remarks_on_data(X, names))


def test_plain_data_get_no_remark(X):
    assert told(X) == ""
    assert told(X, None) == ""


def test_a_column_with_nearly_all_of_the_variance_is_named(X):
    X[:, 2] *= 1000
    assert "column 'c' holds 100 % of the variance" in told(X)
    assert "column 2 holds 100 %" in told(X, None)
    assert told(scale(X)) == ""


def test_several_columns_on_another_scale_are_named(X, rng):
    wide = np.hstack([X * [1, 1, 1000, 1000], rng.normal(size=(100, 3))])
    assert "scales (column 2, column 3 spread over 30 times as far as the median" in told(
        wide, None
    )


def test_a_column_that_is_too_narrow_to_be_seen_is_named(X):
    X[:, 2:] *= 1000
    assert "scales (column 'd' spreads" in told(X)
    assert told(X, None) == ""  # without names, columns are of one kind


@pytest.mark.parametrize("n_components", [3, 8])
def test_principal_components_are_not_to_be_scaled(rng, n_components):
    Z = rng.normal(size=(200, 8)) * [900, 5, 4, 3, 2, 1, 1, 1]
    assert told(PCA(n_components).fit_transform(Z), None) == ""
    assert "column 7 holds" in told(Z[:, ::-1], None)


@pytest.mark.parametrize(("code", "others"), [(999, 90), (-9, 5), (-9999, 1000)])
def test_codes_for_missing_values_are_named(X, rng, code, others):
    X[:, 1] = rng.integers(0, others, 100)
    X[[3, 8], 1] = code
    assert f"column 'b' is {code} in 2 rows" in told(X)


@pytest.mark.parametrize("top", [98, 99])
def test_the_end_of_a_scale_is_no_code(X, rng, top):
    X[:, 1] = rng.integers(60, top + 1, 100)
    X[:2, 1] = 99
    assert "missing" not in told(X)


@given(st.integers(1, 400), st.integers(1, 30), st.integers(1, 3), st.integers(0, 10**6))
def test_rows_are_told_apart_exactly(n, n_columns, most, seed):
    counts = np.random.default_rng(seed).integers(0, most + 1, (n, n_columns)).astype(float)
    assert count_distinct(counts) == len(np.unique(counts, axis=0))


def test_many_rows_of_counts_are_told_apart():
    counts = np.random.default_rng(0).poisson(0.3, (5000, 200)).astype(np.float32)
    assert count_distinct(counts) == 5000


def test_copies_are_counted(X):
    assert count_distinct(np.vstack([X, X[:7]])) == 100
    assert count_distinct(np.array([[0.0, 1.0], [-0.0, 1.0]])) == 1
    assert "40 of 140 rows are exact copies" in told(np.vstack([X, X[:40]]))
    assert told(np.vstack([X, X[:2]])) == ""


def test_classes_that_leave_little_to_factor_out():
    assert remark_on_classes(np.array([50, 50]), "a") == ""
    assert "one class, 'a', has 97 %" in remark_on_classes(np.array([97, 3]), "a")
    assert "80 classes for 100 samples" in remark_on_classes(np.array([1] * 79 + [21]), "a")


class TestInPython:
    """Each way in gives the remark once, as a warning of its own class."""

    @pytest.fixture
    def table(self, rng):
        kind = np.repeat(["u", "v"], 30)
        frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
        frame["user_id"] = rng.permutation(60) + 4000
        return frame.assign(kind=kind)

    def test_embed_leaves_ids_out(self, table):
        with pytest.warns(up.DataWarning, match="'user_id' dropped from the data") as caught:
            Y = up.embed(table, prior="kind", random_state=0)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        plain = up.embed(table[["a", "b", "c"]], prior=table["kind"], random_state=0)
        np.testing.assert_array_equal(Y, plain)

    def test_an_estimator_warns_of_ids(self, table):
        X = table.drop(columns="kind")
        with pytest.warns(up.DataWarning) as caught:
            up.JEDI(n_iter=10).fit(X, prior=table["kind"])
        assert "JEDI: column 'user_id' looks like ids" in str(caught[0].message)
        assert "JEDI: column 'user_id' holds 99" in str(caught[1].message)

    def test_unscaled_columns(self, table):
        X = table[["a", "b", "c"]] * [1, 1, 500]
        with pytest.warns(up.DataWarning, match="embed: column 'c' holds 100 %") as caught:
            up.embed(X, prior=table["kind"], random_state=0, return_report=True)
        assert len(caught) == 1

    def test_one_class_that_is_nearly_all(self, table):
        kind = ["u"] * 58 + ["v"] * 2
        with pytest.warns(up.DataWarning, match="one class, 'u', has 97 %"):
            up.JEDI(n_iter=10).fit(table[["a", "b", "c"]], prior=kind)

    def test_codes_in_a_prior(self, table):
        age = np.where(np.arange(60) % 10 == 0, 999.0, 20.0 + np.arange(60))
        with pytest.warns(up.DataWarning, match="JEDI: of 'age', the value is 999 in 6 rows"):
            up.JEDI(n_iter=10).fit(table[["a", "b", "c"]], prior={"age": age})

    def test_text_among_the_data_is_refused_by_name(self, table):
        with pytest.raises(ValueError, match=r"^embed: 'X' takes numbers; got .* in 'kind'"):
            up.embed(table[["a", "b", "kind"]], prior=table["c"])
