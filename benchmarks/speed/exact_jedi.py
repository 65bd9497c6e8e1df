"""Exact JEDI and scikit-learn's exact t-SNE: same data, same steps, same threads, one run.

    python benchmarks/speed exact_jedi [--samples 2000] [--steps 250] [--repeats 3] [--jobs 2]

Both visit all pairs at every step; JEDI has the prior's sum to form as well. The first fit of each
is not counted (JEDI compiles then). Writes a table to benchmarks/results/exact_jedi.md.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from pathlib import Path

from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

import unprior as up

RESULTS = Path(__file__).parents[1] / "results"


def seconds(fit) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    fit()
    return time.perf_counter() - start


def main() -> None:
    """Time both and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=250, help="steps of each descent (≥ 250)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    data = up.datasets.make_two_factor(options.samples, random_state=0)
    perplexity = options.samples / 5

    def plain() -> None:
        TSNE(
            method="exact",
            perplexity=perplexity,
            max_iter=options.steps,
            n_iter_without_progress=options.steps,
            min_grad_norm=0,
            init="random",
            random_state=0,
        ).fit(data.X)

    def jedi() -> None:
        up.JEDI(
            n_iter=options.steps,
            min_grad_norm=0,
            init="random",
            n_jobs=options.jobs,
            random_state=0,
        ).fit(data.X, prior=data.known_features)

    methods = {"scikit-learn TSNE(method='exact')": plain, "unprior JEDI, exact": jedi}
    times: dict[str, list[float]] = {name: [] for name in methods}
    with threadpool_limits(options.jobs):
        for fit in methods.values():
            fit()
        # Interleaved, so that a busy moment of the machine hits both.
        for _ in range(options.repeats):
            for name, fit in methods.items():
                times[name].append(seconds(fit))
    peer = statistics.median(times["scikit-learn TSNE(method='exact')"])
    rows = [
        f"| {name} | {statistics.median(t):.1f} | {min(t):.1f}–{max(t):.1f} | "
        f"{statistics.median(t) / peer:.2f} |"
        for name, t in times.items()
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    text = "\n".join(
        [
            f"# {options.samples} samples, {options.steps} steps, {options.jobs} threads",
            "",
            f"Median of {options.repeats} interleaved fits; perplexity n/5, prior perplexity n/10.",
            f"Peak memory of the whole run: {peak:.1f} GiB.",
            "",
            "| method | seconds | range | ratio |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "exact_jedi.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
