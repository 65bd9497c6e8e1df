"""Files as they are found: each gives a map, or one clear sentence and a code that is not 0."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from unprior.cli import _methods, main

N = 20
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3)).round(3)
KIND = ["u", "v"] * (N // 2)


def lines(cells, separator=",", header=("a", "b", "c", "kind")):
    return "\n".join(separator.join(map(str, row)) for row in [header, *cells]) + "\n"


ROWS = [[*x, kind] for x, kind in zip(X, KIND, strict=True)]
COMMAS = [[str(x).replace(".", ",") for x in row] for row in ROWS]


def parquet(path):
    pd.DataFrame(X, columns=list("abc")).assign(kind=KIND).to_parquet(path)


def cut_parquet(path):
    parquet(path)
    path.write_bytes(path.read_bytes()[:-300])


def pickled(path):
    np.savez(path, X=X, kind=np.array(KIND, dtype=object))


#: Name -> content, or a function that writes it, of files that give a map.
GOOD = {
    "semicolons.csv": lines(ROWS, ";"),
    "decimal_commas.csv": lines(COMMAS, ";"),
    "tabs_and_commas.csv": lines(COMMAS, "\t"),
    "commas.tsv": lines(ROWS),
    "excel.csv": "sep=;\n" + lines(COMMAS, ";"),
    "byte_order_mark.csv": "\ufeff" + lines(ROWS),
    "windows.csv": lines(ROWS).replace("\n", "\r\n"),
    "spaces.csv": lines(ROWS, ", "),
    "index_column.csv": lines([[k, *r] for k, r in enumerate(ROWS)], header=["", *"abc", "kind"]),
    "row_names.csv": lines([[f"r{k}", *row] for k, row in enumerate(ROWS)]),
    "duplicate_ids.csv": lines([["same", *row] for row in ROWS], header=["id", *"abc", "kind"]),
    "trailing.csv": lines([[*row, ""] for row in ROWS]),
    "empty_column.csv": lines([["", *row] for row in ROWS], header=["z", *"abc", "kind"]),
    "duplicate_names.csv": lines(ROWS, header=["a", "a", "c", "kind"]),
    "mixed.csv": lines([["n.d." if k == 4 else 1.5, *r] for k, r in enumerate(ROWS)],
                       header=["m", *"abc", "kind"]),
    "latin.csv": lines([[*row[:3], row[3] + "ä"] for row in ROWS]).encode("cp1252"),
    "blank_lines.csv": lines(ROWS).replace("\n", "\n\n"),
    "good.parquet": parquet,
}  # fmt: skip

#: Name -> content of files that give a sentence, and what it says.
BAD = {
    "empty.csv": ("", "is empty (0 bytes)"),
    "empty.parquet": ("", "is empty (0 bytes)"),
    "only_header.csv": ("a,b,kind\n", "holds no samples"),
    "binary.csv": (bytes(RNG.integers(0, 256, 500, dtype=np.uint8)), "is no text"),
    "cut.parquet": (cut_parquet, "is no Parquet file, or only part of one"),
    "text.parquet": ("a,b\n1,2\n", "is no Parquet file"),
    "pickle.npz": (pickled, "holds Python objects (a pickle)"),
    "text.npy": ("1 2 3", "is no NumPy file"),
    "missing.csv": (lines([["", *ROWS[0][1:]], *ROWS[1:]]), "column 'a' has no value in row 0"),
    "missing_label.csv": (lines([[*ROWS[0][:3], ""], *ROWS[1:]]), "--prior kind has no value"),
    "infinite.csv": (lines([["inf", *ROWS[0][1:]], *ROWS[1:]]), "infinity"),
    "ragged.csv": (lines([*ROWS, [1, 2, 3, 4, 5, 6]]), "cannot be read as a table"),
    "words.csv": (lines([["a", "b", "c", kind] for kind in KIND]), "no numeric column left"),
    "no_kind.csv": (lines(ROWS, header=["a", "b", "c", "sort"]), "has no column 'kind'"),
    "one_kind.csv": (lines([[*row[:3], "u"] for row in ROWS]), "one class only"),
    "few.csv": (lines(ROWS[:3]), "minimum of 4"),
    "same.csv": (lines([[1, 2, 3, kind] for kind in KIND]), "identical"),
    "sheet.xlsx": (b"PK", "takes a file that ends in"),
    "prose.csv": ("Dear all,\nplease find the data elsewhere.\n", "has no column 'kind'"),
}


def write(path, content):
    if callable(content):
        content(path)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_bytes(content.encode())
    return path


def run(path):
    words = ["embed", str(path), "--prior", "kind", "--method", "jedi", "--jobs", "1"]
    return CliRunner().invoke(main, words, catch_exceptions=False)


@pytest.mark.parametrize("name", GOOD)
def test_ugly_files_that_give_a_map(name, tmp_path, monkeypatch):
    given = {}

    def fit(X, priors, setting):
        given["X"] = X
        return X[:, :2]

    monkeypatch.setattr(_methods, "_METHODS", {"jedi": fit})
    result = run(write(tmp_path / name, GOOD[name]))
    assert result.exit_code == 0, result.output
    np.testing.assert_allclose(given["X"], X)
    assert "Prior: kind (labels, 2 classes)." in result.stderr
    assert len(result.stdout.splitlines()) == N + 1


@pytest.mark.parametrize("name", BAD)
def test_bad_files_give_one_sentence_and_a_code(name, tmp_path):
    content, reason = BAD[name]
    result = run(write(tmp_path / name, content))
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    assert reason in last
    assert result.stderr.count("Error") == 1


def test_a_column_that_is_nearly_numbers_is_named_with_what_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(_methods, "_METHODS", {"jedi": lambda X, priors, setting: X[:, :2]})
    result = run(write(tmp_path / "mixed.csv", GOOD["mixed.csv"]))
    assert "m (text such as 'n.d.')" in result.stderr
    result = run(write(tmp_path / "same.csv", GOOD["duplicate_ids.csv"]))
    assert "some ids stand for several samples" in result.stderr
