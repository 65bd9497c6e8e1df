"""CONFETTI + UMAP and others that draw a map of a graph: same data, same threads, one run.

    python benchmarks/speed confetti [--sizes 10000 70000 170000] [--million] [--append]
                                     [--data DIR] [--jobs 2] [--fits 1] [--methods UMAP ...]

Every fit runs in a process of its own, one after the other, so that its peak memory is its own.
Each first fits 6000 samples, enough for every step of a large fit: once in a process with nothing
compiled yet ("cold start": imports, compiling, fit) and once in the process of the timed fit, which
finds there what the first one compiled ("first call"). umap-learn runs without a seed and with
one, which keeps it to a single thread; CONFETTI has one, which costs it nothing. scranpy's UMAP and
BBKNN's graph of the labels with UMAP's layout of it, are left out if they are not installed; BBKNN
needs a pynndescent before 0.6, as in benchmarks/requirements.txt.

With several ``--fits`` the methods take turns, so that a slow minute of the machine affects all;
a row then has the median of the seconds (their range in the table, all of them in the .json), the
most memory, and the cold start, first call and scores of the first. Data are those of
benchmarks/speed/jedi.py. Writes benchmarks/results/confetti.md, confetti.json and confetti.png.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from timing import COLUMNS, Benchmark
from timing_data import Data
from timing_results import Row

#: Samples whose true neighbours umap-learn's neighbours are compared with.
N_PROBES = 300


def draw(method: str, data: Data, jobs: int) -> tuple[Any, np.ndarray]:
    """Fit one method; return the fitted model and its map."""
    if method.startswith("UMAP"):
        from umap import UMAP

        # umap-learn warns that a seed limits it to one thread, unless n_jobs says so.
        options = {"random_state": 0, "n_jobs": 1} if "seeded" in method else {"n_jobs": jobs}
        model = UMAP(**options).fit(data.X)
        return model, model.embedding_
    if method == "scranpy UMAP":
        import scranpy

        points = np.ascontiguousarray(data.X.T, dtype=np.float64)
        return None, np.asarray(
            scranpy.run_umap(points, num_threads=jobs, parallel_optimization=True)
        )
    if method == "BBKNN + UMAP":
        return None, bbknn_map(data)
    from unprior import Confetti, priors

    labels = method == "CONFETTI, labels"
    prior = priors.labels(data.labels) if labels else priors.features(data.known)
    model = Confetti(n_jobs=jobs, random_state=0).fit(data.X, prior=prior)
    return model, model.embedding_


def bbknn_map(data: Data) -> np.ndarray:
    """Join every sample to its nearest of each label, and lay out this graph by UMAP."""
    import bbknn.matrix
    from umap.umap_ import find_ab_params, simplicial_set_embedding

    _, graph, _ = bbknn.matrix.bbknn(data.X.astype(np.float32), data.labels, use_faiss=False)
    a, b = find_ab_params(1.0, 0.1)
    Y, _ = simplicial_set_embedding(
        data=data.X,
        graph=graph.tocoo(),
        n_components=2,
        initial_alpha=1.0,
        a=a,
        b=b,
        gamma=1.0,
        negative_sample_rate=5,
        n_epochs=500 if len(data.X) <= 10_000 else 200,
        init="spectral",
        random_state=np.random.RandomState(0),
        metric="euclidean",
        metric_kwds={},
        densmap=False,
        densmap_kwds={},
        output_dens=False,
        parallel=True,
    )
    return np.asarray(Y)


def recall(model: Any, data: Data) -> Row:
    """Share of the true neighbours that were found."""
    if model is None:  # its neighbours are not available
        return {"recall": float("nan")}
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


PEERS = ["UMAP", "UMAP, seeded"]
PEERS += ["scranpy UMAP"] if importlib.util.find_spec("scranpy") else []
PEERS += ["BBKNN + UMAP"] if importlib.util.find_spec("bbknn") else []

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
    methods=(*PEERS, "CONFETTI, features", "CONFETTI, labels"),
    draw=draw,
    note=recall,
    columns={**COLUMNS, "cold start, s": "{cold_start:.1f}", "recall": "{recall:.3f}"},
    n_first=6000,
    cold=True,
)

if __name__ == "__main__":
    BENCHMARK.run()
