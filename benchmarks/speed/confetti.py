"""CONFETTI + UMAP beside umap-learn alone: same data, same threads, one run.

    python benchmarks/speed confetti [--sizes 10000 70000 170000] [--million] [--append]
                                     [--data DIR] [--jobs 2] [--fits 1] [--methods UMAP ...]

Every fit runs in a process of its own, one after the other, so that its peak memory is its own.
Each first fits 6000 samples, enough for every step of a large fit: once in a process with nothing
compiled yet ("cold start": imports, compiling, fit) and once in the process of the timed fit, which
finds there what the first one compiled ("first call"). umap-learn gets no seed, since with one it
runs on a single thread; CONFETTI has one, which costs it nothing.

With several ``--fits`` the methods take turns, so that a slow minute of the machine is one of all;
a row then has the median of the seconds (their range in the table, all of them in the .json), the
most memory, and the cold start, first call and scores of the first. Data are those of
benchmarks/speed/jedi.py. Writes benchmarks/results/confetti.md, confetti.json and confetti.png.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import COLUMNS, Benchmark
from timing_data import Data
from timing_results import Row

#: Samples whose true neighbours umap-learn's are held against.
N_PROBES = 300


def draw(method: str, data: Data, jobs: int) -> tuple[Any, np.ndarray]:
    """Fit one method; return the fitted model and its map."""
    if method == "UMAP":
        from umap import UMAP

        model = UMAP(n_jobs=jobs).fit(data.X)
    else:
        from unprior import Confetti, priors

        labels = method == "CONFETTI, labels"
        prior = priors.labels(data.labels) if labels else priors.features(data.known)
        model = Confetti(n_jobs=jobs, random_state=0).fit(data.X, prior=prior)
    return model, model.embedding_


def recall(model: Any, data: Data) -> Row:
    """Share of the true neighbours that were found."""
    if hasattr(model, "neighbor_recall_"):
        return {"recall": model.neighbor_recall_}
    if not hasattr(model, "_knn_indices"):  # of few samples it looks at all pairs
        return {"recall": 1.0}
    from sklearn.neighbors import NearestNeighbors

    probes = np.random.default_rng(1).choice(len(data.X), N_PROBES, replace=False)
    found = model._knn_indices[probes]
    truth = NearestNeighbors(n_neighbors=found.shape[1], algorithm="brute").fit(data.X)
    nearest = truth.kneighbors(data.X[probes], return_distance=False)
    # Both count the sample itself, which is no find.
    shares = [np.isin(t, f).sum() - 1 for t, f in zip(nearest, found, strict=True)]
    return {"recall": float(np.mean(shares) / (found.shape[1] - 1))}


BENCHMARK = Benchmark(
    script=__file__,
    title="CONFETTI + UMAP beside umap-learn",
    about=(
        "Ratio: seconds over umap-learn's in the same run. Cold start: the first fit, of 6000",
        "samples, with imports and nothing compiled yet; first call: the same in a later process.",
        "Recall: share of the true neighbours that were found. Areas: overlap with the continuous",
        "prior and with the labels, 0 is chance; CONFETTI factors out the one in its name. Memory:",
        "peak of the process, and what the timed fit added to the peak before it.",
    ),
    methods=("UMAP", "CONFETTI, features", "CONFETTI, labels"),
    draw=draw,
    note=recall,
    columns={**COLUMNS, "cold start, s": "{cold_start:.1f}", "recall": "{recall:.3f}"},
    n_first=6000,
    cold=True,
)

if __name__ == "__main__":
    BENCHMARK.run()
