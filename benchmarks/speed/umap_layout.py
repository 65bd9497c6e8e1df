"""UMAP's layout: umap-learn's with and without a seed, umappp's, and ours, in one run.

    python benchmarks/speed umap_layout [--sizes 10000 70000] [--data DIR] [--jobs 2] [--fits 3]
                                     [--methods ours ...]

Every method gets the same nearest neighbours and the same start, and is timed from there to the
map: weights of the graph and layout. Each fit is a process of its own, so that its peak memory is
its own, and first lays out a small graph, so that nothing is compiled while the clock runs. The
methods take turns. umappp is timed if scranpy is installed. Data are those of jedi.
Prints a table of medians and ranges, and writes benchmarks/results/umap_layout.md.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from timing_data import load

RESULTS = Path(__file__).parents[1] / "results" / "umap_layout.md"
METHODS = ("umap-learn, seeded", "umap-learn", "umappp, seeded", "ours, 1 thread", "ours")
#: Neighbours of a sample, itself not counted, and those looked at on the map.
NEIGHBORS, ON_MAP = 14, 15
N_FIRST = 5000
TITLES = ("n", "method", "seconds", "peak, GiB", "neighbours kept", "purity", "same map every time")


def prepare(n: int, folder: Path | None, file: Path, jobs: int) -> None:
    """Find neighbours and a start of the data, and of the few samples that serve to compile."""
    from unprior.geometry import data_distances
    from unprior.neighbors import find_neighbors
    from unprior.optimize._graph_start import graph_start

    found: dict[str, Any] = {}
    data = load(n, folder)
    for name, X in (("few", data.X[:N_FIRST]), ("all", data.X)):
        distances = data_distances(X, "euclidean")
        graph = find_neighbors(distances, NEIGHBORS, n_jobs=jobs)
        start = graph_start(graph, distances, 2, np.random.RandomState(0)).astype(np.float32)
        found |= {f"{name}_indices": graph.indices, f"{name}_distances": graph.distances}
        found[f"{name}_start"] = start
    np.savez(file, labels=data.labels, **found)


def draw(method: str, indices: np.ndarray, lengths: np.ndarray, start: np.ndarray, jobs: int):
    """Draw the map of neighbours by one method."""
    if method.startswith("umappp"):
        import knncolle
        import scranpy

        neighbors = knncolle.FindKnnResults(indices.astype(np.uint32), lengths.astype(float))
        return scranpy.run_umap(
            neighbors,
            initialize_method="none",
            initial_coordinates=np.asarray(start, dtype=float),
            num_threads=jobs,
        )
    from umap import UMAP

    from unprior.embedders._umap_model import UMAP as OURS
    from unprior.neighbors import KNNGraph

    known = KNNGraph(indices, lengths).with_self()
    options = {"n_neighbors": NEIGHBORS + 1, "init": start, "precomputed_knn": known}
    X = np.zeros((len(start), 1))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "precomputed_knn")
        if method == "umap-learn":
            return UMAP(n_jobs=jobs, **options).fit(X).embedding_
        if method == "umap-learn, seeded":
            return UMAP(n_jobs=1, random_state=0, **options).fit(X).embedding_
        threads = 1 if method == "ours, 1 thread" else jobs
        return OURS(n_jobs=1, random_state=0, **options).fit(X, n_jobs=threads).embedding_


def fit(method: str, file: Path, jobs: int) -> dict[str, Any]:
    """Draw a few samples, then all; return seconds, memory and how good the map is."""
    found = np.load(file)
    few, every = (
        [found[f"{name}_{what}"] for what in ("indices", "distances", "start")]
        for name in ("few", "all")
    )
    draw(method, *few, jobs)
    begin = time.perf_counter()
    Y = np.asarray(draw(method, *every, jobs))
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    bits = hashlib.sha256(np.ascontiguousarray(Y).tobytes()).hexdigest()
    scores = judge(Y, every[0], found["labels"])
    return {"seconds": seconds, "peak": peak, "bits": bits, **scores}


def judge(Y: np.ndarray, indices: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Share of neighbours that are neighbours on the map, and of map neighbours of one label."""
    from scipy.spatial import KDTree

    near = KDTree(Y).query(Y, ON_MAP + 1, workers=1)[1][:, 1:]
    kept = np.mean([np.isin(a, b).mean() for a, b in zip(indices, near, strict=True)])
    return {"kept": float(kept), "purity": float(np.mean(labels[near] == labels[:, None]))}


def row(n: int, method: str, fits: list[dict[str, Any]]) -> str:
    """Return a line of the table."""
    seconds = [one["seconds"] for one in fits]
    same = "–" if len(fits) == 1 else "yes" if len({one["bits"] for one in fits}) == 1 else "no"
    cells = (
        str(n),
        method,
        f"{np.median(seconds):.1f} ({min(seconds):.1f}–{max(seconds):.1f})",
        f"{max(one['peak'] for one in fits):.2f}",
        f"{np.mean([one['kept'] for one in fits]):.3f}",
        f"{np.mean([one['purity'] for one in fits]):.3f}",
        same,
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Time all methods by turns and write the table as it grows."""
    has_umappp = importlib.util.find_spec("scranpy") is not None
    methods = [name for name in METHODS if has_umappp or not name.startswith("umappp")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 70_000])
    parser.add_argument("--data", type=Path, help="folder with fashion_mnist.npz")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fits", type=int, default=3, help="timed fits of each, by turns")
    parser.add_argument("--methods", nargs="+", default=methods, choices=METHODS)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(fit(options.one[0], Path(options.one[1]), options.jobs)))
        return
    lines = [f"# UMAP's layout, {options.jobs} threads", "", f"| {' | '.join(TITLES)} |"]
    lines += [f"|{'---|' * len(TITLES)}"]
    for n in options.sizes:
        fits: dict[str, list[dict[str, Any]]] = {name: [] for name in options.methods}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "neighbors.npz")
            prepare(n, options.data, file, options.jobs)
            for method in options.fits * options.methods:
                command = [sys.executable, __file__, "--one", method, str(file)]
                command += ["--jobs", str(options.jobs)]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                fits[method].append(json.loads(done.stdout.splitlines()[-1]))
        lines += [row(n, method, fits[method]) for method in options.methods]
        print("\n".join(lines), flush=True)
        options.results.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
