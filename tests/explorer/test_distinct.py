"""Differences of a selection, compared with SciPy and plain counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

from unprior.explorer import _distinct
from unprior.explorer._data import from_arrays
from unprior.explorer._distinct import distinguish, rank_effects


@given(st.integers(0, 2**31), st.integers(4, 60), st.integers(1, 12))
def test_ranks_are_those_of_mann_and_whitney(seed, n, levels):
    rng = np.random.default_rng(seed)
    values, chosen = rng.integers(0, levels, n).astype(float), rng.random(n) < 0.4
    if not 0 < chosen.sum() < n or len(set(values)) == 1:
        return
    effect, p = rank_effects(values[:, None], chosen)
    test = stats.mannwhitneyu(
        values[chosen], values[~chosen], method="asymptotic", use_continuity=False
    )
    n_pairs = chosen.sum() * (~chosen).sum()
    assert effect[0] == pytest.approx(2 * test.statistic / n_pairs - 1)
    assert p[0] == pytest.approx(test.pvalue, abs=1e-9)


def test_equal_values_tell_nothing():
    effect, p = rank_effects(np.ones((6, 1)), np.array([True] * 3 + [False] * 3))
    assert (effect[0], p[0]) == (0, 1)


@pytest.fixture
def data(rng):
    batch = np.repeat(["b1", "b2", "b3"], 40)
    X = rng.normal(size=(120, 3))
    X[80:, 1] += 3
    return from_arrays(X, columns={"batch": batch, "noise": rng.normal(size=120)})


def test_the_selection_is_mostly_one_batch(data):
    rows = np.r_[80:114, 0:2]  # 34 of batch 3, 2 of batch 1
    found, compared = distinguish(data, rows)
    by_name = {difference.column: difference for difference in found}
    assert found[0].column == "batch"
    assert by_name["batch"].words == "94% b3 (7%)"
    assert by_name["1"].effect > 0.8
    assert by_name["1"].p < 1e-6
    assert by_name["noise"].p > 0.01
    assert compared == 120


def test_p_of_groups_is_exact_and_corrected(data):
    rows = np.arange(80, 110)
    found = {d.column: d for d in distinguish(data, rows)[0]}
    table = [[30, 0], [10, 80]]
    exact = 3 * stats.fisher_exact(table, alternative="greater").pvalue
    # It is by far the smallest of five, so Benjamini and Hochberg multiply it by five.
    assert found["batch"].p == pytest.approx(5 * exact, rel=1e-6)


def test_sparse_data_give_the_same(data):
    thin = from_arrays(sparse.csr_matrix(data.table), columns={"batch": ["a"] * 120})
    rows = np.arange(80, 110)
    dense = {d.column: d.effect for d in distinguish(data, rows)[0]}
    for difference in distinguish(thin, rows)[0]:
        if difference.column != "batch":
            assert difference.effect == pytest.approx(dense[difference.column])


@pytest.mark.parametrize("rows", [[], range(120)])
def test_nothing_or_all_is_refused(data, rows):
    with pytest.raises(ValueError, match="but not all"):
        distinguish(data, np.array(rows, dtype=int))


def test_of_very_many_a_draw_is_compared(rng, monkeypatch):
    monkeypatch.setattr(_distinct, "MOST_VALUES", 3000)
    X = rng.normal(size=(5000, 3))
    X[:1000, 2] += 2
    found, compared = distinguish(from_arrays(X), np.arange(1000))
    assert 900 < compared <= 1100
    assert found[0].column == "2"
    assert found[0].effect > 0.7


def test_missing_values_are_left_out(rng):
    values = rng.normal(size=60)
    values[:30] += 5
    gappy = np.r_[values, np.full(10, np.nan)]
    data = from_arrays(rng.normal(size=(70, 2)), columns={"x": gappy})
    found = {d.column: d.effect for d in distinguish(data, np.arange(30))[0]}
    assert found["x"] > 0.99
