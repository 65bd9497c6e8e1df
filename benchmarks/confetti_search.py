"""CONFETTI's two searches, all pairs or buckets alike in data and prior: which is quicker, when.

    python benchmarks/confetti_search.py [--sizes 50000 100000 200000] [--data DIR] [--jobs 2]

Made data are 100 clusters on a curved sheet of few dimensions in 50 columns, as real data mostly
are; with a folder, also the images and cells of benchmarks/jedi.py. The prior is the labels, or
features, under each kind of ⊖. Recall is measured by the result of the exact search. Writes
benchmarks/results/confetti_search.md as it goes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from timing_data import N_CELLS, N_IMAGES, Data, load

import unprior as up
from unprior.distances import factor_on_demand, find_factored_neighbors
from unprior.neighbors import find_neighbors
from unprior.priors import data_distances

RESULTS = Path(__file__).parent / "results" / "confetti_search.md"
NEIGHBORS, OPERATORS = 15, ("balanced", "linear")
#: Dimensions of the sheet.
SHEETS = (3, 8)
#: Samples of a fit that compiles what the timed ones take.
N_FIRST = 6000


def made(n: int, dimensions: int) -> Data:
    """Make clusters on a curved sheet, with labels and a number that say nothing of where."""
    rng = np.random.default_rng(0)
    centers = 3 * rng.standard_normal((100, dimensions))
    sheet = centers[rng.integers(100, size=n)] + rng.standard_normal((n, dimensions))
    X = np.tanh(sheet @ rng.standard_normal((dimensions, 50)) / 3).astype(np.float32)
    labels = rng.integers(5, size=n).astype(str)
    return Data(X, rng.standard_normal(n), labels, f"sheet of {dimensions} dimensions")


def all_data(sizes: list[int], folder: Path | None) -> Iterator[Data]:
    """Yield the data one after the other."""
    for dimensions in SHEETS:
        for n in sizes:
            yield made(n, dimensions)
    if folder is not None:
        yield load(N_IMAGES, folder)
        yield load(N_CELLS, folder)


def compare(data: Data, kind: str, operator: str, jobs: int) -> list[str]:
    """Search both ways; return a row of the table."""
    prior = up.priors.labels(data.labels) if kind == "labels" else up.priors.features(data.known)
    distances = data_distances(data.X, "euclidean")
    factored = factor_on_demand(distances, {"known": prior}, operator=operator, n_jobs=jobs)
    start = time.perf_counter()
    exact = find_neighbors(factored, NEIGHBORS, n_jobs=jobs)
    middle = time.perf_counter()
    found, told = find_factored_neighbors(factored, NEIGHBORS, n_jobs=jobs)
    end = time.perf_counter()
    pairs = zip(exact.indices, found.indices, strict=True)
    recall = np.mean([np.isin(one, other).mean() for one, other in pairs])
    return [
        data.name,
        str(len(data.X)),
        kind,
        operator,
        f"{middle - start:.1f}",
        f"{end - middle:.1f}",
        f"{recall:.3f}",
        f"{told:.3f}",
    ]


def main() -> None:
    """Compare the searches on all data and write the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[50_000, 100_000, 200_000])
    parser.add_argument("--data", type=Path, help="folder with the data that no package brings")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    titles = ["data", "n", "prior", "⊖", "all pairs, s", "buckets, s", "recall", "told"]
    lines = [
        f"# CONFETTI: all pairs or buckets, {options.jobs} threads",
        "",
        f"Seconds for the {NEIGHBORS} nearest neighbours. Recall: share of them that buckets "
        "found, and what the search told of it; 1 where it looked at all pairs after all, since "
        "buckets promised to spare too few.",
        "",
        f"| {' | '.join(titles)} |",
        f"| {' | '.join('---' for _ in titles)} |",
    ]
    settings = [(kind, operator) for kind in ("labels", "features") for operator in OPERATORS]
    for kind, operator in settings:  # compiles
        compare(made(N_FIRST, SHEETS[0]), kind, operator, options.jobs)
    for data in all_data(options.sizes, options.data):
        for kind, operator in settings:
            lines.append(f"| {' | '.join(compare(data, kind, operator, options.jobs))} |")
            print(lines[-1], flush=True)
            RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
