"""Count kills, fuzzing, coverage and memory, and write docs/reliability.md from the counts.

    python benchmarks/reliability --kills 15      each method of tests/survival/killing.py
    python benchmarks/reliability --fuzz 500      500 cases of each test of tests/fuzz
    python benchmarks/reliability --memory 50000  each estimator of tests/survival/peak.py
    make coverage                                 then --coverage build/coverage.json
    python benchmarks/reliability                 write the page alone

Faults put into the code are counted by mutants.py, in the same folder.

Counts are kept in benchmarks/results/reliability.json, with the version they were made with.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mutants import version

import unprior

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "reliability.json"
PAGE = ROOT / "docs" / "reliability.md"
KILLING = ROOT / "tests" / "survival" / "killing.py"
PEAK = ROOT / "tests" / "survival" / "peak.py"
FOUND = ROOT / "tests" / "fuzz" / "test_found.py"
FUZZING = [*(ROOT / "tests" / "fuzz").glob("test_fuzz*.py")]
MUTANTS = ROOT / "benchmarks" / "results" / "mutants.json"
METHODS = ("independent", "half", "jedi", "drawn", "ctsne", "revised", "umap")
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
    "NUMBA_NUM_THREADS": "1",
}


def run_kills(kills: int, seed: int) -> dict[str, dict[str, int]]:
    """Kill fits of every method, and count."""
    counts = {}
    for method in METHODS:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(KILLING), method, str(kills), str(seed), folder]
            done = subprocess.run(
                command, env=ENVIRONMENT, capture_output=True, text=True, check=True
            )
        counts[method] = json.loads(done.stdout)
        print(method, counts[method], flush=True)
    return counts


def run_fuzz(file: Path, cases: int, seed: int) -> dict[str, int]:
    """Run a file of fuzzing tests, and count."""
    asked = {"UNPRIOR_FUZZ": str(cases), "UNPRIOR_FUZZ_SEED": str(seed)}
    command = [sys.executable, "-m", "pytest", "-q", "-k", "not every_public", str(file)]
    done = subprocess.run(
        command, env={**ENVIRONMENT, **asked}, capture_output=True, text=True, check=False
    )
    print(done.stdout[-2000:])
    found = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed)", done.stdout)}
    return {"entries": sum(found.values()), "cases": cases, "seed": seed, **found}


def run_memory(n_samples: int) -> dict[str, object]:
    """Fit every estimator in a process of its own, and note the peak of its memory."""
    peak = runpy.run_path(str(PEAK))
    found = {}
    for method in peak["FITS"]:
        done = subprocess.run(
            [sys.executable, str(PEAK), method, str(n_samples)],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=True,
        )
        found[method] = json.loads(done.stdout)
        print(method, found[method], flush=True)
    return {"n_samples": n_samples, "n_features": peak["N_FEATURES"], "peaks": found}


def read_coverage(path: Path) -> dict[str, int | float | str]:
    """Return the totals of a report that `coverage json` wrote."""
    totals = json.loads(path.read_text())["totals"]
    names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    return {
        "version": version(),
        "percent": round(totals["percent_covered"], 1),
        **{name: totals[name] for name in names},
    }


def show_memory(memory: dict) -> dict[str, object]:
    """Return the figures of `run_memory` for the page."""
    rows = [
        f"| {name} | {one['before']} | {'refused' if 'refused' in one else one['peak']} |"
        for name, one in memory["peaks"].items()
    ]
    return {
        "memory": "\n".join(rows),
        "memory_samples": memory["n_samples"],
        "memory_features": memory["n_features"],
    }


def show_coverage(found: dict) -> dict[str, object]:
    """Return the figures of `read_coverage` for the page."""
    return {
        "coverage": found["percent"],
        "coverage_version": found["version"],
        "lines": found["num_statements"],
        "covered_lines": found["covered_lines"],
        "branches": found["num_branches"],
        "covered_branches": found["covered_branches"],
    }


def count_mutants() -> dict[str, object]:
    """Return what `benchmarks/reliability/mutants.py` has found, for the page."""
    found = json.loads(MUTANTS.read_text())
    folders = found["folders"]
    rows = [
        f"| {name} | {counts['mutants']} | {counts['folder']} | {counts['survived']} |"
        for name, counts in folders.items()
    ]
    earlier = found["earlier"]
    survivors = {_line(one): one["why"] for one in found["survivors"] + earlier["survivors"]}
    read = [f"- {line}. {why}" for line, why in sorted(survivors.items()) if why]
    return {
        "mutants": sum(counts["mutants"] for counts in folders.values()),
        "survived": sum(counts["survived"] for counts in folders.values()),
        "unexplained": len(survivors) - len(read),
        "mutants_version": found["version"],
        "mutants_seed": found["seed"],
        "mutant_rows": "\n".join(rows),
        "survivors": "\n".join(read),
        **{f"earlier_{name}": value for name, value in earlier.items() if name != "survivors"},
        "earlier_left": len(earlier["survivors"]),
    }


def _line(one: dict) -> str:
    """Return a survivor in one line."""
    place = f"`{one['file'].removeprefix('unprior/')}`, `{one['within'] or 'the module'}`"
    return f"{place}: `{one['was']}` as `{one['now']}`"


def write_page(results: dict) -> None:
    """Write the page from the counts and the regression tests."""
    kills, fuzz = results.get("kills", {}), [*results.get("fuzz", {}).values()]
    rows = [f"| {name} | {' | '.join(map(str, c.values()))} |" for name, c in kills.items()]
    total = sum(c["killed"] for c in kills.values())
    tests = [
        node for node in ast.parse(FOUND.read_text()).body if isinstance(node, ast.FunctionDef)
    ]
    faults = [
        f"- {node.name.removeprefix('test_').replace('_', ' ')}"
        for node in tests
        if node.name.startswith("test_")
    ]
    text = Path(__file__).with_name("page.md").read_text()
    fills = {
        "version": results.get("version", ""),
        "total": total,
        "kills": "\n".join(rows),
        "entries": sum(run["entries"] for run in fuzz),
        "cases": sum(run["entries"] * run["cases"] for run in fuzz),
        "seed": ", ".join(sorted({str(run["seed"]) for run in fuzz})),
        "failed": sum(run.get("failed", 0) for run in fuzz),
        "faults": "\n".join(faults),
        "n_faults": len(faults),
        **count_mutants(),
        **show_memory(results["memory"]),
        **show_coverage(results["coverage"]),
    }
    PAGE.write_text(text.format(**fills), encoding="utf-8")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=0, help="kills of every method")
    parser.add_argument("--fuzz", type=int, default=0, help="cases of every test")
    parser.add_argument("--files", nargs="*", help="files of tests/fuzz; all by default")
    parser.add_argument("--memory", type=int, default=0, help="samples to fit")
    parser.add_argument("--coverage", type=Path, help="what `coverage json` wrote")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if options.kills:
        results["kills"] = run_kills(options.kills, options.seed)
    if options.fuzz:
        for file in sorted(FUZZING):
            if not options.files or file.stem in options.files:
                counts = run_fuzz(file, options.fuzz, options.seed)
                results.setdefault("fuzz", {})[file.stem] = counts
    if options.memory:
        results["memory"] = run_memory(options.memory)
    if options.coverage:
        results["coverage"] = read_coverage(options.coverage)
    if options.kills or options.fuzz or options.memory or options.coverage:
        results["version"] = unprior.__version__
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    write_page(results)


if __name__ == "__main__":
    main()
