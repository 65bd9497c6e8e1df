"""New samples on a fitted map: ours, openTSNE's and umap-learn's transform.

    python benchmarks/transform.py --data DIR --models DIR --fit
    python benchmarks/transform.py --data DIR --models DIR

The first command fits models to 4000 and 70 000 samples (``--sizes``) and keeps them in a folder,
with maps of the fitted and 1000 new samples together; the second times ``transform``, each model
in a process of its own.

Cells by mass cytometry (``DIR/cytof_bcrxl.npz``, 24 markers); the prior is the patient. Times are
the median of five calls for one new sample and of one call for more, once everything is compiled;
"first call" is of one sample in a new process, with everything that it loads. "left" and "kept" are
what 1000 new samples share with their 15 fitted map neighbours of the patient and of the cell type,
0 is chance; "joint" is the same in a map of all samples together. "same row" tells whether a row
gets the same place alone and in a batch. openTSNE and umap-learn, at their defaults on all threads,
are not given the prior.

Writes ``benchmarks/results/transform.json``, and ``transform.md`` from it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import unprior as up
from unprior.priors import labels
from unprior.priors._left import PriorLeft

RESULTS = Path(__file__).parent / "results"

#: New samples that are timed together, and that are scored.
NEW, SCORED, NEIGHBORS = (1, 1000, 10_000), 1000, 15


class Ours:
    """An estimator of ours, which takes the prior."""

    def __init__(self, make: Any) -> None:
        self.make = make

    def fit(self, X: Any, prior: Any) -> Any:
        """Return the map."""
        self.fitted = self.make().fit(X, prior=prior)
        return self.fitted.embedding_

    def place(self, X: Any, prior: Any) -> Any:
        """Return places of new samples."""
        return self.fitted.transform(X, prior=prior)

    def save(self, path: Path) -> None:
        """Write the model."""
        up.save_model(self.fitted, path)

    def load(self, path: Path) -> Any:
        """Read the model; return its map."""
        self.fitted = up.load_model(path).set_params(n_jobs=-1)
        return self.fitted.embedding_


class Rival:
    """Another package, which takes no prior."""

    def fit(self, X: Any, prior: Any) -> Any:
        """Return the map."""
        self.fitted = self.draw(X)
        return self.map()

    def place(self, X: Any, prior: Any) -> Any:
        """Return places of new samples."""
        return np.array(self.fitted.transform(X))

    def save(self, path: Path) -> None:
        """Write the model."""
        path.write_bytes(pickle.dumps(self.fitted))

    def load(self, path: Path) -> Any:
        """Read the model; return its map."""
        self.fitted = pickle.loads(path.read_bytes())
        return self.map()


class OpenTSNE(Rival):
    """openTSNE at its defaults."""

    def draw(self, X: Any) -> Any:
        """Fit."""
        from openTSNE import TSNE

        return TSNE(random_state=0, n_jobs=-1).fit(X)

    def map(self) -> Any:
        """Return the map."""
        return np.array(self.fitted)


class UMAPLearn(Rival):
    """umap-learn at its defaults."""

    def draw(self, X: Any) -> Any:
        """Fit."""
        from umap import UMAP

        return UMAP().fit(X)  # with a seed it would use one thread

    def map(self) -> Any:
        """Return the map."""
        return self.fitted.embedding_


METHODS = {
    "IndependentTSNE": lambda: Ours(lambda: up.IndependentTSNE(random_state=0, n_jobs=-1)),
    "Confetti, UMAP": lambda: Ours(lambda: up.Confetti(random_state=0, n_jobs=-1)),
    "openTSNE": OpenTSNE,
    "umap-learn": UMAPLearn,
}


def shares(new: Any, there: Any, rows: Any, prior: Any, cell: Any) -> tuple[float, float]:
    """Return what new samples share with fitted neighbours: of the prior, and of the cell type."""
    near = cKDTree(there).query(new, range(1, NEIGHBORS + 1))[1]
    counts = np.bincount(cell) / len(cell)
    chance = float(counts @ counts)
    same = float((cell[near] == cell[rows][:, None]).mean())
    left = PriorLeft.of(labels(prior), NEIGHBORS).among(rows, near)
    return left, (same - chance) / (1 - chance)


def timed(method: Any, X: Any, prior: Any, times: int = 1) -> tuple[float, Any]:
    """Return the median of the seconds that calls take, and the places."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        places = method.place(X, prior)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)), places


