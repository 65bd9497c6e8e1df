"""Put small faults into the code, one at a time, and check whether the tests notice them.

    python benchmarks/reliability/mutants.py --count 500 --minutes 4  continue until there are 500
    python benchmarks/reliability/mutants.py --again                  the survivors, after new tests

A mutant is a copy of the sources with one comparison, sign, constant, condition or returned value
changed. It is run against the tests of its own module; modules without a test file of their own, or
whose tests are slow, are left out. With --again, mutants that still survive are run against all
tests of the folder ("folder": noticed there).
Single results are kept in build/mutants.json, so a run can be stopped and continued; the summary is
benchmarks/results/mutants.json, in which every survivor has room for a reason ("why") that later
runs keep.
"""

from __future__ import annotations

import argparse
import compileall
import importlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from mutations import Change, changed, changes_of

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "mutants.json"
SUMMARY = ROOT / "benchmarks" / "results" / "mutants.json"
THEIRS = ("hypothesis.extra.numpy", "numba", "pandas", "pytest", "scipy.stats", "sklearn.manifold")
FOLDERS = ("objectives", "forces", "affinities", "operators", "residual", "scores")

#: What is counted in each folder.
KINDS = ("mutants", "folder", "survived")

#: Seconds of processor time after which a mutant counts as noticed: it does not end. Wall time
#: would count the pauses of a busy machine too.
MOST_SECONDS = 25

#: Modules whose tests take more seconds than this are left out.
SLOW = 8


def choose(seed: int) -> list[Change]:
    """Return every change that could be made, in an order that depends on the seed alone.

    So rewriting a line replaces its own mutants, and the draw of all others stays the same.
    """
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / "src" / "unprior" / folder).glob("_[a-z]*.py")):
            if not tests_of(path).exists():
                continue
            found += changes_of(path.relative_to(ROOT / "src").as_posix(), path.read_text())
    alike: Counter[str] = Counter()
    order = {}
    for change in found:
        alike[change.place] += 1
        order[change.key] = random.Random(f"{seed} {change.place} {alike[change.place]}").random()
    return sorted(found, key=lambda change: order[change.key])


def tests_of(file: str | Path) -> Path:
    """Return the tests of a module."""
    return ROOT / "tests" / Path(file).parent.name / f"test{Path(file).stem}.py"


def run_tests(*tests: Path) -> str:
    """Run tests against the copy of the sources, in a fork that has imported what they need."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return "timeout" if os.WTERMSIG(status) in (9, 24) else "crash"
        return {0: "survived", 1: "failed"}.get(os.WEXITSTATUS(status), "error")
    status = 3
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        os.chdir(ROOT)
        sys.dont_write_bytecode = True
        import pytest

        status = int(
            pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *map(str, tests)])
        )
    finally:
        os._exit(status)


def judge(source: Path, change: Change, others: list[Path]) -> str:
    """Return what tests say of a mutant: failed, timeout, crash or error, or that it survived.

    A survivor is run against ``others``, if there are any.
    """
    place = source / change.file
    before = place.read_bytes()
    for old in place.parent.joinpath("__pycache__").glob(f"{place.stem}.*.pyc"):
        old.unlink()
    try:
        place.write_text(changed(before.decode(), change))
        verdict = run_tests(tests_of(change.file))
        # How long other tests take without a mutant is not known.
        if verdict == "survived" and others and run_tests(*others) in ("failed", "crash"):
            verdict = "folder"
        return verdict
    finally:
        place.write_bytes(before)


def passes(file: str, results: dict[str, str]) -> bool:
    """Whether the tests of a module pass quickly without a mutant; the answer is stored, too."""
    key = f"unchanged {file}"
    if key not in results:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        verdict = run_tests(tests_of(file))
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        results[key] = "slow" if verdict == "survived" and took > SLOW else verdict
        print(results[key], key, f"{took:.1f} s", flush=True)
        keep(results)
    return results[key] == "survived"


def others_of(file: str, results: dict[str, str]) -> list[Path]:
    """Return the other tests of the folder of a module, except slow ones."""
    folder = tests_of(file).parent
    slow = [key for key, verdict in results.items() if key.startswith("unchanged ")]
    slow = [tests_of(key.removeprefix("unchanged ")) for key in slow if results[key] != "survived"]
    return [path for path in sorted(folder.glob("test_*.py")) if path not in slow]


def keep(results: dict[str, str]) -> None:
    """Save single results, so that a run can be continued."""
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(results, indent=1))


def copy_sources(room: str) -> Path:
    """Copy the sources with their compiled loops, which numba knows by the files' times."""
    source = Path(room) / "src"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("static"))
    compileall.compile_dir(source, quiet=2)
    return source


