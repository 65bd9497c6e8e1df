import builtins

import numpy as np
import pandas as pd
import pytest

from unprior.files import read_samples
from unprior.files._tables import find_ids


@pytest.fixture
def read(tmp_path):
    """Read text as a file."""

    def read_text(text, name="a.csv"):
        path = tmp_path / name
        path.write_text(text)
        return read_samples(path)

    return read_text


def test_columns_keep_their_kind(read):
    samples = read("n,x,ok,word,gap\n5,1.0,True,a,1\n7,2.0,False,a,\n9,,True,,3\n")
    assert samples["n"].dtype.kind == "i"
    assert samples["x"].dtype == np.float64
    assert np.isnan(samples["x"][2])
    assert samples["ok"].dtype == bool
    assert samples["word"].tolist() == ["a", "a", None]
    # With a missing value they are still whole numbers, so a prior of them stays ambiguous.
    assert samples["gap"].tolist() == [1, None, 3]


def test_an_unnamed_first_column_is_ids_even_if_they_repeat(read):
    samples = read(",x\np,1.5\nq,2.5\np,3.5\n")
    assert samples.ids.tolist() == ["p", "q", "p"]
    assert samples.ids_from == "column 'Unnamed: 0'"
    assert samples.rows_of(["q"]) is None


def test_names_of_rows_as_r_writes_them(read):
    samples = read('"x" "y"\n'.replace(" ", ",") + '"a",1.5,2\n"b",2.5,3\n')
    assert samples.ids.tolist() == ["a", "b"]
    assert samples["x"].tolist() == [1.5, 2.5]


def test_a_separator_too_many_changes_nothing(read):
    samples = read("x,y\n1.5,2.5,\n3.5,4.5,\n")
    assert samples["x"].tolist() == [1.5, 3.5]
    assert samples.ids_from == ""


@pytest.mark.parametrize(
    ("columns", "ids"),
    [
        ({"ID": [7, 7, 9], "x": [1.0, 2.0, 3.0]}, "ID"),
        ({"x": [1.0, 2.0, 3.0], "bird": ["a", "b", "c"]}, "bird"),
        ({"x": [1.0, 2.0, 3.0], "bird": ["a", "b", "a"]}, None),
        ({"row": [1, 2, 3], "x": [1.0, 2.0, 3.0]}, "row"),
        ({"year": [2001, 2002, 2003], "x": [1.0, 2.0, 3.0]}, None),
        ({"x": [1.0, 2.0, 3.0], "id": [7, 8, 9]}, "id"),
        ({"bird": ["a", "b", "c"], "PID": [9, 4, 7]}, "PID"),
        ({"patient_id": [4, 4, 7], "x": [1.0, 2.0, 3.0]}, None),
        ({"x": [0.5] * 25, "n": [*range(125, 150)]}, "n"),
    ],
)
def test_the_rule_for_ids(columns, ids):
    arrays = {
        name: np.array(values, dtype=object if isinstance(values[0], str) else None)
        for name, values in columns.items()
    }
    assert find_ids(arrays) == ids


@pytest.mark.parametrize("index", [["a", "b"], None])
def test_parquet(tmp_path, index):
    frame = pd.DataFrame(
        {
            "x": [1.5, np.nan],
            "n": [3, 4],
            "kind": pd.Categorical(["u", "v"]),
            "when": pd.to_datetime(["2020-01-01", "2020-01-02"]),
        },
        index=index,
    )
    frame.to_parquet(tmp_path / "a.parquet")
    samples = read_samples(tmp_path / "a.parquet")
    assert samples.ids.tolist() == (index or ["u", "v"])
    assert samples.ids_from == ("the index" if index else "column 'kind'")
    assert samples["kind"].tolist() == ["u", "v"]
    assert samples["when"].dtype.kind == "M"
    assert samples["n"].dtype.kind == "i"


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_without_pandas_the_extra_is_named(tmp_path, monkeypatch, name):
    (tmp_path / name).write_text("x\n1\n")
    there = builtins.__import__

    def lacking(package, *rest):
        if package == "pandas":
            raise ImportError(package)
        return there(package, *rest)

    monkeypatch.setattr("importlib.import_module", lacking)
    with pytest.raises(ImportError, match=r'needs the package pandas.*pip install "unprior\[io\]"'):
        read_samples(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n", "a.csv holds no samples"),
        ("a,b\n1,2\n1,2,3\n", "a.csv cannot be read as a table: Expected 2 fields in line 3"),
        ("\n\n", "a.csv cannot be read as a table: No columns"),
    ],
)
def test_bad_tables_get_one_sentence(read, text, reason):
    with pytest.raises(ValueError, match=f"^{reason}") as error:
        read(text)
    assert "\n" not in str(error.value)
