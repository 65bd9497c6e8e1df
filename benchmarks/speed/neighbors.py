"""Searches for nearest neighbours: all pairs, the index, and pynndescent, by turns.

    python benchmarks/speed neighbors [--sizes 10000 70000 170000 1000000] [--neighbors 15 90]
                                   [--methods ...] [--data DIR] [--jobs 2]

Data are images, then cells, if a folder has them (those of jedi), else groups of few
dimensions each in 50 columns. Every search runs in a process of its own, after one of a few
samples that compiles. Recall is the share of the true neighbours of 300 samples that were found;
"bits" are the same in two runs if all neighbours are. All pairs of a million samples take half an
hour: leave them out by --methods. Writes benchmarks/results/neighbors.md as it goes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
from timing_data import N_CELLS, Data, load

from unprior.neighbors import find_neighbors
from unprior.neighbors._index import PointIndex
from unprior.priors import features

RESULTS = Path(__file__).parents[1] / "results" / "neighbors.md"
METHODS = ("all pairs", "index", "pynndescent")
#: Samples of the search that compiles, and samples whose neighbours are looked up for the recall.
N_FIRST, N_ASKED = 6000, 300
#: Made data: groups, and dimensions of each.
GROUPS, DIMENSIONS = 200, 5


def made(n: int) -> Data:
    """Make groups of unequal sizes, each on its own flat sheet of few dimensions, and noise."""
    rng = np.random.default_rng(0)
    labels = rng.choice(GROUPS, size=n, p=rng.dirichlet(np.ones(GROUPS)))
    centers = 4 * np.sqrt(DIMENSIONS / 50) * rng.standard_normal((GROUPS, 50))
    X = (0.1 * rng.standard_normal((n, 50), dtype=np.float32)).astype(np.float32)
    for group, center in enumerate(centers):
        here = np.flatnonzero(labels == group)
        sheet = rng.standard_normal((DIMENSIONS, 50)) * 2 / np.sqrt(50)
        X[here] += center + rng.standard_normal((len(here), DIMENSIONS)) @ sheet
    return Data(X, X[:, 0], labels.astype(str), "made")


def search(method: str, X: np.ndarray, k: int, jobs: int) -> np.ndarray:
    """Return the neighbours of every sample; the sample itself may be among them."""
    if method == "all pairs":
        return find_neighbors(features(X), k, exact=True, n_jobs=jobs).indices
    if method == "index":
        return PointIndex.build(X, n_jobs=jobs).neighbors(k, n_jobs=jobs)[0]
    from pynndescent import NNDescent

    return NNDescent(X, n_neighbors=k + 1, random_state=0, n_jobs=jobs).neighbor_graph[0]


def share_found(X: np.ndarray, found: np.ndarray, k: int) -> float:
    """Share of the true neighbours of some samples that were found."""
    rows = np.random.default_rng(1).permutation(len(X))[:N_ASKED]
    shares = []
    for row in rows:
        lengths = ((X - X[row]) ** 2).sum(axis=1)
        lengths[row] = np.inf
        shares.append(np.isin(np.argpartition(lengths, k)[:k], found[row]).mean())
    return float(np.mean(shares))


def measure(method: str, n: int, k: int, options: argparse.Namespace) -> dict[str, object]:
    """Search once and return what is in a row of the table."""
    data = load(n, options.data) if options.data and n <= N_CELLS else made(n)
    search(method, data.X[:N_FIRST], k, options.jobs)
    start = time.perf_counter()
    found = search(method, data.X, k, options.jobs)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "n": n,
        "data": data.name,
        "neighbours": k,
        "method": method,
        "seconds": f"{seconds:.1f}",
        "recall": f"{share_found(data.X, found, k):.3f}",
        "peak, GiB": f"{peak:.2f}",
        "bits": f"{zlib.crc32(np.ascontiguousarray(found)):08x}",
    }


def main() -> None:
    """Measure all searches, each in a process of its own, and write the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 70_000, 170_000, 10**6])
    parser.add_argument("--neighbors", type=int, nargs="+", default=[15, 90])
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--data", type=Path, help="folder with the data that come with no package")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, default=RESULTS, help="file for the table")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        method, n, k = options.one
        print(json.dumps(measure(method, int(n), int(k), options)))
        return
    lines = [f"# Nearest neighbours, {options.jobs} threads", ""]
    lines += [
        "Recall: share of the true neighbours of 300 samples. Peak: of the whole process.",
        "",
    ]
    for n, k, method in (
        (n, k, method)
        for n in options.sizes
        for k in options.neighbors
        for method in options.methods
    ):
        command = [sys.executable, __file__, "--one", method, str(n), str(k)]
        command += ["--jobs", str(options.jobs)]
        command += ["--data", str(options.data)] if options.data else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        row = json.loads(done.stdout.splitlines()[-1])
        if len(lines) == 4:
            lines += [f"| {' | '.join(row)} |", f"| {' | '.join('---' for _ in row)} |"]
        lines.append(f"| {' | '.join(map(str, row.values()))} |")
        print(lines[-1], flush=True)
        options.results.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
