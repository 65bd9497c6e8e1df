"""Saved maps are checked once a state, and what is said of the warning is counted by hand."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from unprior import priors
from unprior.scores import overlap_area

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import quality_checks
from quality_alarm import Alarm, judge
from quality_cases import Case, Recipe
from quality_checks import CHECKS, Check, Ranking, check_maps, rank, read_checks, valid_checks
from quality_run import RESULTS, Run, save_map
from quality_tables import append


@pytest.fixture
def case(two_groups):
    X, known, hidden = two_groups
    return Case(X, priors.labels(known), hidden, name="small")


@pytest.fixture
def folders(case, tmp_path, monkeypatch):
    """Tables and two maps of a case, drawn by one state of the library."""
    recipe = Recipe(case.name, "open", "a small one", lambda _: case)
    monkeypatch.setattr(quality_checks, "RECIPES", {case.name: recipe})
    monkeypatch.setattr(Recipe, "load", lambda self, folder: self.make(folder))
    tables, cache = tmp_path / "tables", tmp_path / "cache"
    for method, Y in {"hidden": case.X[:, 3:5], "known": case.X[:, :2]}.items():
        run = Run(case.name, method, 0, kept=1.0, library="one")
        save_map(cache, run, Y)
        append(tables / RESULTS, [run])
    return tables, cache


def n_lines(path):
    return len(path.read_text().splitlines()) - 1


class TestMaps:
    def test_maps_are_checked_once(self, case, folders):
        for _ in range(2):
            assert check_maps(*folders, None) == {}
        found = {check.method: check for check in read_checks(folders[0])}
        assert len(found) == n_lines(folders[0] / CHECKS) == 2
        assert found["hidden"].rest_kept > found["known"].rest_kept + 0.3
        known = case.X[:, :2].astype(np.float32)
        assert found["known"].data_area == pytest.approx(overlap_area(known, case.X), abs=1e-3)

    def test_a_map_drawn_by_another_state_is_checked_again(self, case, folders):
        check_maps(*folders, None)
        run = Run(case.name, "known", 0, kept=1.0, library="two")
        save_map(folders[1], run, case.X[:, 3:5])
        append(folders[0] / RESULTS, [run])
        check_maps(*folders, None)
        assert n_lines(folders[0] / CHECKS) == 3
        found = {check.method: check for check in read_checks(folders[0])}
        assert (found["known"].library, found["hidden"].library) == ("two", "one")
        assert found["known"].rest_kept == found["hidden"].rest_kept

    def test_old_lines_are_read_and_then_replaced(self, folders):
        old = "case,method,seed,rest_kept,data_area\nsmall,known,0,0.5,0.1\n"
        (folders[0] / CHECKS).write_text(old)
        assert read_checks(folders[0]) == [Check("small", "known", 0, 0.5, 0.1)]
        check_maps(*folders, None)
        assert {check.library for check in read_checks(folders[0])} == {"one"}

    def test_cases_that_are_not_there_are_left_out(self, folders, monkeypatch):
        def refuse(self, folder):
            raise FileNotFoundError("no such folder")

        monkeypatch.setattr(Recipe, "load", refuse)
        assert check_maps(*folders, None) == {"small": "no such folder"}
        assert read_checks(folders[0]) == []

    def test_maps_that_are_gone_are_counted_unless_they_were_checked(self, case, folders):
        tables, cache = folders
        check_maps(tables, cache, None)
        shutil.rmtree(cache)
        assert check_maps(tables, cache, None) == {}
        runs = [Run(case.name, "known", seed, kept=1.0, library="one") for seed in (1, 2)]
        append(tables / RESULTS, runs)
        save_map(cache, runs[0], case.X[:, :2])
        assert check_maps(tables, cache, None) == {"small": "no map is kept of 1 run(s)"}
        assert {check.key for check in read_checks(tables)} == {
            (case.name, *rest) for rest in (("hidden", 0), ("known", 0), ("known", 1))
        }

    def test_a_map_of_another_state_than_the_line_is_not_its_map(self, case, folders):
        tables, cache = folders
        append(tables / RESULTS, [Run(case.name, "known", 0, kept=1.0, library="two")])
        assert check_maps(tables, cache, None) == {"small": "no map is kept of 1 run(s)"}
        assert [check.method for check in read_checks(tables)] == ["hidden"]
        # Maps of earlier runs do not say who drew them.
        np.savez(cache / case.name / "known" / "0.npz", Y=case.X[:, :2])
        assert check_maps(tables, cache, None) == {}
        assert {check.library for check in read_checks(tables)} == {"one", "two"}

    def test_old_checks_do_without_their_maps(self, folders):
        tables, cache = folders
        old = "case,method,seed,rest_kept,data_area\nsmall,known,0,0.5,0.1\n"
        (tables / CHECKS).write_text(old)
        shutil.rmtree(cache)
        assert check_maps(tables, cache, None) == {"small": "no map is kept of 1 run(s)"}
        assert (tables / CHECKS).read_text() == old

    def test_checks_of_maps_that_were_drawn_anew_are_not_valid(self):
        runs = [Run("a", "x", seed, kept=1.0, library="two") for seed in range(3)]
        runs.append(Run("a", "x", 3, failure="no", library="two"))
        states = ("one", "two", "", "two")
        checks = [Check("a", "x", seed, 0, 0, state) for seed, state in enumerate(states)]
        assert [check.seed for check in valid_checks(checks, runs)] == [1, 2]


class TestRanks:
    def test_ranks_agree_or_not(self):
        runs = [Run("a", name, 0, kept=kept) for name, kept in zip("xyz", (1, 2, 3), strict=True)]
        same, reverse = (
            [Check("a", run.method, 0, sign * run.kept, 0.0) for run in runs] for sign in (1, -1)
        )
        assert rank(same, runs) == Ranking(pytest.approx(1), [pytest.approx(1)])
        assert rank(reverse, runs).pooled == pytest.approx(-1)

    def test_what_has_no_rest_is_not_ranked(self):
        runs = [Run("a", name, 0, kept=0.5 + k) for k, name in enumerate("wxyz")]
        checks = [Check("a", name, 0, float(k), 0.0) for k, name in enumerate("xyz")]
        checks.append(Check("a", "w", 0, float("nan"), 0.0))
        assert rank(checks, runs).pooled == pytest.approx(1)


def test_warnings_are_held_against_what_is_lost():
    kept = {"found": 0.1, "missed": 0.1, "false": 0.9, "fine": 0.9, "no rest": 0.1}
    rest = {"found": 0.1, "missed": 0.5, "false": 0.2, "fine": 0.6, "no rest": float("nan")}
    runs = [Run("a", name, 0, kept=value) for name, value in kept.items()]
    checks = [Check("a", name, 0, value, 0.0) for name, value in rest.items()]
    runs += [Run("a", "unchecked", 0, kept=0.1), Run("b", "found", 0, kept=0.1)]
    checks.append(Check("b", "found", 0, 0.0, 0.0))
    assert judge(checks, runs, {"a": 0.8, "b": float("nan")}) == Alarm(5, 3, 2, 1)
    assert judge([], runs, {}) == Alarm(0, 0, 0, 0)
