"""Tables hold what was added to them, whole lines only, in few digits."""

import sys
from pathlib import Path

import numpy as np
import pytest

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from quality_run import RESULTS, Run, finished, read_runs
from quality_tables import append, as_line, read_lines, rewrite

RUNS = [Run("a", "x", seed, 0.1, failure="wörd, wörd", library="now") for seed in range(2)]


def test_tables_get_the_columns_they_lack(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("case,method\na,x\n")
    append(path, [Run("b", "y", 0)])
    lines = [*read_lines(path)]
    assert [line["case"] for line in lines] == ["a", "b"]
    assert [line["seed"] for line in lines] == ["", "0"]


def test_a_run_may_be_killed_at_any_byte(tmp_path):
    path = tmp_path / RESULTS
    append(path, RUNS[:1])
    start = path.stat().st_size
    append(path, RUNS[1:])
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        # What is left of the head alone is nothing, and what is left of a line is no run.
        kept = RUNS[:1] if size >= start else []
        assert read_runs(tmp_path) == kept
        append(path, [run for run in RUNS if run.key not in finished(tmp_path)])
        assert path.read_bytes() == whole


@pytest.mark.parametrize("piece", ["a,x,1,0.5\n", "a,x,1,0.a,x,1,0.5,,,,,,,now\n", "\n"])
def test_lines_with_other_than_all_fields_are_no_runs(tmp_path, piece):
    path = tmp_path / RESULTS
    append(path, RUNS[:1])
    with path.open("a") as file:
        file.write(piece)
    assert read_runs(tmp_path) == RUNS[:1]
    append(path, RUNS[1:])
    assert read_runs(tmp_path) == RUNS


def test_numbers_have_five_digits_and_lines_end_as_in_other_texts(tmp_path):
    path = tmp_path / RESULTS
    append(path, [Run("a", "x", 100_000, 1 / 3, np.float64(-1 / 300), float("nan"), score=1234.56)])
    line = b"a,x,100000,0.33333,-0.0033333,nan,,1234.6,,,\n"
    assert path.read_bytes().splitlines(keepends=True)[1] == line


def test_old_tables_are_read_and_written_anew_in_few_digits(tmp_path):
    path = tmp_path / RESULTS
    head = ",".join(as_line(RUNS[0]))
    old = f"{head}\r\na,x,0,0.8131168239224807,,,,,,,12345e67\r\n"
    path.write_bytes(old.encode())
    assert read_runs(tmp_path) == [Run("a", "x", 0, 0.8131168239224807, library="12345e67")]
    rewrite(path, read_runs(tmp_path))
    assert path.read_bytes() == f"{head}\na,x,0,0.81312,,,,,,,12345e67\n".encode()
