"""Quality of `transform` on the benchmark's cases: transformed samples beside a joint fit.

    python benchmarks/transform_quality.py --data DIR
    python benchmarks/transform_quality.py --page

Of every case a random fifth is held out, and of priors with three or more classes also one whole
class, which `transform` learns from the new samples (``unseen="fit"``, or "mean" where the method
cannot learn a class). The other samples are fitted. The score of the held-out samples is what their
15 fitted map neighbours share of the hidden labels ("kept") less the amount of what they share of
the prior ("left"); 0 is chance, 1 the most. Three maps are scored: the fitted map with the
transformed samples ("placed"), the same with each of them at the weighted median of its neighbours'
places ("median"), and a map of all samples fitted together ("joint"). Of a class that was held out
nothing can be left among fitted neighbours; whether its samples clump shows "left, all", among all
samples. "Back" is the share of fitted samples that, transformed like new ones, land within the
distance of their 15th map neighbour from their places. How JEDI starts was chosen on every second
case; the others are for judging.

The table ``benchmarks/results/transform_quality.csv`` grows by a line a run; what is there is not
run again. ``--page`` writes ``transform_quality.md`` from it.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from quality.case import Case
from quality.cases import load_case
from quality.run import library_version
from quality.scores import NEIGHBORS
from scipy.spatial import cKDTree

import unprior as up
from quality import table
from unprior.priors import Combined, Features, Labels
from unprior.scores._transform_report import _displacement

RESULTS = Path(__file__).parent / "results"
TABLE, PAGE = RESULTS / "transform_quality.csv", RESULTS / "transform_quality.md"

#: Open cases of every family.
CASES = (
    *("two-factor-features", "two-factor-labels", "interaction", "synovium-type"),
    *("synovium-batch", "cytof-lineage", "cytof-patient", "digits-rotated", "digits-tinted"),
    *("vowels-speaker", "breast-size", "sensors-graph", "shift-90", "uneven-three", "scanner-90"),
    *("cytof-stim-90", "vowels-room", "subjects-50", "synovium-donors", "litters-10", "plates"),
    *("survey-region", "shares-mild", "shares-missing", "scanner-shares", "cytof-shares"),
)

#: Cases on which JEDI's start was chosen.
CHOSEN_ON = CASES[::2]

METHODS = {
    "IndependentTSNE": lambda: up.IndependentTSNE(random_state=0, n_jobs=1),
    "JEDI": lambda: up.JEDI(random_state=0, n_jobs=1),
    "Confetti": lambda: up.Confetti(random_state=0, n_jobs=1),
    "Confetti, t-SNE": lambda: up.Confetti(embedder="tsne", random_state=0, n_jobs=1),
    "Confetti, linear": lambda: up.Confetti(operator="linear", random_state=0, n_jobs=1),
    "Confetti, quantile": lambda: up.Confetti(operator="quantile", random_state=0, n_jobs=1),
}

#: Held out: this share of the samples, or a class of at least so many of them.
SHARE, LEAST_CLASS = 0.2, 20

#: How much lower than that of a joint fit a score may be.
ALLOWED = 0.03


@dataclass(frozen=True)
class Run:
    """Scores of the held-out samples of a case; left and kept of the placed and the joint map."""

    case: str
    method: str
    held_out: str
    n_fitted: int
    n_new: int
    left: float
    kept: float
    median_left: float
    median_kept: float
    joint_left: float
    joint_kept: float
    left_all: float
    joint_left_all: float
    back: float
    version: str

    @property
    def score(self) -> float:
        """Score of the transformed samples."""
        return self.kept - abs(self.left)

    @property
    def median(self) -> float:
        """Score of the medians of their neighbours."""
        return self.median_kept - abs(self.median_left)

    @property
    def joint(self) -> float:
        """Score of the same samples in a joint fit."""
        return self.joint_kept - abs(self.joint_left)


def held_out(case: Case) -> dict[str, np.ndarray]:
    """Return which samples are held out, by name: a fifth, and a class of median size."""
    n = len(case.X)
    fifth = np.zeros(n, dtype=bool)
    fifth[np.random.default_rng(0).permutation(n)[: round(SHARE * n)]] = True
    found = {"fifth": fifth}
    if isinstance(case.prior, Labels) and len(case.prior.classes) > 2:
        counts = np.bincount(case.prior.codes)
        median = int(np.argsort(counts, kind="stable")[len(counts) // 2])
        if counts[median] >= LEAST_CLASS:
            found["class"] = case.prior.codes == median
    return found


def known_of(case: Case, rows: np.ndarray, fitted: np.ndarray | None = None) -> Any:
    """Return the prior of some rows, of new ones as `transform` takes it."""
    prior = case.prior
    if isinstance(prior, Labels):
        return np.asarray(prior.classes).astype(str)[prior.codes[rows]]
    if fitted is None or isinstance(prior, Features | Combined):
        return prior[rows]
    return prior.block(rows, fitted)


def score(case: Case, Y: np.ndarray, new: np.ndarray, pool: np.ndarray) -> tuple[float, float]:
    """Return what the neighbours of new samples among a pool have left and kept."""
    _, found = cKDTree(Y[pool]).query(Y[new], NEIGHBORS + 1)
    pairs = zip(new, pool[found], strict=True)
    near = np.array([[j for j in row if j != i][:NEIGHBORS] for i, row in pairs])
    kept = _purity(case.hidden, new, near, pool)
    if case.differs_in_composition:
        return _purity_within(case.prior.codes, case.hidden, new, near, pool), kept
    if isinstance(case.prior, Labels):
        return _purity(case.prior.codes, new, near, pool), kept
    lines = case.prior.pairs(np.repeat(new, NEIGHBORS), near.ravel())
    return float(1 - lines.mean() / case.prior.block(new, pool).mean()), kept


def _purity(labels: Any, new: np.ndarray, near: np.ndarray, pool: np.ndarray) -> float:
    """Share of neighbours with a sample's label, rescaled: 0 by chance, 1 at most."""
    codes = np.unique(labels, return_inverse=True)[1]
    counts = np.bincount(codes[pool], minlength=codes.max() + 1)[codes[new]]
    itself = np.isin(new, pool).astype(int)
    chance = (counts - itself) / (len(pool) - itself)
    reachable = np.minimum(NEIGHBORS, counts - itself) / NEIGHBORS
    alike = (codes[near] == codes[new][:, None]).mean(axis=1)
    room = (reachable - chance).sum()
    return float((alike - chance).sum() / room) if room > 0 else 0.0