def measure(name: str, path: Path, n: int, X: Any, prior: Any, cell: Any) -> dict[str, Any]:
    """Time and score one method."""
    method = METHODS[name]()
    there = method.load(path)
    row: dict[str, Any] = {"method": name, "n": n, "mb": path.stat().st_size / 1e6}
    row["first"], alone = timed(method, X[n : n + 1], prior[n : n + 1])
    method.place(X[n : n + 20], prior[n : n + 20])
    for size in NEW:
        some = slice(n, n + size)
        row[str(size)], places = timed(method, X[some], prior[some], 5 if size == 1 else 1)
    row["same"] = bool((places[:1] == alone).all())
    scored = np.arange(n, n + SCORED)
    row["left"], row["kept"] = shares(places[:SCORED], there, scored, prior, cell)
    joint = path.with_suffix(".joint.npy")
    if joint.exists():
        Y = np.load(joint)
        row["joint_left"], row["joint_kept"] = shares(Y[n:], Y[:n], scored, prior, cell)
    return row


def write(rows: list[dict[str, Any]]) -> None:
    """Write the results, and the page from them."""
    names = [*METHODS]
    rows.sort(key=lambda row: (row["n"], names.index(row["method"])))
    results = RESULTS / "transform.json"
    results.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    about = " ".join(__doc__.split("\n\n")[3].split())
    text = f"# New samples into a fitted map\n\n{about}\n\n{table(rows)}"
    results.with_suffix(".md").write_text(text, encoding="utf-8")


def table(rows: list[dict[str, Any]]) -> str:
    """Return the results as a table."""
    head = (
        "| method | fitted | model, MB | first call, s | 1 new, ms | 1000 new, s | 10 000 new, s "
    )
    lines = [head + "| same row | left | kept | joint: left | kept |", "|:--|" + "--:|" * 11]
    for row in rows:
        joint = [f"{row[k]:.3f}" if k in row else "" for k in ("joint_left", "joint_kept")]
        cells = [row["method"], str(row["n"]), f"{row['mb']:.1f}", f"{row['first']:.2f}"]
        cells += [f"{1000 * row['1']:.1f}", f"{row['1000']:.2f}", f"{row['10000']:.1f}"]
        cells += ["yes" if row["same"] else "no", f"{row['left']:.3f}", f"{row['kept']:.3f}"]
        lines.append("| " + " | ".join([*cells, *joint]) + " |")
    return "\n".join(lines) + "\n"


def fit(name: str, path: Path, n: int, X: Any, prior: Any) -> None:
    """Fit a model, and a map of fitted and new samples together, if they are not there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        method = METHODS[name]()
        method.fit(X[:n], prior[:n])
        method.save(path)
    joint = path.with_suffix(".joint.npy")
    if not joint.exists():
        both = slice(n + SCORED)
        np.save(joint, METHODS[name]().fit(X[both], prior[both]))


def main() -> None:
    """Fit, or time and score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="*", default=[4000, 70_000])
    parser.add_argument("--methods", nargs="*", default=[*METHODS], choices=[*METHODS])
    parser.add_argument("--fit", action="store_true")
    asked = parser.parse_args()
    held = np.load(asked.data / "cytof_bcrxl.npz", allow_pickle=False)
    for n, name in itertools.product(asked.sizes, asked.methods):
        if not asked.fit and len(asked.sizes) * len(asked.methods) > 1:
            words = ["--sizes", str(n), "--methods", name]
            subprocess.run([sys.executable, *sys.argv, *words], check=True)
            continue
        order = np.random.default_rng(0).permutation(len(held["patient"]))[: n + max(NEW)]
        X = np.hstack([held["lineage"], held["signalling"]])[order].astype(np.float64)
        prior = held["patient"][order].astype(str)
        path = asked.models / f"{name.replace(', ', '-')}-{n}.model"
        if asked.fit:
            fit(name, path, n, X, prior)
            continue
        cell = np.unique(held["population_derived"][order], return_inverse=True)[1]
        row = measure(name, path, n, X, prior, cell)
        print(json.dumps(row), flush=True)
        results = RESULTS / "transform.json"
        rows = json.loads(results.read_text(encoding="utf-8")) if results.exists() else []
        write([old for old in rows if (old["method"], old["n"]) != (name, n)] + [row])


if __name__ == "__main__":
    main()
