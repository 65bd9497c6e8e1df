"""Cases whose prior is dealt out anew → what `embed` makes of a prior that tells nothing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from quality_cases import RECIPES, Case
from quality_state import library_state
from quality_tables import append, read_lines
from quality_text import plus_minus, signed

import unprior as up
from unprior.selection._choose import UNSEEN

PERMUTED = "permuted.csv"


@dataclass(frozen=True)
class Permuted:
    """A prior in random order: whether `embed` took it for nothing, and what that cost.

    ``cost`` is by how much the overlap with the data (area above chance) of plain t-SNE is larger.
    """

    case: str
    draw: int
    unseen: int
    cost: float
    library: str


def draw_permuted(
    tables: Path, folder: Path | None, cases: Sequence[str], n_draws: int, n_jobs: int
) -> Iterator[Permuted]:
    """Permute the prior of each case a few times, as far as that is not in the table."""
    done = {(found.case, found.draw) for found in read_permuted(tables)}
    for name in cases:
        wanted = [draw for draw in range(n_draws) if (name, draw) not in done]
        if not wanted:
            continue
        try:
            case = RECIPES[name].load(folder)
        except (ImportError, FileNotFoundError) as error:
            print(f"left out: {name} ({error})")
            continue
        for found in Parallel(n_jobs)(delayed(permute)(name, case, draw) for draw in wanted):
            append(tables / PERMUTED, [found])
            yield found


def permute(name: str, case: Case, draw: int) -> Permuted:
    """Draw a case with its prior in random order, and without."""
    order = np.random.default_rng(draw).permutation(len(case.X))
    options = {"metric": case.metric, "random_state": draw, "n_jobs": 1}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.OverRemovalWarning)
        Y, choice = up.embed(case.X, prior=case.prior[order], return_report=True, **options)
    unseen, cost = choice.reason == UNSEEN, 0.0
    if not unseen:
        plain = up.embed(case.X, prior=case.prior, method="tsne", **options)
        cost = _overlap(plain, case) - _overlap(Y, case)
    return Permuted(name, draw, int(unseen), cost, library_state())


def _overlap(Y: np.ndarray, case: Case) -> float:
    return up.scores.overlap_area(Y, up.priors.data_distances(case.X, case.metric))


def read_permuted(tables: Path) -> list[Permuted]:
    """Read the table; of two lines for one draw the later counts."""
    draws = {}
    for line in read_lines(tables / PERMUTED):
        key = line["case"], int(line["draw"])
        draws[key] = Permuted(*key, int(line["unseen"]), float(line["cost"]), line["library"])
    return [*draws.values()]


def permuted_blocks(found: Sequence[Permuted]) -> list[str]:
    """Say how often a prior in random order was taken for nothing, and what it cost otherwise."""
    if not found:
        return []
    costs = [one.cost for one in found if not one.unseen]
    told = "none was taken for more"
    if costs:
        mean = plus_minus(signed(-float(np.mean(costs))), float(np.std(costs)))
        told = (
            f"the {len(costs)} others were factored out, which changed the map's overlap with the "
            f"data (area above chance) by {mean} (mean ± standard deviation)"
        )
    return [
        f"Priors in random order, which tell nothing at all: {len(found)}, made from those of "
        f"{len({one.case for one in found})} cases. With {sum(one.unseen for one in found)} "
        f"`embed` saw that there is nothing to take out and drew plain t-SNE; {told}.",
    ]