def _purity_within(
    labels: np.ndarray, groups: Any, new: np.ndarray, near: np.ndarray, pool: np.ndarray
) -> float:
    """Share of neighbours with a sample's label, against chance in the neighbour's group."""
    group = np.unique(groups, return_inverse=True)[1]
    counts = np.zeros((labels.max() + 1, group.max() + 1))
    np.add.at(counts, (labels[pool], group[pool]), 1)
    above = room = 0.0
    for i, row in zip(new, near, strict=True):
        for g in np.unique(group[row]):
            here, itself = row[group[row] == g], int(group[i] == g and i in pool)
            others = counts[labels[i], g] - itself
            chance = others / max(counts[:, g].sum() - itself, 1) * len(here)
            above += (labels[here] == labels[i]).sum() - chance
            room += min(len(here), others) - chance
    return above / room if room > 0 else 0.0


def run(case: Case, method: str, done: set[tuple[str, str, str]]) -> Iterator[Run]:
    """Fit, transform and score what is not done of a case."""
    joint = None
    for name, held in held_out(case).items():
        if (case.name, method, name) in done:
            continue
        new, fitted = np.flatnonzero(held), np.flatnonzero(~held)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=up.UnpriorWarning)
            if joint is None:
                known = known_of(case, np.arange(len(case.X)))
                joint = METHODS[method]().fit(case.X, prior=known).embedding_
            model = METHODS[method]().fit(case.X[fitted], prior=known_of(case, fitted))
            given = case.X[new], known_of(case, new, fitted)
            try:
                placed, _ = model._place(*given, unseen="fit" if name == "class" else "mean")
            except ValueError:
                placed, _ = model._place(*given, unseen="mean")
        maps = [joint.copy(), joint.copy(), joint]
        for Y, places in zip(maps, (placed.places, placed.medians), strict=False):
            Y[fitted], Y[new] = model.embedding_, places
        scores = [value for Y in maps for value in score(case, Y, new, fitted)]
        everyone = np.arange(len(case.X))
        scores += [score(case, Y, new, everyone)[0] for Y in (maps[0], joint)]
        displaced = _displacement(model, case.X[fitted], known_of(case, fitted, fitted))
        scores.append(float((displaced < 1).mean()))
        yield Run(
            case.name, method, name, len(fitted), len(new), *scores, version=library_version()
        )


