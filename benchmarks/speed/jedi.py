"""JEDI and openTSNE's plain t-SNE: same data, same threads, one run.

    python benchmarks/speed jedi [--sizes 10000 70000 170000] [--million] [--append] [--data DIR]
                              [--jobs 2] [--fits 1] [--results DIR]

Every fit runs in a process of its own, one after the other, so that its peak memory is its own.
Each first fits 3000 samples, which compiles or loads the compiled loops and is timed as "first
call"; then the timed fit. Data are generated (clusters in 50 columns with one known column among
them), or Fashion-MNIST (prior: mean intensity, and label) and CyTOF from a folder with ``--data``.

With several ``--fits`` the methods take turns, so that a slow minute of the machine affects all;
a row then has the median of the seconds (their range in the table, all of them in the .json), the
most memory, and the first call and scores of the first. Writes benchmarks/results/jedi.md,
jedi.json and jedi.png; ``--append`` adds to the rows of an earlier run, such as
``--sizes --million --append --methods "JEDI, features"``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import COLUMNS, Benchmark
from timing_data import Data

from unprior import JEDI, priors


def draw(method: str, data: Data, jobs: int) -> tuple[Any, np.ndarray]:
    """Fit one method; return the fitted model and its map."""
    if method == "openTSNE":
        from openTSNE import TSNE

        embedding = TSNE(n_jobs=jobs, random_state=0).fit(data.X)
        return embedding, np.asarray(embedding)
    labels = method == "JEDI, labels"
    prior = priors.labels(data.labels) if labels else priors.features(data.known)
    jedi = JEDI(n_jobs=jobs, random_state=0).fit(data.X, prior=prior)
    return jedi, jedi.embedding_


BENCHMARK = Benchmark(
    script=__file__,
    title="JEDI beside openTSNE",
    about=(
        "Ratio: seconds over openTSNE's in the same run. Areas: overlap with the continuous prior",
        "and with the labels, 0 is chance; JEDI factors out the one in its name. Memory: peak of",
        "the process, and what the timed fit added to the peak before it.",
    ),
    methods=("openTSNE", "JEDI, features", "JEDI, labels"),
    draw=draw,
    columns=COLUMNS,
)

if __name__ == "__main__":
    BENCHMARK.run()
