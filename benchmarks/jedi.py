"""JEDI beside openTSNE's plain t-SNE: same data, same threads, one run.

    python benchmarks/jedi.py [--sizes 10000 70000 170000] [--million] [--append] [--data DIR]
                              [--jobs 2]

Every fit runs in a process of its own, one after the other, so that its peak memory is its own.
Each first fits 3000 samples, which compiles or loads the compiled loops and is timed as "first
call"; then the timed fit. Data are generated (clusters in 50 columns with one known column among
them), or Fashion-MNIST (prior: mean intensity, and label) and CyTOF from a folder with ``--data``.
Writes benchmarks/results/jedi.md, jedi.json and jedi.png; ``--append`` adds to the rows of an
earlier run, such as ``--sizes --million --append --methods "JEDI, features"``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"
ROWS = RESULTS / "jedi.json"
METHODS = ("openTSNE", "JEDI, features", "JEDI, labels")


def load(n: int, folder: Path | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """Data, a continuous prior, labels, and a name."""
    if folder is not None and n <= 70_000:
        file = np.load(folder / "fashion_mnist.npz")
        rows = np.random.default_rng(0).permutation(70_000)[:n]
        intensity = file["mean_intensity"][rows].astype(float)
        return file["pca50"][rows], intensity, file["label"][rows].astype(str), "Fashion-MNIST"
    if folder is not None and n <= 172_791:
        file = np.load(folder / "cytof_bcrxl.npz")
        rows = np.random.default_rng(0).permutation(172_791)[:n]
        X = np.hstack([file["lineage"], file["signalling"]])[rows].astype(np.float32)
        return X, X[:, : file["lineage"].shape[1]], file["patient"][rows].astype(str), "CyTOF"
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, n)
    X = rng.normal(size=(n, 50)).astype(np.float32)
    X += 3 * rng.normal(size=(10, 50)).astype(np.float32)[labels]
    X[:, 0] += 10 * rng.random(n, dtype=np.float32)
    return X, X[:, 0].astype(float), labels.astype(str), "generated"


def fit(method: str, n: int, folder: Path | None, jobs: int) -> dict[str, object]:
    """Fit once in this process; return seconds, memory and scores."""
    import unprior as up

    X, known, labels, name = load(n, folder)
    priors = {"features": up.priors.features(known), "labels": up.priors.labels(labels)}

    def run(rows: slice) -> np.ndarray:
        if method == "openTSNE":
            from openTSNE import TSNE

            return np.asarray(TSNE(n_jobs=jobs, random_state=0).fit(X[rows]))
        prior = priors[method.split(", ")[1]][rows]
        return up.JEDI(n_jobs=jobs, random_state=0).fit_transform(X[rows], prior=prior)

    start = time.perf_counter()
    run(slice(3000))
    first = time.perf_counter() - start
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    Y = run(slice(None))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = up.scores.report(Y, prior=priors, n_rows=min(n, 1000)).to_dict()["prior"]
    return {
        "method": method,
        "data": name,
        "n": n,
        "seconds": seconds,
        "first_call": first,
        "peak_gib": peak / 2**20,
        "above_start_gib": (peak - before) / 2**20,
        "features_area": report["features"]["overlap_area"],
        "labels_area": report["labels"]["overlap_area"],
    }


def exponent(rows: list[dict]) -> float:
    """Slope of log seconds over log n."""
    log_n, log_seconds = (np.log([r[key] for r in rows]) for key in ("n", "seconds"))
    return float(np.polyfit(log_n, log_seconds, 1)[0])


def write(rows: list[dict], jobs: int) -> None:
    """Write the table and the plot of all fits so far."""
    peers = {r["n"]: r["seconds"] for r in rows if r["method"] == "openTSNE"}
    lines = [
        f"# JEDI beside openTSNE, {jobs} threads",
        "",
        "Ratio: seconds over openTSNE's in the same run. Areas: overlap with the continuous prior",
        "and with the labels, 0 is chance; JEDI factors out the one in its name. Memory: peak of",
        "the process, and what the timed fit added to the peak before it.",
        "",
        "| n | data | method | seconds | ratio | first call, s | peak, GiB | added, GiB | "
        "area, features | area, labels |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        ratio = f"{r['seconds'] / peers[r['n']]:.2f}" if r["n"] in peers else "–"
        lines.append(
            f"| {r['n']} | {r['data']} | {r['method']} | {r['seconds']:.0f} | {ratio} | "
            f"{r['first_call']:.1f} | {r['peak_gib']:.2f} | {r['above_start_gib']:.2f} | "
            f"{r['features_area']:.3f} | {r['labels_area']:.3f} |"
        )
    lines.append("")
    for method in METHODS:
        own = [r for r in rows if r["method"] == method]
        if len(own) > 1:
            lines.append(f"- {method}: seconds grow as n^{exponent(own):.2f}.")
    RESULTS.mkdir(exist_ok=True)
    ROWS.write_text(json.dumps(rows, indent=1) + "\n")
    (RESULTS / "jedi.md").write_text("\n".join(lines) + "\n")
    _plot(rows)


def _plot(rows: list[dict]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4), layout="constrained")
    ax = figure.add_subplot(
        xscale="log", yscale="log", xlabel="samples", ylabel="seconds", title="Time of one fit"
    )
    for method, marker in zip(METHODS, "osd", strict=True):
        own = [r for r in rows if r["method"] == method]
        label = f"{method} (n^{exponent(own):.2f})" if len(own) > 1 else method
        ax.plot([r["n"] for r in own], [r["seconds"] for r in own], marker=marker, label=label)
    ax.legend()
    figure.savefig(RESULTS / "jedi.png", dpi=100)


def main() -> None:
    """Run all fits, each in its own process, and write the results as they come."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 70_000, 170_000])
    parser.add_argument("--million", action="store_true", help="and a million generated samples")
    parser.add_argument(
        "--data", type=Path, help="folder with fashion_mnist.npz and cytof_bcrxl.npz"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "N"), help=argparse.SUPPRESS)
    parser.add_argument("--append", action="store_true", help="keep the rows of earlier runs")
    options = parser.parse_args()
    if options.one:
        method, n = options.one
        print(json.dumps(fit(method, int(n), options.data, options.jobs)))
        return
    rows = json.loads(ROWS.read_text()) if options.append else []
    for n in [*options.sizes, *([1_000_000] if options.million else [])]:
        for method in options.methods:
            command = [sys.executable, __file__, "--one", method, str(n)]
            command += ["--jobs", str(options.jobs)]
            if options.data:
                command += ["--data", str(options.data)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            print(rows[-1], flush=True)
            write(rows, options.jobs)


if __name__ == "__main__":
    main()
