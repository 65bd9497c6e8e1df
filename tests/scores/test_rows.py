import threading

import joblib
import numpy as np
import pytest

from unprior.scores._rows import (
    auto_rows,
    choose_rows,
    estimate_mean,
    estimate_ratio,
    score_blocks,
    score_rows,
)


def test_choose_rows_draws_without_repeats_and_in_order():
    population = np.arange(100, 200)
    rows = choose_rows("me", population, 30, 0)
    assert len(rows) == 30
    assert (np.diff(rows) > 0).all()
    assert set(rows) <= set(population)
    np.testing.assert_array_equal(rows, choose_rows("me", population, 30, 0))
    assert not np.array_equal(rows, choose_rows("me", population, 30, 1))


@pytest.mark.parametrize("n_rows", [None, 100, 10**6])
def test_choose_rows_takes_all_when_there_are_no_more(n_rows):
    np.testing.assert_array_equal(choose_rows("me", np.arange(100), n_rows, 0), np.arange(100))


@pytest.mark.parametrize("n_rows", [1, 0, -3, 2.5, "auto", True])
def test_choose_rows_refuses_in_one_sentence(n_rows):
    with pytest.raises(ValueError, match=r"^me: 'n_rows' takes None \(all\) or a whole number of"):
        choose_rows("me", np.arange(100), n_rows, 0)


@pytest.mark.parametrize(
    ("n_samples", "n_rows"), [(10, 10), (2000, 2000), (10_000, 2000), (70_000, 1000)]
)
def test_auto_rows(n_samples, n_rows):
    assert auto_rows(n_samples) == n_rows


def test_blocks_cover_the_rows_once_in_order(monkeypatch, in_blocks):
    in_blocks(70)
    monkeypatch.setattr("unprior.scores._rows.ROUND", 3)
    rows = np.arange(3, 50)
    blocks = [*score_blocks(lambda block, factor: block * factor, rows, 10, 2)]
    assert max(map(len, blocks)) == 7
    np.testing.assert_array_equal(np.concatenate(blocks), 2 * rows)


def test_two_scores_of_all_rows_are_put_together(in_blocks):
    in_blocks(70)
    one, two = score_rows(lambda places, factor: (places, factor * places), 23, 10, 3)
    np.testing.assert_array_equal(one, np.arange(23))
    np.testing.assert_array_equal(two, 3 * np.arange(23))


@pytest.mark.parametrize("backend", [None, "threading"])
def test_blocks_run_on_the_threads_that_joblib_is_set_to(in_blocks, backend):
    in_blocks(10)
    everyone_here = threading.Barrier(2, timeout=120)

    def meet(block):
        everyone_here.wait()  # passes only if two blocks run at the same time
        return block

    settings = {} if backend is None else {"backend": backend}
    with joblib.parallel_config(n_jobs=2, **settings):
        blocks = [*score_blocks(meet, np.arange(4), 10)]
    np.testing.assert_array_equal(np.concatenate(blocks), np.arange(4))


def test_standard_error_is_the_spread_of_the_estimate(rng):
    values, per = rng.gamma(2.0, size=500), rng.gamma(5.0, size=500)
    values *= per
    drawn = [rng.choice(500, 60, replace=False) for _ in range(3000)]
    ratios = [estimate_ratio(values[rows], per[rows], 500) for rows in drawn]
    spread = np.std([ratio.value for ratio in ratios])
    assert np.mean([ratio.standard_error for ratio in ratios]) == pytest.approx(spread, rel=0.05)
    means = [estimate_mean(values[rows], 500) for rows in drawn]
    spread = np.std([mean.value for mean in means])
    assert np.mean([mean.standard_error for mean in means]) == pytest.approx(spread, rel=0.05)


def test_all_rows_leave_no_doubt(rng):
    values = rng.normal(size=20)
    assert estimate_mean(values, 20).value == pytest.approx(values.mean())
    assert estimate_mean(values, 20).standard_error == 0
