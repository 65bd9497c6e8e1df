"""Messy files give a map, or one clear sentence and a non-zero exit code."""

import gzip
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix

from unprior.cli import _draw, main

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


def no_x(path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"kind": KIND, "n_genes": 1.5}, index=[f"c{k}" for k in range(N)])
    anndata.AnnData(obs=obs, obsm={"X_umap": X[:, :2], "X_pca": X}).write_h5ad(path)


def pickled(path):
    np.savez(path, X=X, kind=np.array(KIND, dtype=object))


def thousands(number, mark, point):
    """Write a number as Excel does: the same numbers as elsewhere, times 10 000."""
    return f"{number * 10_000:,.1f}".translate(str.maketrans({",": mark, ".": point}))


def decimals(path):
    """Numbers as databases store them."""
    frame = pd.DataFrame([[Decimal(str(x)) for x in row] for row in X], columns=list("abc"))
    frame.assign(kind=KIND).to_parquet(path)


def wide(separator=";"):
    """More columns than the first 64 kB hold, of which all but three are empty."""
    names = [f"an_empty_column_{k}" for k in range(4000)]
    return lines(
        [[*row, *[""] * 4000] for row in COMMAS], separator, ["a", "b", "c", "kind", *names]
    )


def vectors(path):
    """A vector in each cell, as databases keep embeddings."""
    pd.DataFrame({"embedding": [*X], "length": 1.5, "kind": KIND}).to_parquet(path)


def half_vectors(path):
    pa, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    cells = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 3)
    table = pa.table({"kind": KIND, "embedding": cells})
    feather.write_feather(table, path)


def zarr_store(path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"kind": KIND}, index=[f"c{k}" for k in range(N)])
    with warnings.catch_warnings():  # in the future default format
        warnings.filterwarnings("ignore", "Writing zarr v2")
        anndata.AnnData(X, obs=obs).write_zarr(path)


def wide_cells(path):
    """More genes than are mapped directly, and their components."""
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"kind": KIND}, index=[f"c{k}" for k in range(N)])
    genes = RNG.normal(size=(N, 60))
    anndata.AnnData(csr_matrix(genes), obs=obs, obsm={"X_pca": X}).write_h5ad(path)


