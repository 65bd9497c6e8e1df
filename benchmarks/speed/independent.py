"""`embed` and plain t-SNE of openTSNE and scranpy: same data, same threads, one run.

    python benchmarks/speed independent [--sizes 10000 70000 170000] [--million] [--append]
                                     [--data DIR] [--jobs 2] [--fits 1] [--results DIR]

`embed` is the whole of it: residual, neighbours, constraint and map. Every fit runs in a process of
its own, after one of 6000 samples that loads the compiled loops ("first call"). scranpy, the
quickest t-SNE on CPUs that is known here, is left out if it is not installed. Data and the other
options are those of jedi. Writes benchmarks/results/independent.md, .json and .png.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from timing import COLUMNS, Benchmark
from timing_data import Data

from unprior import IndependentTSNE, priors


def draw(method: str, data: Data, jobs: int) -> tuple[Any, np.ndarray]:
    """Fit one method; return the fitted model and its map."""
    if method == "openTSNE":
        from openTSNE import TSNE

        embedding = TSNE(n_jobs=jobs, random_state=0).fit(data.X)
        return embedding, np.asarray(embedding)
    if method == "scranpy t-SNE":
        import scranpy

        points = np.ascontiguousarray(data.X.T, dtype=np.float64)
        embedding = scranpy.run_tsne(points, num_threads=jobs)
        return embedding, np.asarray(embedding)
    labels = method == "embed, labels"
    prior = priors.labels(data.labels) if labels else priors.features(data.known)
    tsne = IndependentTSNE(n_jobs=jobs, random_state=0).fit(data.X, prior=prior)
    return tsne, tsne.embedding_


PEERS = ["openTSNE"]
if importlib.util.find_spec("scranpy") is not None:
    PEERS.append("scranpy t-SNE")

BENCHMARK = Benchmark(
    script=__file__,
    title="embed beside openTSNE",
    about=(
        "Ratio: seconds over openTSNE's in the same run. Areas: overlap with the continuous prior",
        "and with the labels, 0 is chance; embed factors out the one in its name. Memory: peak of",
        "the process, and what the timed fit added to the peak before it.",
    ),
    methods=(*PEERS, "embed, features", "embed, labels"),
    draw=draw,
    columns=COLUMNS,
    n_first=6000,  # enough for every step of a large fit
)

if __name__ == "__main__":
    BENCHMARK.run()
