import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from unprior.datasets import load_penguins


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
