import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from unprior.cli import _bench, main

#: Simulated seconds of each method.
SECONDS = {"t-SNE": 2.0, "JEDI": 3.0, "UMAP": 4.0, "CONFETTI": 2.0}


def run(*words):
    return CliRunner().invoke(main, ["bench", *words], catch_exceptions=False)


@pytest.fixture
def asked(monkeypatch):
    """Immediate timings, and what was to be timed."""
    asked = []

    def pretend(method, n_samples, jobs, seed):
        asked.append((method, n_samples, jobs, seed))
        return _bench.Timing(n_samples, method, SECONDS[method], 0.125, None)

    monkeypatch.setattr(_bench, "time_in_child", pretend)
    return asked


def test_a_table_on_stdout_and_talk_on_stderr(asked):
    done = run("--sizes", "100,300", "--jobs", "2", "--seed", "5")
    assert done.exit_code == 0
    assert asked == [(method, n, 2, 5) for n in (100, 300) for method in _bench.DRAW]
    header, *lines, note = done.stdout.splitlines()
    assert header.split("  ")[0] == "samples"
    assert lines[1].split() == ["JEDI", "3.000", "1.500", "0.125", "–"]
    assert lines[4].split() == ["300", "t-SNE", "2.000", "–", "0.125", "–"]
    assert note == "(ratio: JEDI to t-SNE, CONFETTI to UMAP)"
    assert done.stderr.splitlines()[0] == "100 samples, t-SNE: 2.0 s"


def test_json_has_the_ratios_to_the_peers(asked):
    told = json.loads(run("--sizes", "100", "--json").stdout)
    assert {fit["method"]: fit["ratio"] for fit in told["fits"]} == {
        "t-SNE": None,
        "JEDI": 1.5,
        "UMAP": None,
        "CONFETTI": 0.5,
    }
    assert told["peers"] == {"JEDI": "t-SNE", "CONFETTI": "UMAP"}
    assert told["fits"][0]["n_samples"] == 100


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ("99", "takes whole numbers of at least 100; got 99."),
        ("100,250.5", "takes whole numbers of at least 100; got 250.5."),
        ("nan", "takes whole numbers of at least 100; got nan."),
        ("many", "takes comma-separated numbers"),
        ("", "takes comma-separated numbers"),
    ],
)
def test_bad_sizes_are_named(asked, sizes, reason):
    done = run("--sizes", sizes)
    assert done.exit_code == 2
    assert reason in " ".join(done.stderr.split())
    assert asked == []


def test_what_is_timed_are_the_methods_and_their_peers():
    assert {*_bench.BASELINES, *_bench.BASELINES.values()} == {*_bench.DRAW}


@pytest.mark.parametrize(
    "method",
    # Compiling UMAP takes longer than a test should.
    ["t-SNE", "JEDI", *(pytest.param(m, marks=pytest.mark.slow) for m in ("UMAP", "CONFETTI"))],
)
def test_a_fit_tells_what_it_left_of_the_prior(method):
    timing = _bench.time_fit(method, 150, 1, 0)
    assert (timing.method, timing.n_samples) == (method, 150)
    assert timing.seconds > 0
    assert (timing.prior_left > 0.8) == (method not in _bench.BASELINES)
    assert 0.05 < timing.peak_gib < 100


def test_only_the_second_fit_is_timed_and_it_has_all_samples(monkeypatch):
    sizes, clock = [], iter([10.0, 13.5])

    def draw(X, prior, jobs, seed):
        sizes.append((len(X), len(prior)))
        return np.random.default_rng(seed).normal(size=(len(X), 2))

    def look_at_the_clock():
        assert len(sizes) > 0, "the first fit is not timed"
        return next(clock)

    monkeypatch.setitem(_bench.DRAW, "JEDI", draw)
    monkeypatch.setattr(_bench, "WARM_UP_SAMPLES", 60)
    monkeypatch.setattr(_bench.time, "perf_counter", look_at_the_clock)
    timing = _bench.time_fit("JEDI", 200, 1, 0)
    assert sizes == [(60, 60), (200, 200)]
    assert timing.seconds == 3.5
    assert abs(timing.prior_left) < 0.2


def test_a_fit_alone_goes_to_another_process_with_as_many_threads(monkeypatch):
    def pretend(words, *, env, **_):
        assert words[0] == sys.executable
        assert words[3:] == ["JEDI", "150", "2", "7"]
        assert env["NUMBA_NUM_THREADS"] == "2"
        fit = {"n_samples": 150, "method": "JEDI", "seconds": 1.0, "prior_left": 0.0}
        return subprocess.CompletedProcess(
            words, 0, f"noise\n{json.dumps(fit | {'peak_gib': 1})}\n"
        )

    monkeypatch.setattr(subprocess, "run", pretend)
    assert _bench.time_in_child("JEDI", 150, 2, 7) == _bench.Timing(150, "JEDI", 1.0, 0.0, 1)


@pytest.mark.slow
def test_a_fit_alone_is_timed():
    timing = _bench.time_in_child("JEDI", 150, 1, 0)
    assert (timing.method, timing.n_samples) == ("JEDI", 150)


def test_what_fails_alone_is_one_sentence(monkeypatch):
    monkeypatch.setattr(_bench, "CHILD_CODE", "raise MemoryError('all gone')")
    done = run("--sizes", "100", "--jobs", "1")
    assert done.exit_code == 1
    assert done.stderr == ("Error: t-SNE of 100 samples ended with code 1: MemoryError: all gone\n")
    monkeypatch.setattr(_bench, "CHILD_CODE", "import os; os.kill(os.getpid(), 9)")
    assert "code -9: it was killed" in run("--sizes", "100").stderr
