"""The quality benchmark scores, compares and resumes as it says; which method wins is no test."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior import priors

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import quality_run
from quality_about import ABOUT
from quality_cases import RECIPES, Case
from quality_methods import LABELS_ONLY, METHODS
from quality_pairs import Mean, compare, difference, hardest, mean_runs, pareto_front, sign_test
from quality_run import Run, finished, read_runs, run_one
from quality_scores import cut, hidden_within, score_map
from quality_state import code, library_state
from quality_tables import append

import quality


@pytest.fixture
def case(two_groups):
    X, known, hidden = two_groups
    return Case(X, priors.labels(known), hidden, name="small")


def stub(draws: list) -> Callable:
    """A method that remembers its seeds and shows the hidden columns only."""

    def draw(X, metric, prior, seed):
        draws.append(seed)
        return X[:, 3:5]

    return draw


def scored(score: float, kept: float = 0.0) -> Mean:
    return Mean(0, kept, score, 0, 0, 1)


class TestScores:
    def test_a_map_of_the_hidden_columns(self, case):
        found = score_map(case.X[:, 3:5], case)
        assert abs(found.left) < 0.15
        assert found.kept > 0.9
        assert found.kept_area > 0.1 > abs(found.left_area)
        assert found.score == found.kept - abs(found.left)

    def test_a_map_of_the_known_columns(self, case):
        found = score_map(case.X[:, :3], case)
        assert found.left > 0.9
        assert abs(found.kept) < 0.15

    def test_labels_left_are_purity_by_hand(self, case):
        Y, codes = case.X[:, :2], case.prior.codes
        gaps = np.linalg.norm(Y[:, None] - Y, axis=2)
        np.fill_diagonal(gaps, np.inf)
        near = np.argsort(gaps, axis=1)[:, :15]
        same = codes[:, None] == codes
        chance = same[~np.eye(len(Y), dtype=bool)].mean()
        purity = same[np.arange(len(Y))[:, None], near].mean()
        expected = (purity - chance) / (1 - chance)
        assert score_map(Y, case).left == pytest.approx(expected)

    def test_a_broken_map_is_refused(self, case):
        with pytest.raises(ValueError, match="not finite"):
            score_map(np.full((len(case.X), 2), np.nan), case)

    def test_hidden_within_looks_past_the_prior(self, case):
        loud = Case(case.X * [99, 99, 99, 1, 1, 1], case.prior, case.hidden)
        assert hidden_within(loud) < hidden_within(case)
        assert hidden_within(case) > 0.6
        shuffled = np.random.default_rng(1).permutation(case.hidden)
        assert hidden_within(Case(case.X, case.prior, shuffled)) < 0.2

    def test_priors_without_classes_are_cut_by_nearness(self):
        place = np.repeat(np.arange(8.0), 5)
        strata = cut(priors.features(place))
        assert len(np.unique(strata)) == 8
        assert all(len(np.unique(strata[place == p])) == 1 for p in range(8))


class TestPairs:
    @given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 1)), min_size=1, max_size=12))
    def test_the_front_is_what_none_beats(self, points):
        left, kept = zip(*points, strict=True)
        front = pareto_front(left, kept)

        def beats(a, b):
            better = left[a] < left[b] or kept[a] > kept[b]
            return left[a] <= left[b] and kept[a] >= kept[b] and better

        for k in range(len(points)):
            beaten = any(beats(other, k) for other in range(len(points)))
            assert not (beaten and k in front)
            if not beaten:  # of equal points one is enough
                assert any(left[f] == left[k] and kept[f] == kept[k] for f in front)

    def test_only_common_cases_are_compared(self):
        means = {
            ("a", "x"): scored(0.5),
            ("a", "y"): scored(0.2),
            ("b", "x"): scored(0.1),
            ("b", "y"): scored(0.105),
            ("c", "x"): scored(9.0),
        }
        found = compare(means, "x", "y").gap
        assert (found.n_cases, found.higher, found.lower) == (2, 1, 0)
        assert found.mean == pytest.approx((0.3 - 0.005) / 2)

    def test_what_was_not_measured_is_not_compared(self):
        means = {("a", "x"): scored(1, 0.5), ("a", "y"): scored(1, 0.2)}
        means |= {("b", "x"): scored(1, np.nan), ("b", "y"): scored(1, 0.2)}
        found = difference(means, "x", "y", "kept")
        assert (found.n_cases, found.mean) == (1, pytest.approx(0.3))

    def test_the_hardest_rival_drew_the_same_cases(self):
        means = {(case, "x"): scored(0.5) for case in "ab"}
        means |= {(case, "y"): scored(0.4) for case in "ab"}
        means |= {("a", "z"): scored(0.9)}
        assert hardest(means, "x", "xyz").other == "y"
        assert hardest(means, "x", "x") is None

    def test_the_sign_test(self):
        assert sign_test(5, 0) == pytest.approx(2 / 32)
        assert sign_test(3, 3) == sign_test(0, 0) == 1

    def test_seeds_are_averaged_and_failures_left_out(self):
        runs = [
            Run("a", "x", 0, 0.0, 0.4, -0.1, 0.2, 0.4, 1.0),
            Run("a", "x", 1, -0.2, 0.6, 0.3, None, 0.6, 3.0),
            Run("a", "y", 0, failure="no"),
        ]
        spread = pytest.approx(np.std([0.4, 0.6], ddof=1))
        assert mean_runs(runs) == {("a", "x"): Mean(0.1, 0.5, 0.5, 0.2, 0.2, 2.0, spread)}

    def test_one_seed_has_no_spread(self):
        found = mean_runs([Run("a", "x", 0, 0.0, 0.4, 0, 0, 0.4, 1.0)])
        assert np.isnan(found["a", "x"].spread)


class TestRuns:
    def test_a_stopped_run_goes_on(self, tmp_path, monkeypatch):
        draws: list[int] = []
        monkeypatch.setitem(METHODS, "tsne", stub(draws))
        monkeypatch.setattr(quality, "write_pages", lambda tables, docs: None)
        tables, cache = tmp_path / "tables", tmp_path / "cache"
        folders = ["--tables", str(tables), "--cache", str(cache)]
        start = ["--cases", "two-factor-labels", "--methods", "tsne", *folders]
        quality.main([*start, "--seeds", "1"])
        quality.main([*start, "--seeds", "3"])
        assert draws == [0, 1, 2]
        assert [run.seed for run in read_runs(tables)] == [0, 1, 2]
        assert (tables / quality_run.CASES).read_text().count("two-factor-labels") == 1
        assert {path.suffix for path in tables.iterdir()} == {".csv"}
        assert [path.name for path in cache.iterdir()] == ["two-factor-labels"]
        Y = np.load(cache / "two-factor-labels" / "tsne" / "2.npz")["Y"]
        assert Y.shape == (1000, 2)

    def test_failures_are_kept_and_tried_again_if_asked(self, case, tmp_path, monkeypatch):
        def refuse(X, metric, prior, seed):
            raise ValueError("two\nlines | and a bar")

        monkeypatch.setitem(METHODS, "tsne", refuse)
        run = run_one(case, "tsne", 0, tmp_path)
        assert run.failure == "ValueError: two lines | and a bar"
        append(tmp_path / quality_run.RESULTS, [run])
        assert read_runs(tmp_path) == [run]
        assert finished(tmp_path) == {("small", "tsne", 0)}
        assert finished(tmp_path, retry=True) == set()

    def test_what_another_state_of_the_library_drew_is_stale(self, tmp_path):
        now, before = library_state(), "other"
        runs = [Run("a", "jedi", 0, library=now), Run("a", "jedi", 1, library=before)]
        append(tmp_path / quality_run.RESULTS, runs)
        assert finished(tmp_path) == {("a", "jedi", 0), ("a", "jedi", 1)}
        assert finished(tmp_path, refresh=True) == {("a", "jedi", 0)}

    def test_label_methods_get_classes_or_nothing(self, case, tmp_path, monkeypatch):
        told = []
        monkeypatch.setitem(
            METHODS, "ct-sne", lambda X, m, prior, s: told.append(prior) or X[:, :2]
        )
        place = priors.features(case.X[:, :3])
        both = Case(case.X, place, case.hidden, labels=case.prior, name="both")
        assert not run_one(both, "ct-sne", 0, tmp_path).failure
        assert told == [case.prior]
        alone = Case(case.X, place, case.hidden, name="alone")
        assert run_one(alone, "ct-sne", 0, tmp_path).failure == "takes labels only"

    def test_missing_data_are_left_out(self, tmp_path):
        names = ["--cases", "flowers-colour", "--tables", str(tmp_path)]
        left_out = quality.run(quality.read_options(names))
        assert "--data" in left_out["flowers-colour"]

    def test_words_are_no_part_of_the_state(self):
        told = 'def f():\n    """Return it."""\n    return 1  # one\n'
        assert code(told) == code("def f():\n    return 1\n") != code("def f():\n    return 2\n")


class TestRecipes:
    def test_the_splits_are_balanced(self):
        splits = [recipe.split for recipe in RECIPES.values()]
        assert {*splits} == {"open", "closed"}
        assert abs(splits.count("open") - splits.count("closed")) <= 2

    def test_methods_are_all_described(self):
        assert METHODS.keys() == ABOUT.keys()
        assert METHODS.keys() >= LABELS_ONLY

    @pytest.mark.parametrize("name", ["confounded", "ring", "digits-tinted", "genomes-tree"])
    def test_a_case_is_whole_and_always_the_same(self, name):
        one, two = (RECIPES[name].load(None) for _ in range(2))
        assert 300 <= len(one.X) == len(one.hidden) == one.prior.n_samples <= 1500
        assert np.array_equal(one.X, two.X)
        assert np.array_equal(one.hidden, two.hidden)
        assert hidden_within(one) > 0.1
