"""JEDI's sampled solver compared with its exact one: scores, and the true objective at each map.

    python benchmarks/speed jedi_solvers [--sizes 2000 5000] [--draws 3] [--jobs 2]

The paper's two-factor data; the prior comes as labels, features and distances. Both solvers start
alike and take the same steps. Writes benchmarks/results/jedi_solvers.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

import unprior as up
from unprior._threads import compiled_threads
from unprior.geometry import data_distances
from unprior.objectives import Problem, WeightedPrior, exact_objective
from unprior.priors import Prior

RESULTS = Path(__file__).parents[1] / "results" / "jedi_solvers.md"
SOLVERS = ("exact", "sampled")


def priors_of(data: up.datasets.TwoFactorData) -> dict[str, Prior]:
    """The same knowledge in three forms."""
    known = data.known_features
    return {
        "labels": up.priors.labels(data.known),
        "features": up.priors.features(known),
        "distances": up.priors.distances(cdist(known, known)),
    }


def fit(data: up.datasets.TwoFactorData, prior: Prior, solver: str, jobs: int) -> list[float]:
    """Overlap with known and hidden labels, true objective, seconds."""
    start = time.perf_counter()
    jedi = up.JEDI(solver=solver, n_jobs=jobs, random_state=0).fit(data.X, prior=prior)
    seconds = time.perf_counter() - start
    problem = Problem(
        data_distances(data.X, "euclidean", who="benchmark"),
        [WeightedPrior(prior, 1.0)],
        jedi.perplexity_,
        jedi.prior_perplexity_,
        jedi.symmetry,
        jedi.skewness,
    )
    with compiled_threads(jobs):
        value = exact_objective(problem).evaluate(jedi.embedding_).value
    areas = [
        up.scores.overlap_area(jedi.embedding_, up.priors.labels(labels))
        for labels in (data.known, data.hidden)
    ]
    return [*areas, value, seconds]


def main() -> None:
    """Run all fits and write the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 5000])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    lines = [
        f"# JEDI's two solvers, {options.draws} draws of the two-factor data",
        "",
        "Overlap areas with known labels (want 0) and hidden labels (want high), and the objective",
        "over all pairs at the final map (want low): mean ± standard deviation over draws.",
        "",
        "| n | prior | solver | known | hidden | objective | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for n in options.sizes:
        draws = [up.datasets.make_two_factor(n, random_state=draw) for draw in range(options.draws)]
        for name in ("labels", "features", "distances"):
            for solver in SOLVERS:
                rows = np.array(
                    [fit(data, priors_of(data)[name], solver, options.jobs) for data in draws]
                )
                mean, spread = rows.mean(axis=0), rows.std(axis=0, ddof=1)
                cells = " | ".join(
                    f"{m:.3f} ± {s:.3f}" for m, s in zip(mean[:3], spread[:3], strict=True)
                )
                lines.append(f"| {n} | {name} | {solver} | {cells} | {mean[3]:.0f} |")
                print(lines[-1], flush=True)
                RESULTS.parent.mkdir(exist_ok=True)
                RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
