import numpy as np
import pytest
from scipy.sparse import csr_matrix

from unprior.files import Samples, choose_data, explain_gaps


@pytest.fixture
def samples():
    """A table with columns that are data and columns that are not."""
    return Samples(
        "t.csv",
        np.array(["0", "1", "2"]),
        "column 'id'",
        "id",
        {
            "id": np.array([7, 8, 9]),
            "x": np.array([1.0, np.nan, 3.0]),
            "n": np.array([1, None, 3], dtype=object),
            "word": np.array(["a", "b", "b"], dtype=object),
            "nearly": np.array(["1.5", "2.5", "n.d."], dtype=object),
            "flag": np.array([True, False, True]),
            "day": np.array(["2020-01-01"] * 3, dtype="datetime64[D]"),
            "blank": np.array([None, None, None], dtype=object),
            "y": np.array([4, 5, 6]),
        },
        {"pcs": np.arange(6.0).reshape(3, 2)},
    )


def test_numeric_columns_are_the_data_and_the_rest_is_said(samples):
    chosen = choose_data(samples, roles={"y": "the prior"})
    assert chosen.names == ("x", "n")
    np.testing.assert_array_equal(chosen.X, [[1, 1], [np.nan, np.nan], [3, 3]])
    assert chosen.remarks == (
        "Left out of the data: word (text), nearly (text such as 'n.d.'), flag (true or false), "
        "day (dates), blank (no values), y (the prior).",
    )


def test_columns_that_are_asked_for(samples):
    chosen = choose_data(samples, features=["y,flag", "pcs"])
    assert chosen.X.tolist() == [[4, 1, 0, 1], [5, 0, 2, 3], [6, 1, 4, 5]]
    assert choose_data(samples, drop=["n", "x"]).names == ("y",)
    assert choose_data(samples, features=["x,y"], drop=["x"]).names == ("y",)


def test_a_prior_s_column_that_is_asked_for_stays(samples):
    assert choose_data(samples, features=["y"], roles={"y": "the prior"}).names == ("y",)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"features": ["z"]}, "--features: t.csv has no column 'z'"),
        ({"drop": ["wort"]}, "--drop: t.csv has no column 'wort'. Did you mean 'word'"),
        ({"features": ["word"]}, "t.csv: column 'word' holds text"),
        ({"drop": ["x,n,y"]}, "t.csv has no numeric column left for the map"),
    ],
)
def test_bad_choices_get_one_sentence(samples, asked, reason):
    with pytest.raises(ValueError, match=f"^{reason}"):
        choose_data(samples, **asked)


@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_columns_of_a_matrix(make):
    X = np.arange(12.0).reshape(3, 4)
    samples = Samples("a.npy", np.array(list("abc")), data=make(X), data_names=tuple("0123"))
    assert choose_data(samples).X is samples.data
    some = choose_data(samples, features=["3,1"]).X
    assert (some if make is np.asarray else some.toarray()).tolist() == X[:, [3, 1]].tolist()
    assert choose_data(samples, drop=["0"], roles={"2": "the prior"}).names == ("1", "3")


def test_dates_and_durations_count_in_days():
    when = np.array(["1970-01-02T12", "NaT"], dtype="datetime64[us]")
    samples = Samples(
        "t.csv", np.array(["0", "1"]), columns={"when": when, "long": when - np.datetime64(0, "us")}
    )
    X = choose_data(samples, features=["when", "long"]).X
    np.testing.assert_array_equal(X, [[1.5, 1.5], [np.nan, np.nan]])


def test_gaps_are_found_with_their_column(samples):
    missing, column = explain_gaps(choose_data(samples, features=["y,x"]))
    assert missing.tolist() == [False, True, False]
    assert column == "x"


def test_distances_lose_samples_on_both_axes():
    D = np.arange(9.0).reshape(3, 3)
    samples = Samples("D.npy", np.array(list("abc")), data=D, data_names=tuple("012"))
    rows = np.array([2, 0])
    assert choose_data(samples).take(rows, both_axes=True).X.tolist() == [[8, 6], [2, 0]]
    assert choose_data(samples).take(rows, both_axes=False).X.tolist() == D[rows].tolist()