def write_page(runs: list[Run]) -> str:
    """Return the results as a table."""
    lines = [
        "| case | held out | method | placed: left, kept | joint: left, kept | left, all | joint "
        "| score | joint | median | back |",
        "|:--|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for one in sorted(runs, key=lambda one: (one.held_out != "fifth", CASES.index(one.case))):
        low = " !" if one.score < one.joint - ALLOWED else ""
        below = " !" if one.score < one.median else ""
        lines.append(
            f"| {one.case} | {one.held_out}, {one.n_new} of {one.n_new + one.n_fitted} "
            f"| {one.method} | {one.left:.3f}, {one.kept:.3f} "
            f"| {one.joint_left:.3f}, {one.joint_kept:.3f} "
            f"| {one.left_all:.3f} | {one.joint_left_all:.3f} "
            f"| {one.score:.3f} | {one.joint:.3f}{low} | {one.median:.3f}{below} | {one.back:.3f} |"
        )
    return "\n".join(lines) + "\n"


def summary(runs: list[Run]) -> str:
    """Return means by method and by what was held out."""
    lines = [
        "| method | held out | cases | score: placed | joint fit | median | within .03 of the "
        "joint fit | not below the median | left, all: placed | joint | back, mean | back, least |",
        "|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for method, name in itertools.product(METHODS, ("fifth", "class")):
        some = [one for one in runs if (one.method, one.held_out) == (method, name)]
        if not some:
            continue
        means = [np.mean([getattr(o, w) for o in some]) for w in ("score", "joint", "median")]
        near = sum(one.score >= one.joint - ALLOWED for one in some)
        better = sum(one.score >= one.median for one in some)
        cells = [method, f"a {name}" if name == "fifth" else "one class", str(len(some))]
        cells += [f"{mean:.3f}" for mean in means]
        cells += [f"{near} of {len(some)}", f"{better} of {len(some)}"]
        clumps = [[abs(o.left_all) for o in some], [abs(o.joint_left_all) for o in some]]
        back = [one.back for one in some]
        cells += [f"{np.mean(values):.3f}" for values in (*clumps, back)]
        lines.append("| " + " | ".join([*cells, f"{min(back):.3f}"]) + " |")
    return "\n".join(lines) + "\n"


def read_runs() -> list[Run]:
    """Read all runs; of two lines for one run the later counts."""
    runs = {(one.case, one.method, one.held_out): one for one in table.read(TABLE, Run)}
    return [*runs.values()]


def main() -> None:
    """Run what is missing, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cases", nargs="*", default=CASES)
    parser.add_argument("--methods", nargs="*", default=[*METHODS])
    parser.add_argument("--refresh", action="store_true", help="run again what there is")
    parser.add_argument("--page", action="store_true", help="write the page and run nothing")
    asked = parser.parse_args()
    if asked.page:
        runs = read_runs()
        chosen = [one for one in runs if one.case in CHOSEN_ON]
        judged = [one for one in runs if one.case not in CHOSEN_ON]
        text = ["# Transformed samples beside a joint fit", __doc__.split("\n\n")[2]]
        text += ["## Cases for judging", summary(judged)]
        text += ["## Cases on which JEDI's start was chosen", summary(chosen)]
        text += ["## All runs", write_page(runs)]
        PAGE.write_text("\n\n".join(part.strip() for part in text) + "\n", encoding="utf-8")
        return
    done = set() if asked.refresh else {(o.case, o.method, o.held_out) for o in read_runs()}
    for name in asked.cases:
        case = load_case(name, asked.data)
        for method in asked.methods:
            for one in run(case, method, done):
                table.append(TABLE, one)
                print(
                    f"{name:22s} {one.held_out:6s} {method:16s} left {one.left:6.3f} "
                    f"({one.joint_left:6.3f}, {one.median_left:6.3f}) kept {one.kept:.3f} "
                    f"({one.joint_kept:.3f}, {one.median_kept:.3f})",
                    flush=True,
                )


if __name__ == "__main__":
    main()
