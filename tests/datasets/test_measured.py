import sys

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from unprior.datasets import load_pbmc68k, load_penguins


def test_it_is_the_table_that_the_package_loads():
    from palmerpenguins import load_penguins as load_table

    table, penguins = load_table().dropna(), load_penguins()
    np.testing.assert_array_equal(penguins.X, table[list(penguins.feature_names)].to_numpy())
    for name, values in penguins.labels.items():
        assert values.tolist() == table[name].astype(str).tolist()


def test_all_333_birds_are_complete():
    penguins = load_penguins()
    assert penguins.X.shape == (333, 4)
    assert np.isfinite(penguins.X).all()
    assert [*penguins.labels] == ["species", "sex", "island", "year"]
    assert all(
        len(values) == 333 and values.dtype.kind == "U" for values in penguins.labels.values()
    )
    assert np.unique(penguins.labels["sex"]).tolist() == ["female", "male"]


@pytest.mark.parametrize("name", ["species", "sex"])
def test_measurements_and_labels_belong_to_the_same_bird(name):
    penguins = load_penguins()
    X = StandardScaler().fit_transform(penguins.X)
    assert LogisticRegression().fit(X, penguins.labels[name]).score(X, penguins.labels[name]) > 0.9


def test_absence_of_the_package_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'pip install "unprior\[demo\]"'):
        load_penguins()


def test_the_package_itself_is_not_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "palmerpenguins", raising=False)
    load_penguins()
    assert "palmerpenguins" not in sys.modules


@pytest.fixture(scope="module")
def cells():
    return load_pbmc68k()


def test_all_700_cells_are_complete(cells):
    assert cells.X.shape == (700, 765) == (700, len(set(cells.feature_names)))
    assert np.isfinite(cells.X).all()
    assert [*cells.labels] == ["bulk_labels", "louvain", "phase"]
    assert {name: len(set(values)) for name, values in cells.labels.items()} == {
        "bulk_labels": 10,
        "louvain": 11,
        "phase": 3,
    }
    assert all(v.shape == (700,) and v.dtype.kind == "U" for v in cells.labels.values())


def test_genes_and_labels_belong_to_the_same_cell(cells):
    X = PCA(20, random_state=0).fit_transform(cells.X)
    train, test = np.arange(0, 700, 2), np.arange(1, 700, 2)
    types = cells.labels["bulk_labels"]
    nearest = KNeighborsClassifier().fit(X[train], types[train])
    assert nearest.score(X[test], types[test]) > 0.75
    marker = cells.X[:, cells.feature_names.index("CD79A")]
    assert marker[types == "CD19+ B"].mean() > marker[types != "CD19+ B"].mean() + 1


def test_scanpy_itself_is_not_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "scanpy", raising=False)
    load_pbmc68k()
    assert "scanpy" not in sys.modules


def test_absence_of_the_packages_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'pip install "unprior\[anndata\]"'):
        load_pbmc68k()
