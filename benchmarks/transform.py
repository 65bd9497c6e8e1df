"""Compare `transform` for new samples with that of openTSNE and umap-learn.

    python benchmarks/transform.py --data DIR --fitted 8000 --out benchmarks/results/transform.md

Fashion-MNIST by its 50 leading components, with the mean intensity as prior, from
``DIR/fashion_mnist.npz``. Times are of a second call, when everything is compiled. "left" and
"kept" are how much of the prior and of the garment new samples share with their 15 fitted map
neighbours, 0 is chance; "joint" is the map of all samples together. "batch" says whether a row gets
the same coordinates alone and in a batch.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import unprior as up
from unprior.priors import features
from unprior.priors._left import PriorLeft

SIZES = (1, 1000, 10_000)


class Ours:
    """An estimator of ours, which takes the prior."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, prior: Any) -> Any:
        """Return the map."""
        return self.estimator.fit(X, prior=prior).embedding_

    def place(self, X: Any, prior: Any) -> Any:
        """Return places of new samples."""
        return self.estimator.transform(X, prior=prior)


class OpenTSNE:
    """openTSNE, which knows no prior."""

    def fit(self, X: Any, prior: Any) -> Any:
        """Return the map."""
        from openTSNE import TSNE

        self.fitted = TSNE(random_state=0, n_jobs=-1).fit(X)
        return np.array(self.fitted)

    def place(self, X: Any, prior: Any) -> Any:
        """Return places of new samples."""
        return np.array(self.fitted.transform(X))


class UMAPLearn:
    """umap-learn, which knows no prior."""

    def fit(self, X: Any, prior: Any) -> Any:
        """Return the map."""
        from umap import UMAP

        self.fitted = UMAP(random_state=0, n_jobs=1).fit(X)
        return self.fitted.embedding_

    def place(self, X: Any, prior: Any) -> Any:
        """Return places of new samples."""
        return self.fitted.transform(X)


METHODS = {
    "IndependentTSNE": lambda: Ours(up.IndependentTSNE(random_state=0, n_jobs=-1)),
    "Confetti, UMAP": lambda: Ours(up.Confetti(random_state=0, n_jobs=-1)),
    "openTSNE": OpenTSNE,
    "umap-learn": UMAPLearn,
}


def shares(new: Any, there: Any, rows: Any, prior: Any, label: Any) -> tuple[float, float]:
    """Return what new samples share with fitted neighbours: of the prior, and of the label."""
    near = cKDTree(there).query(new, range(1, 16))[1]
    counts = np.bincount(label) / len(label)
    chance = float(counts @ counts)
    same = float((label[near] == label[rows][:, None]).mean())
    return PriorLeft.of(features(prior), 15).among(rows, near), (same - chance) / (1 - chance)


def main() -> None:
    """Fit, place, score and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fitted", type=int, default=8000)
    parser.add_argument("--scored", type=int, default=1000)
    parser.add_argument("--methods", nargs="*", default=[*METHODS])
    parser.add_argument("--no-joint", action="store_true")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    held = np.load(asked.data / "fashion_mnist.npz", allow_pickle=False)
    n, m = asked.fitted, max(SIZES)
    rows = np.random.default_rng(0).permutation(len(held["pca50"]))[: n + m]
    X, label = held["pca50"][rows].astype(np.float64), held["label"][rows].astype(int)
    prior = held["mean_intensity"][rows].astype(np.float64)
    both = np.r_[: n + asked.scored]
    head = ["method", *(f"{size} new, s" for size in SIZES), "batch", "left", "kept"]
    lines = [[*head, "left, joint", "kept, joint"]]
    for name in asked.methods:
        method = METHODS[name]()
        there = method.fit(X[:n], prior[:n])
        method.place(X[n : n + 1], prior[n : n + 1])
        method.place(X[n : n + 20], prior[n : n + 20])
        times = []
        for size in SIZES:
            some = slice(n, n + size)
            start = time.perf_counter()
            places = method.place(X[some], prior[some])
            times.append(f"{time.perf_counter() - start:.3f}")
            if size == 1:
                alone = places
        scored = np.arange(n, n + asked.scored)
        found = shares(places[: asked.scored], there, scored, prior, label)
        line = [name, *times, "same" if (places[:1] == alone).all() else "differs"]
        line += [f"{value:.3f}" for value in found]
        if not asked.no_joint:
            joint = METHODS[name]().fit(X[both], prior[both])
            line += [f"{v:.3f}" for v in shares(joint[n:], joint[:n], scored, prior, label)]
        lines.append(line + [""] * (len(lines[0]) - len(line)))
        print(" | ".join(lines[-1]), flush=True)
        if asked.out:
            write(asked.out, n, lines)


def write(path: Path, n: int, lines: list[list[str]]) -> None:
    """Write the table as far as it is."""
    bars = ["---"] * len(lines[0])
    table = ["| " + " | ".join(line) + " |" for line in (lines[0], bars, *lines[1:])]
    about = " ".join(__doc__.split("\n\n")[2].split())
    path.write_text("\n".join([f"# New samples into a map of {n}\n", about, "", *table, ""]))


if __name__ == "__main__":
    main()
