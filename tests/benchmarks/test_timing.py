"""Timing benchmarks record and show what they measure; no time itself is tested."""

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "speed"))

import timing
from timing_data import Data, load
from timing_results import SEVERAL, add_rows, exponent, join_fits, table, write


def load_script(name):
    """Load a benchmark from its file, since a package that notebooks use is also called jedi."""
    path = Path(timing.__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"{name}_benchmark", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


confetti, independent, jedi = map(load_script, ("confetti", "independent", "jedi"))


def test_exponent_is_the_power_of_n():
    rows = [{"n": n, "seconds": 3 * n**1.5} for n in (10, 200, 7000)]
    assert exponent(rows) == pytest.approx(1.5)


def test_ratio_is_to_the_peer_at_the_same_size():
    rows = [
        {"method": "peer", "n": 10, "seconds": 4.0},
        {"method": "ours", "n": 10, "seconds": 2.0},
        {"method": "ours", "n": 20, "seconds": 8.0},
    ]
    lines = table(rows, {"n": "{n}", "ratio": "{ratio}"}, peer="peer")
    assert lines[2:] == ["| 10 | 1.00 |", "| 10 | 0.50 |", "| 20 | – |"]


def test_several_fits_are_a_row_of_medians_and_ranges():
    slow_first, usual = {"seconds": 9.0, "peak_gib": 1.0}, {"seconds": 4.0, "peak_gib": 2.0}
    fits = [
        {"method": "ours", "n": 10, "above_start_gib": 0.5, "area": area, **fit}
        for area, fit in enumerate([slow_first, usual, {**usual, "seconds": 3.6}])
    ]
    row = join_fits(fits)
    assert (row["seconds"], row["seconds_all"]) == (4.0, [9.0, 4.0, 3.6])
    assert (row["peak_gib"], row["above_start_gib"], row["area"]) == (2.0, 0.5, 0)
    assert join_fits(fits[:1]) == fits[0]
    peer = {"method": "peer", "n": 10, "seconds": 8.0}
    columns = {"seconds": timing.COLUMNS["seconds"], "ratio": "{ratio}"}
    lines = table([peer, row], columns, peer="peer")
    assert lines[2:] == ["| 8 | 1.00 |", "| 4 (4–9) | 0.50 |"]


def test_rows_that_were_kept_give_the_table_beside_them(tmp_path):
    kept = timing.RESULTS / "jedi"
    rows = json.loads(kept.with_suffix(".json").read_text())
    benchmark = jedi.BENCHMARK
    heading = [f"# {benchmark.title}, 2 threads", "", *benchmark.about]
    write(tmp_path / "jedi", heading, benchmark.columns, benchmark.methods, rows)
    assert (tmp_path / "jedi.md").read_text() == kept.with_suffix(".md").read_text()
    assert json.loads((tmp_path / "jedi.json").read_text()) == rows
    assert (tmp_path / "jedi.png").stat().st_size > 0


def draw(method, data, jobs):
    return len(data.X), data.X[:, :2]


@pytest.fixture
def benchmark():
    return timing.Benchmark(
        script="some/where/plain.py",
        title="Two columns",
        about=(),
        methods=("plain",),
        draw=draw,
        note=lambda model, data: {"seen": model},
        columns={**timing.COLUMNS, "seen": "{seen}"},
        n_first=50,
    )


def test_one_fit_is_a_row_of_its_table(benchmark, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["plain.py", "--one", "plain", "120"])
    benchmark.run()
    row = json.loads(capsys.readouterr().out)
    assert (row["method"], row["data"], row["n"], row["seen"]) == ("plain", "generated", 120, 120)
    assert row["peak_gib"] > row["above_start_gib"] >= 0
    assert len(table([row], benchmark.columns, peer="plain")) == 3


def test_results_come_from_processes_and_are_kept(benchmark, monkeypatch, tmp_path):
    row = {"method": "plain", "data": "generated", "seconds": 1.0, "first_call": 1.0}
    row |= {"peak_gib": 1, "above_start_gib": 1, "features_area": 0, "labels_area": 0, "seen": 1}
    commands = []

    def answer(command, **environment):
        commands.append(command)
        return {**row, "n": int(command[4])}

    monkeypatch.setattr(timing, "_answer", answer)
    monkeypatch.setattr(timing, "RESULTS", tmp_path)
    for more in (["--sizes", "30", "40"], ["--sizes", "--million", "--append"]):
        monkeypatch.setattr(sys, "argv", ["plain.py", *more])
        benchmark.run()
    assert [row["n"] for row in json.loads((tmp_path / "plain.json").read_text())] == [
        30,
        40,
        1_000_000,
    ]
    assert commands[0][1:] == ["some/where/plain.py", "--one", "plain", "30", "--jobs", "2"]


def test_methods_take_turns_and_start_cold_once(benchmark, monkeypatch, tmp_path):
    row = {"data": "generated", "first_call": 2.0, "features_area": 0, "labels_area": 0, "seen": 1}
    asked, seconds = [], iter([5.0, 1.0, 3.0, 2.0, 4.0, 9.0])

    def answer(command, **environment):
        method, n = command[3:5]
        cold = command[-1] == "--first-only"
        asked.append((method, cold, Path(environment["NUMBA_CACHE_DIR"]).name))
        took = {} if cold else {"seconds": next(seconds), "peak_gib": 1, "above_start_gib": 1}
        return {**row, "method": method, "n": int(n), **took}

    monkeypatch.setattr(timing, "_answer", answer)
    both = replace(benchmark, methods=("plain", "other"), cold=True)
    kept = {**row, "method": "plain", "n": 20, "seconds": 1, "peak_gib": 1, "above_start_gib": 1}
    (tmp_path / "plain.json").write_text(json.dumps([kept]))
    more = ["--sizes", "30", "--fits", "3", "--append", "--results", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["plain.py", *more])
    both.run()
    turn = [("plain", False, "plain"), ("other", False, "other")]
    cold = [("plain", True, "plain"), turn[0], ("other", True, "other"), turn[1]]
    assert asked == cold + 2 * turn
    before, plain, other = json.loads((tmp_path / "plain.json").read_text())
    assert before == kept
    assert plain["seconds_all"] == [5.0, 3.0, 4.0]
    assert (plain["seconds"], other["seconds"], plain["cold_start"]) == (4.0, 2.0, 2.0)
    written = (tmp_path / "plain.md").read_text()
    assert SEVERAL in written
    assert "| 4 (3–5) | 1.00 |" in written
    assert "| 2 (1–9) | 0.50 |" in written


def test_rows_replace_those_of_earlier_runs():
    def row(n, method, seconds):
        return {"n": n, "method": method, "seconds": seconds}

    methods = ("peer", "one", "other")
    earlier = [row(20, "peer", 1), row(20, "one", 2), row(10, "other", 3), row(10, "one", 4)]
    own = [row(10, "one", 5)]
    assert add_rows(earlier, own, methods) == [own[0], earlier[2], *earlier[:2]]
    peer = [row(20, "peer", 6)]  # ratios of others to it would be those of two runs
    assert add_rows(earlier, peer, methods) == [earlier[3], earlier[2], peer[0]]
    assert add_rows([], own, methods) == own


def test_results_go_where_they_are_wanted(benchmark, monkeypatch, tmp_path):
    row = {"method": "plain", "data": "generated", "seconds": 1.0, "first_call": 1.0, "n": 30}
    row |= {"peak_gib": 1, "above_start_gib": 1, "features_area": 0, "labels_area": 0, "seen": 1}
    monkeypatch.setattr(timing, "_answer", lambda command, **environment: row)
    place = tmp_path / "not" / "there"
    monkeypatch.setattr(sys, "argv", ["plain.py", "--sizes", "30", "--results", str(place)])
    benchmark.run()
    assert json.loads((place / "plain.json").read_text()) == [row]


def test_embed_gets_the_prior_in_its_name_and_all_threads(monkeypatch):
    told = []

    class Drawer:
        embedding_ = np.zeros((40, 2))

        def __init__(self, **options):
            told.append(options)

        def fit(self, X, *, prior):
            told.append(prior.kind)
            return self

    monkeypatch.setattr(independent, "IndependentTSNE", Drawer)
    data = load(40, None)
    for kind in ("features", "labels"):
        model, Y = independent.draw(f"embed, {kind}", data, 3)
        assert (model.embedding_ is Y, told) == (True, [{"n_jobs": 3, "random_state": 0}, kind])
        told.clear()


def test_a_process_says_its_row_last():
    command = [sys.executable, "-c", "import os; print('so'); print(os.environ['ROW'])"]
    assert timing._answer(command, ROW='{"n": 3}') == {"n": 3}


def test_generated_data_are_single_precision_and_the_same_every_time():
    data, again = load(100, None), load(100, None)
    assert data.X.dtype == np.float32
    np.testing.assert_array_equal(data.X, again.X)
    assert len(data.first(7).X) == len(data.first(7).known) == len(data.first(7).labels) == 7


def test_recall_of_umap_counts_neighbors_but_not_the_sample_itself(rng, monkeypatch):
    monkeypatch.setattr(confetti, "N_PROBES", 40)
    X = rng.normal(size=(40, 3))
    nearest = np.argsort(cdist(X, X), axis=1)[:, :5]
    data = Data(X, X[:, 0], np.arange(40).astype(str), "random")
    model = SimpleNamespace(_knn_indices=nearest)
    assert confetti.recall(model, data)["recall"] == 1
    nearest[:, 3:] = -1
    assert confetti.recall(model, data)["recall"] == 0.5
    assert confetti.recall(SimpleNamespace(), data)["recall"] == 1
    assert confetti.recall(SimpleNamespace(neighbor_recall_=0.7), data)["recall"] == 0.7
