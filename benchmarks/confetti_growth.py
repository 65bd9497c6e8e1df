"""Compare what CONFETTI leaves of a prior, and its hubness, at several numbers of samples.

    python benchmarks/confetti_growth.py --data DIR [--sizes 1000 50000]

Cases of the family "large" of the quality benchmark, with the default operator. Writes
benchmarks/results/confetti_growth_EMBEDDER.md: what is left of the prior and kept of hidden labels
among 15 map neighbours (0 is chance), and the skewness of how often a sample is another's neighbour
in the graph that the map is drawn from.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from quality.case import Samples
from quality.cases import large

import unprior as up
from unprior import scores

RESULTS = Path(__file__).parent / "results"

CASES: dict[str, Callable[[Path | None, int], Samples]] = {
    "images, brightness": large.fashion_brightness,
    "images, class": large.fashion_garment,
    "cytometry, stimulation": partial(large.cytof, known="stim"),
    "cytometry, patient": partial(large.cytof, known="patient"),
    "generated, five batches": large.clusters,
    "generated, time": large.drift,
}

HEAD = ("case", "samples", "left", "kept", "hubness", r"growth of \|left\|")


def row(samples: Samples, embedder: str, n_jobs: int) -> tuple[float, float, float]:
    """Draw a map; return what is left of the prior, what is kept, and hubness."""
    confetti = up.Confetti(embedder=embedder, n_jobs=n_jobs, random_state=0)
    Y = confetti.fit_transform(samples.X, prior=samples.prior)
    return (
        scores.neighbor_coherence(Y, samples.prior, 15),
        scores.neighbor_purity(Y, samples.hidden, 15),
        confetti.hubness_,
    )


def main() -> None:
    """Draw all maps and write the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the files of the cases")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 50_000])
    parser.add_argument("--embedder", default="umap", choices=["umap", "tsne"])
    parser.add_argument("--cases", nargs="+", default=[*CASES], choices=CASES)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    lines = [f"# CONFETTI with {options.embedder}: what is left of a prior, by number of samples"]
    lines += ["", f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
    for name in options.cases:
        first = None
        for n in options.sizes:
            left, kept, hubness = row(CASES[name](options.data, n), options.embedder, options.jobs)
            first = abs(left) if first is None else first
            growth = abs(left) - first
            found = f"{left:.3f} | {kept:.3f} | {hubness:.2f} | {growth:+.3f}"
            lines.append(f"| {name} | {n} | {found} |")
            print(lines[-1], flush=True)
            path = RESULTS / f"confetti_growth_{options.embedder}.md"
            path.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