def preload(source: Path) -> None:
    """Import what all tests need, once; of this library, only folders without mutants."""
    os.environ.update(NUMBA_NUM_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(0, str(source))
    kernels = (source / "unprior" / "kernels").glob("_[a-z]*.py")
    ours = [f"unprior.kernels.{path.stem}" for path in kernels]
    for name in (*THEIRS, "unprior.neighbors", "unprior.priors", *ours):
        importlib.import_module(name)
    changed_ones = tuple(f"unprior.{folder}" for folder in FOLDERS)
    assert not [name for name in sys.modules if name.startswith(changed_ones)]


def summarize(results: dict[str, str], every: dict[str, Change], seed: int) -> dict:
    """Count by folder, and list the survivors with the reasons given before."""
    before = json.loads(SUMMARY.read_text()) if SUMMARY.exists() else {"survivors": []}
    reasons = {
        (s["file"], s["within"], s["was"], s["now"], s["code"]): s["why"]
        for s in before["survivors"]
    }
    folders: dict[str, dict[str, int]] = {}
    survivors = []
    for key, verdict in results.items():
        change = every.get(key)
        if change is None:  # of a line that has been rewritten since
            continue
        counts = folders.setdefault(Path(change.file).parent.name, dict.fromkeys(KINDS, 0))
        counts["mutants"] += 1
        if verdict in counts:
            counts[verdict] += 1
        if verdict == "survived":
            told = {"file": change.file, "within": change.within, "line": change.line}
            lines = (ROOT / "src" / change.file).read_text().splitlines()
            told |= {"was": change.was, "now": change.now, "code": lines[change.line - 1].strip()}
            known = (change.file, change.within, change.was, change.now, told["code"])
            why = reasons.get(known, "")
            survivors.append({**told, "why": why})
    survivors.sort(key=lambda s: (s["file"], s["line"]))
    counts = {"seed": seed, "version": version(), "folders": dict(sorted(folders.items()))}
    return {**before, **counts, "survivors": survivors}


def version() -> str:
    """Return the commit whose sources were changed."""
    command = ["git", "log", "-1", "--format=%h", "--", "src"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=0, help="total number of mutants")
    parser.add_argument("--minutes", type=float, default=60, help="stop after this time")
    parser.add_argument("--again", action="store_true", help="run the survivors again")
    parser.add_argument("--seed", type=int, default=26)
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    every = {change.key: change for change in choose(options.seed)}
    results = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if options.again:
        wanted = [key for key, verdict in results.items() if verdict == "survived" and key in every]
    else:
        wanted = [key for key in every if key not in results]
    with tempfile.TemporaryDirectory() as room:
        source = copy_sources(room)
        preload(source)
        for key in wanted:
            n_done = sum(key in every for key in results)
            if time.monotonic() > end or not (options.again or n_done < options.count):
                break
            if passes(every[key].file, results):
                others = others_of(every[key].file, results) if options.again else []
                results[key] = judge(source, every[key], others)
                print(results[key], key, flush=True)
                keep(results)
    SUMMARY.write_text(json.dumps(summarize(results, every, options.seed), indent=2) + "\n")


if __name__ == "__main__":
    main()
