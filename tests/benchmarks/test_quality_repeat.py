"""Runs are drawn again fairly, and the page says what came of it."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from unprior import priors

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import quality_repeat
from quality_cases import Case, Recipe
from quality_methods import METHODS
from quality_repeat import EQUAL, Repeat, hold_against, pick, read_repeats, repeat_runs
from quality_run import RESULTS, Run, read_runs
from quality_scores import score_map
from quality_state import library_state
from quality_states import state_blocks
from quality_tables import append, as_line

NOW = library_state()


@pytest.fixture
def case(two_groups):
    X, known, hidden = two_groups
    return Case(X, priors.labels(known), hidden, name="small")


def test_runs_are_drawn_again_beside_the_table(case, tmp_path, monkeypatch):
    recipe = Recipe(case.name, "open", "a small one", lambda _: case)
    monkeypatch.setattr(quality_repeat, "RECIPES", {case.name: recipe})
    monkeypatch.setattr(Recipe, "load", lambda self, folder: self.make(folder))
    found = score_map(case.X[:, 3:5], case)
    for method, change in {"tsne": 0.0, "jedi": 0.25}.items():
        monkeypatch.setitem(METHODS, method, lambda X, metric, prior, seed: X[:, 3:5])
        old = Run(case.name, method, 0, found.left, found.kept + change, library="old")
        append(tmp_path / RESULTS, [old])
    before = read_runs(tmp_path)
    repeats = [*repeat_runs(tmp_path, None, 5, 1)]
    found = {r.method: r.difference for r in repeats}
    # The table rounds.
    assert found["tsne"] <= EQUAL
    assert found["jedi"] == pytest.approx(0.25, abs=EQUAL)
    assert [as_line(r) for r in read_repeats(tmp_path)] == [as_line(r) for r in repeats]
    assert read_runs(tmp_path) == before
    assert not (tmp_path / case.name).exists()
    assert [*repeat_runs(tmp_path, None, 5, 1)] == []


def test_cases_that_are_not_there_are_said(tmp_path, capsys):
    append(tmp_path / RESULTS, [Run("flowers-colour", "tsne", 0, 0.0, 0.0, library="old")])
    assert [*repeat_runs(tmp_path, None, 5, 1)] == []
    assert "not drawn again: flowers-colour" in capsys.readouterr().out


def test_methods_and_states_get_equal_shares():
    runs = [
        Run("a", method, seed, library=state)
        for method, states in {"x": "oo", "y": "opp", "z": "pn"}.items()
        for seed, state in enumerate(states * 10)
    ]
    picked = pick(runs, [], "n", 8)
    shares = Counter(run.method + run.library for run in picked)
    assert shares == {"xo": 2, "yo": 2, "yp": 2, "zp": 2}
    done = [Repeat(*run.key, run.library, "n", 0.0) for run in picked]
    again = pick(runs, done, "n", 8)
    assert not {run.key for run in again} & {run.key for run in picked}
    assert len(pick(runs, [], "n", 10_000)) == 60


def test_a_map_that_is_no_longer_drawn_is_as_different_as_can_be():
    old = Run("a", "x", 0, 0.1, 0.2, library="old")
    found = hold_against(old, Run("a", "x", 0, failure="no", library="now"))
    assert (found.difference, found.failure) == (np.inf, "no")
    assert pick([old], [found], "now", 1) == [old]


class TestPage:
    def test_one_state_needs_no_word(self):
        assert state_blocks([Run("a", "jedi", 0, library=NOW)], []) == []

    def test_states_that_no_method_shares_are_named(self):
        apart = [Run("a", "jedi", 0, library=NOW), Run("a", "tsne", 0, library="old")]
        assert state_blocks(apart, [])[0].endswith(f"source: old: `tsne`; {NOW}: `jedi`.")

    def test_states_within_a_method_are_tested_or_not_fair(self):
        runs = [Run("a", "jedi", seed, library=s) for seed, s in enumerate((NOW, "old", "older"))]
        assert "not fair" in state_blocks(runs, [])[0]
        repeats = [
            Repeat("a", "jedi", 1, "old", NOW, 0.0),
            Repeat("a", "tsne", 1, "old", NOW, 0.02),
            Repeat("a", "jedi", 9, "gone", NOW, 0.5),
        ]
        text, table = state_blocks(runs, repeats)
        assert "not fair" not in text
        assert f"{NOW} (1), old (1), older (1)" in text
        assert "2 of their runs" in text
        assert "1 came out equal" in text
        assert f"| old | 1 | 2 | {NOW} | 1 | 0.02 | tsne (1) |" in table
        assert "| older | 1 | 0 | – | 0 | – | – |" in table
        assert "gone" not in table
        assert not any(line.startswith(f"| {NOW}") for line in table.splitlines())
