"""What the tables lack is told, and nothing is called missing that is there."""

import sys
from pathlib import Path

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from quality_run import Run
from quality_seeds import tell_seeds

RUNS = [Run(case, method, seed) for case in "ab" for method in "xy" for seed in range(3)]


def test_all_seeds_are_there():
    refused = [Run(case, "z", seed, failure="labels only") for case in "ab" for seed in range(3)]
    assert tell_seeds([*RUNS, *refused], "ab") == "3 seeds for each method on each case."
    assert tell_seeds(RUNS[:1], "a") == "1 seed for each method on each case."


def test_missing_runs_are_counted():
    runs = [run for run in RUNS if run.key not in {("a", "x", 0), ("b", "x", 2)}]
    runs.append(Run("a", "z", 0))
    assert tell_seeds(runs, "ab").startswith("3 seeds; 7 runs are missing (of x, z on a, b), so")
    assert tell_seeds(RUNS[1:], "ab").startswith("3 seeds; 1 run is missing (of x on a), so")


def test_a_case_without_runs_lacks_all():
    assert "6 runs are missing (of x, y on c)" in tell_seeds(RUNS, "abc")


def test_many_are_not_named():
    runs = [Run("a", method, 0) for method in "vwxyz"]
    assert "25 runs are missing (of 5 methods on 5 cases)" in tell_seeds(runs, "abcdef")


def test_failures_with_some_seeds_are_told():
    runs = [*RUNS[1:], Run("a", "x", 0, failure="no")]
    told = tell_seeds(runs, "ab")
    assert told.startswith("3 seeds; 1 failed where another seed did not (of x on a), so that")
    assert "1 run is missing (of y on b) and 1 failed" in tell_seeds(
        [run for run in runs if run.key != ("b", "y", 2)], "ab"
    )