#: Shuffled numbers, codes of persons and other ids, wherever they are among the columns.
SHUFFLED = np.random.default_rng(1).permutation(N) + 300
WITH_IDS = lines(
    [[x[0], 7000 + 31 * k, *x[1:], SHUFFLED[k]] for k, x in enumerate(ROWS)],
    header=["a", "PID", "b", "c", "kind", "number"],
)

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
    "utf_16.csv": lines(ROWS, "\t").encode("utf-16"),
    "quoted_lines.csv": lines([[*row, '"two\nlines; and a ""quote"""'] for row in ROWS],
                              header=["a", "b", "c", "kind", '"a\nnote"']),
    "remarks.csv": "# made in May\n\n# by hand\n" + lines(ROWS),
    "packed.csv.gz": gzip.compress(lines(ROWS).encode()),
    "packed.tsv.GZ": gzip.compress(lines(ROWS, "\t").encode()),
    "old_mac.csv": lines(ROWS).replace("\n", "\r"),
    "wide.csv": wide(),
    "decimals.parquet": decimals,
    "no_x.h5ad": no_x,
    "dates.csv": lines([["2024-01-05", *row] for row in ROWS], header=["day", *"abc", "kind"]),
    "ids_anywhere.csv": WITH_IDS,
    "repeated_ids.csv": lines([[*row, k // 2] for k, row in enumerate(ROWS)],
                              header=[*"abc", "kind", "patient_id"]),
    "vectors.parquet": vectors,
    "vectors.feather": half_vectors,
    "vectors.csv": lines([['"[' + ", ".join(map(str, x)) + ']"', 5, k] for *x, k in ROWS],
                         header=["embedding", "n", "kind"]),
    "numpy_vectors.csv": lines([["[" + " ".join(map(str, x)) + "]", k] for *x, k in ROWS],
                               header=["embedding", "kind"]),
    "store.zarr": zarr_store,
    "wide_cells.h5ad": wide_cells,
    "true_or_false.csv": lines([["TRUE", *row] for row in ROWS], header=["ok", *"abc", "kind"]),
}  # fmt: skip

#: Name -> content of files that give a sentence, and what it says.
BAD = {
    "empty.csv": ("", "is empty (0 bytes)"),
    "empty.parquet": ("", "is empty (0 bytes)"),
    "only_header.csv": ("a,b,kind\n", "holds no samples"),
    "binary.csv": (bytes(RNG.integers(0, 256, 500, dtype=np.uint8)), "is not a text file"),
    "cut.parquet": (cut_parquet, "is not a Parquet file, or it is damaged"),
    "text.parquet": ("a,b\n1,2\n", "is not a Parquet file"),
    "pickle.npz": (pickled, "holds Python objects (a pickle)"),
    "text.npy": ("1 2 3", "is not a NumPy file"),
    "missing.csv": (lines([["", *ROWS[0][1:]], *ROWS[1:]]), "column 'a' has no value in row 0"),
    "missing_label.csv": (lines([[*ROWS[0][:3], ""], *ROWS[1:]]), "--prior kind has no value"),
    "infinite.csv": (lines([["inf", *ROWS[0][1:]], *ROWS[1:]]), "infinity"),
    "ragged.csv": (lines([*ROWS, [1, 2, 3, 4, 5, 6]]), "cannot be read as a table"),
    "words.csv": (lines([["a", "b", "c", kind] for kind in KIND]), "no numeric column left"),
    "no_kind.csv": (lines(ROWS, header=["a", "b", "c", "sort"]), "has no column 'kind'"),
    "one_kind.csv": (lines([[*row[:3], "u"] for row in ROWS]), "one class only"),
    "few.csv": (lines(ROWS[:3]), "minimum of 4"),
    "same.csv": (lines([[1, 2, 3, kind] for kind in KIND]), "identical"),
    "sheet.xls": (b"PK", "takes files that end in"),
    "no_gzip.csv.gz": (lines(ROWS), "cannot be read as a table: Not a gzipped file"),
    "cut.csv.gz": (gzip.compress(lines(ROWS).encode())[:-20], "cannot be read as a table: "),
    "utf_16_unmarked.csv": (lines(ROWS).encode("utf-16-le"), "is not a text file"),
    "one_row.csv": (lines(ROWS[:1]), "minimum of 4"),
    "one_column.csv": ("kind\n" + "u\nv\n" * 5, "no numeric column left"),
    "packed.npy.gz": (gzip.compress(b"1"), "takes files that end in .csv, .tsv, .csv.gz"),
    "two_vectors.parquet": (
        lambda path: pd.DataFrame({"e": [*X], "f": [*X], "kind": KIND}).to_parquet(path),
        "has several columns of vectors, e, f; choose the data, for example --features e",
    ),
    "text.feather": ("a,b\n1,2\n", "is not a Feather file"),
    "each_its_own.csv": (lines([[*row[:3], f"k{j}"] for j, row in enumerate(ROWS)]), "of its own"),
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

    def fit(X, priors, setting, _):
        given["X"] = X
        return X[:, :2], None, None

    monkeypatch.setattr(_draw, "_fit", fit)
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
    monkeypatch.setattr(_draw, "_fit", lambda X, *_: (X[:, :2], None, None))
    result = run(write(tmp_path / "mixed.csv", GOOD["mixed.csv"]))
    assert "m (text such as 'n.d.')" in result.stderr
    result = run(write(tmp_path / "same.csv", GOOD["duplicate_ids.csv"]))
    assert "some ids are not unique" in result.stderr


@pytest.mark.parametrize(
    ("separator", "mark", "point", "remark"),
    [(";", ".", ",", "Points"), (",", ",", ".", "Commas")],
)
def test_thousands_that_are_set_apart(tmp_path, monkeypatch, separator, mark, point, remark):
    given = {}
    monkeypatch.setattr(_draw, "_fit", lambda X, *_: (given.setdefault("X", X)[:, :2], None, None))
    cells = [[f'"{thousands(x, mark, point)}"' for x in row[:3]] + row[3:] for row in ROWS]
    result = run(write(tmp_path / "a.csv", lines(cells, separator)))
    assert result.exit_code == 0, result.output
    np.testing.assert_allclose(given["X"], X * 10_000)
    assert f"{remark} are read as thousands separators in: a, b, c." in result.stderr


def test_versions_and_codes_are_not_taken_for_thousands(tmp_path, monkeypatch):
    monkeypatch.setattr(_draw, "_fit", lambda X, *_: (X[:, :2], None, None))
    cells = [[f"1.{k}", f"0{k}.100.200", *row] for k, row in enumerate(COMMAS)]
    text = lines(cells, ";", header=["version", "code", *"abc", "kind"])
    result = run(write(tmp_path / "a.csv", text))
    assert result.exit_code == 0, result.output
    assert "thousands" not in result.stderr


def test_a_folder_is_no_file(tmp_path):
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "is a folder" in run(tmp_path.rename(tmp_path.with_suffix(".csv"))).stderr


@pytest.mark.parametrize("role", ["data", "prior"])
@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [((2, 5), np.nan, "NaN"), ((3, 4), 9.0, "symmetric"), ((1, 1), 0.5, "to itself")],
)
def test_matrices_that_hold_no_distances(tmp_path, role, place, value, reason):
    D = np.abs(X[:, :1] - X[:, :1].T)
    D[place] = value
    np.save(tmp_path / "D.npy", D)
    write(tmp_path / "a.csv", lines(ROWS))
    words = ["--method", "jedi", "--prior", str(tmp_path / "D.npy") + ":distances"]
    if role == "data":
        np.save(tmp_path / "good.npy", np.abs(X[:, 1:2] - X[:, 1:2].T))
        prior = str(tmp_path / "good.npy") + ":distances"
        words = ["--metric", "precomputed", "--method", "jedi", "--prior", prior]
    file = tmp_path / ("D.npy" if role == "data" else "a.csv")
    result = CliRunner().invoke(main, ["embed", str(file), *words], catch_exceptions=False)
    assert result.exit_code == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    assert reason in last
