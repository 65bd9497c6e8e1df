"""Ablation of JEDI's initialisation and schedule, which make it robust to the perplexity.

    python benchmarks/jedi_ablation.py --data DIR [--cases NAME ...] [--seeds 2]

Cases are those of the quality benchmark, at about 1000 samples, solved exactly. Writes
benchmarks/results/jedi_ablation.md: prior left and hidden structure kept among 15 neighbours
(0 is chance), and kept − |left| as a mean over cases.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from unittest.mock import patch

import numpy as np
from quality.case import Case
from quality.cases import RECIPES, load_case
from quality.scores import score_map

import unprior as up
from unprior.estimators import _jedi
from unprior.objectives import _jedi as _jedi_objective
from unprior.optimize import Annealed

RESULTS = Path(__file__).parent / "results" / "jedi_ablation.md"

CASES = (
    "two-factor-labels",
    "two-factor-features",
    "synovium-batch",
    "synovium-type",
    "flowers-colour",
    "cytof-lineage",
    "penguins-species",
    "hgdp-place",
)

PERPLEXITIES: dict[str, float] = {"10": 0, "30": 0, "n/10": 1 / 10, "n/5": 1 / 5}


def without_broad() -> AbstractContextManager[object]:
    """Leave out the broad neighbourhoods, in the start as well."""
    return patch.object(_jedi_objective, "BROAD_NEIGHBORHOOD", 0.0)


def broad_start_only() -> AbstractContextManager[object]:
    """Keep the broad neighbourhoods in the start alone."""
    return patch.object(Annealed, "BROAD_SHARE", 0.0)


def without_emphasis() -> AbstractContextManager[object]:
    """Use the final strength from the first step on."""
    return patch.object(_jedi, "EMPHASIS", 1.0)


def neither() -> AbstractContextManager[object]:
    """Leave out both."""
    stack = ExitStack()
    stack.enter_context(without_broad())
    stack.enter_context(without_emphasis())
    return stack


VARIANTS: dict[str, tuple[Callable[[], AbstractContextManager[object]], str]] = {
    "as it is": (nullcontext, "spectral"),
    "no broad neighbourhoods": (without_broad, "spectral"),
    "broad in the start only": (broad_start_only, "spectral"),
    "no emphasis": (without_emphasis, "spectral"),
    "neither broad nor emphasis": (neither, "spectral"),
    "random start": (nullcontext, "random"),
}


def run(case: Case, perplexity: str, variant: str, seed: int) -> tuple[float, float]:
    """Prior left and hidden structure kept in one map."""
    change, init = VARIANTS[variant]
    share = PERPLEXITIES[perplexity]
    jedi = up.JEDI(
        perplexity=share * len(case.X) if share else float(perplexity),
        solver="exact",
        metric=case.metric,
        init=init,
        n_jobs=1,
        random_state=seed,
    )
    with change():
        found = score_map(jedi.fit_transform(case.X, prior=case.prior), case)
    return found.left, found.kept


def table(perplexity: str, cases: list[Case], n_seeds: int) -> list[str]:
    """Lines of the table of one perplexity."""
    lines = [
        f"## Perplexity {perplexity}",
        "",
        "| | " + " | ".join(case.name for case in cases) + " | kept − left |",
        "|---" * (len(cases) + 2) + "|",
    ]
    for variant in VARIANTS:
        means = np.array(
            [
                np.mean([run(case, perplexity, variant, seed) for seed in range(n_seeds)], axis=0)
                for case in cases
            ]
        )
        score = float((means[:, 1] - np.abs(means[:, 0])).mean())
        cells = " | ".join(f"{left:.2f} / {kept:.2f}" for left, kept in means)
        lines.append(f"| {variant} | {cells} | {score:.3f} |")
        print(lines[-1], flush=True)
    return [*lines, ""]


def main() -> None:
    """Run all variants and write the tables as they come."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the files of the cases")
    parser.add_argument("--cases", nargs="+", default=CASES, choices=RECIPES)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    cases = [load_case(name, options.data) for name in options.cases]
    lines = [
        "# JEDI: parts of its start and schedule left out",
        "",
        "Prior left / hidden kept among 15 neighbours; want 0 and 1. Means over "
        f"{options.seeds} seed(s).",
        "",
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    for perplexity in PERPLEXITIES:
        lines += table(perplexity, cases, options.seeds)
        RESULTS.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
