"""Compare CONFETTI's operators ⊖: prior left, structure kept, and hubness of each.

    python benchmarks/confetti_operators.py --data DIR [--cases NAME ...] [--seeds 1]

Cases are the open ones of the quality benchmark, at about 1000 samples. Writes
benchmarks/results/confetti_operators.md: prior left and hidden structure kept among 15 neighbours
(0 is chance), kept − |left|, and the skewness of how often a sample is another's neighbour.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from quality.case import Case
from quality.cases import RECIPES, load_case

import unprior as up
from unprior import scores
from unprior.priors import Labels

RESULTS = Path(__file__).parent / "results" / "confetti_operators.md"

OPEN = [name for name, r in RECIPES.items() if (r.family, r.split) == ("balanced", "open")]

EMBEDDERS = ("tsne", "umap")

OPERATORS: dict[str, dict[str, Any]] = {
    "none": {"strength": 0.0, "operator": "linear"},
    "linear, λ = 0.5": {"strength": 0.5, "operator": "linear"},
    "linear, λ = 1": {"strength": 1.0, "operator": "linear"},
    "linear, λ = 2": {"strength": 2.0, "operator": "linear"},
    "linear, auto": {"strength": "auto", "operator": "linear"},
    "quantile": {"operator": "quantile"},
    "balanced, 0.5": {"strength": 0.5, "operator": "balanced"},
    "balanced": {"operator": "balanced"},
}


@dataclass(frozen=True)
class Cell:
    """What one operator does to one case, as a mean over seeds."""

    left: float
    kept: float
    hubness: float

    @property
    def score(self) -> float:
        """Return what is kept less what is left."""
        return self.kept - abs(self.left)


def run(case: Case, embedder: str, options: dict[str, Any], n_seeds: int) -> Cell:
    """Draw maps of a case and score them."""
    found = []
    for seed in range(n_seeds):
        confetti = up.Confetti(
            embedder=embedder, metric=case.metric, n_jobs=1, random_state=seed, **options
        )
        Y = confetti.fit_transform(case.X, prior=case.prior)
        left = scores.neighbor_coherence(Y, case.prior, 15)
        found.append((left, scores.neighbor_purity(Y, case.hidden, 15), confetti.hubness_))
    return Cell(*np.mean(found, axis=0))


def table(embedder: str, cases: Sequence[Case], operators: Sequence[str], n_seeds: int) -> str:
    """Return the table of one embedder, label priors and others as means of their own."""
    labels = [isinstance(case.prior, Labels) for case in cases]
    groups = {"labels": np.array(labels), "others": ~np.array(labels)}
    groups = {name: members for name, members in groups.items() if members.any()}
    head = ["", *groups, "all", "hubness", *(case.name for case in cases)]
    lines = [f"## With {embedder}", "", _line(head), _line(["---"] * len(head))]
    for operator in operators:
        cells = [run(case, embedder, OPERATORS[operator], n_seeds) for case in cases]
        score = np.array([cell.score for cell in cells])
        means = [*(score[members].mean() for members in groups.values()), score.mean()]
        hubness = np.mean([cell.hubness for cell in cells])
        each = [f"{cell.left:.2f} / {cell.kept:.2f}" for cell in cells]
        lines.append(_line([operator, *(f"{m:.3f}" for m in means), f"{hubness:.1f}", *each]))
        print(lines[-1], flush=True)
    return "\n".join([*lines, ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Run all operators and write the tables as they come."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the files of the cases")
    parser.add_argument("--cases", nargs="+", default=OPEN, choices=RECIPES)
    parser.add_argument("--operators", nargs="+", default=[*OPERATORS], choices=OPERATORS)
    parser.add_argument("--embedders", nargs="+", default=EMBEDDERS, choices=EMBEDDERS)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    cases = [load_case(name, options.data) for name in options.cases]
    page = [
        "# CONFETTI: kinds of ⊖",
        "",
        "Columns of cases hold prior left / hidden kept among 15 neighbours, 0 by chance; those of "
        "groups mean kept − |left|. Hubness is the skewness of how often a sample is another's "
        f"neighbour, as a mean over cases. {options.seeds} seed(s).",
        "",
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    for embedder in options.embedders:
        page.append(table(embedder, cases, options.operators, options.seeds))
        RESULTS.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
