"""Tables in order are the same whatever the order of the runs was."""

import sys
from pathlib import Path

import pytest

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from quality_about import ABOUT
from quality_cases import RECIPES
from quality_checks import CHECKS, Check
from quality_order import READERS, order_tables
from quality_permuted import PERMUTED, Permuted
from quality_repeat import REPEATS, Repeat
from quality_run import CASES, RESULTS, Profile, Run
from quality_tables import append

FIRST, SECOND = [*RECIPES][:2]
METHODS = [*ABOUT][:2]
KEYS = [
    (case, method, seed)
    for case in ("gone", SECOND, FIRST)
    for method in ("unknown", *METHODS[::-1])
    for seed in (10, 9)
]
RECORDS = {
    RESULTS: [Run(*key, left=0.5) for key in KEYS],
    CASES: [
        Profile(case, "open", "", False, 9, "labels", 2, True, 0.5, "euclidean")
        for case in (SECOND, "gone", FIRST)
    ],
    CHECKS: [Check(*key, 0.5, 0.5) for key in KEYS],
    PERMUTED: [Permuted(case, draw, 0, 0.5, "") for case in (SECOND, FIRST) for draw in (10, 9)],
    REPEATS: [Repeat(*key, old, "now", 0.5) for key in KEYS for old in ("b", "a")],
}


def test_cases_and_methods_have_the_order_of_their_lists(tmp_path):
    append(tmp_path / RESULTS, RECORDS[RESULTS])
    order_tables(tmp_path)
    lines = (tmp_path / RESULTS).read_text().splitlines()[1:]
    ordered = [
        f"{case},{method},{seed},"
        for case in (FIRST, SECOND, "gone")
        for method in (*METHODS, "unknown")
        for seed in (9, 10)
    ]
    assert all(line.startswith(start) for line, start in zip(lines, ordered, strict=True))


@pytest.mark.parametrize("name", [*READERS])
def test_every_table_keeps_its_records(name, tmp_path):
    append(tmp_path / name, RECORDS[name])
    order_tables(tmp_path)
    ordered = (tmp_path / name).read_bytes()
    found = [*READERS[name](tmp_path)]
    assert len(found) == len(RECORDS[name])
    assert all(record in found for record in RECORDS[name])
    # Again, and with lines that were added twice, nothing changes.
    append(tmp_path / name, RECORDS[name])
    order_tables(tmp_path)
    assert (tmp_path / name).read_bytes() == ordered


def test_the_later_of_two_lines_stays(tmp_path):
    append(tmp_path / RESULTS, [Run(FIRST, "tsne", 0, failure="no"), Run(FIRST, "tsne", 0, 0.5)])
    order_tables(tmp_path)
    (line,) = (tmp_path / RESULTS).read_text().splitlines()[1:]
    assert line == f"{FIRST},tsne,0,0.5,,,,,,,"


def test_no_tables_are_made(tmp_path):
    order_tables(tmp_path)
    assert [*tmp_path.iterdir()] == []
