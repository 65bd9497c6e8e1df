"""A method's whole grid from the appendix → the score of every setting, and the best ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import joblib

from unprior import priors, scores
from unprior._progress import progress_bar
from unprior._typing import Floats
from unprior.datasets import TwoFactorData, make_tuning
from unprior.reproduce._grids import Grid, search_grids
from unprior.reproduce._methods import Task, draw
from unprior.reproduce._results import Section, area, quotable, table
from unprior.reproduce._setting import Setting
from unprior.reproduce._tuning import SAMPLES, SERIES, quieter

#: Settings of a grid that the page shows, the best first; the CSV file has all of them.
SHOWN = 5
#: Settings whose score differs from the best by at most this much are counted as good.
CLOSE = 0.02
#: The paper's choices, for 1000 samples.
CHOSEN: Mapping[str, Mapping[str, float]] = {
    "ctsne": {"other_label_weight": 1e-5},
    "slle": {"strength": 0.5, "n_neighbors": 500},
    "confetti": {"strength": 2, "perplexity": 50},
    "jedi": {"symmetry": 0, "skewness": 0.99, "perplexity": 200, "prior_perplexity": 100},
}


@dataclass(frozen=True)
class Scored:
    """A setting, and the signed areas of its map with the hidden and the known labels."""

    setting: str
    kept: float
    left: float

    @property
    def score(self) -> float:
        """Kept less left; the paper judged maps by eye and gives no score."""
        return self.kept - abs(self.left)


def searches() -> Iterator[tuple[str, Callable[[Setting], Section]]]:
    """Yield one experiment for each method, with its name on the command line."""
    for method in CHOSEN:
        yield f"grid-{method}", partial(run_search, method=method)


def run_search(setting: Setting, *, method: str) -> Section:
    """Draw a method's map at every setting that the paper searched.

    With a checkpoint every finished map is stored, so an interrupted search can be resumed.
    """
    data = make_tuning(setting.samples(SAMPLES), random_state=0)
    title = f"All options of {search_grids(data)[method].title}, on the tuning data"
    blocks = [
        f"{len(data.X)} samples of one draw. Areas are signed and compare maps with labels; "
        "settings are ranked by *hidden kept* less the absolute value of *prior left*. The paper "
        "chose by looking at maps."
    ]
    for series, noise in SERIES.items():
        quiet = quieter(data, noise)
        grid = search_grids(quiet)[method]
        found = search(setting, quiet, grid, f"{series}_{method}")
        file = f"{series}_search_{method}.csv"
        _write(setting.out / file, found)
        name = f"{series}-{method}".replace("_", "-")
        summary, best = _summary(grid, found, noise), _best(grid, found)
        blocks += [
            f"### Noise {noise:g}",
            quotable(name, summary),
            quotable(f"{name}-best", best) if noise < 1 else best,
            f"All settings: `{file}`.",
        ]
        if not setting.quick and len(grid.axes) > 1 and noise < 1:
            blocks.append(quotable(f"{name}-options", _by_option(grid, found)))
    return Section(title, blocks)


def search(setting: Setting, data: TwoFactorData, grid: Grid, title: str) -> list[Scored]:
    """Return the scores of all maps of a grid, in its order; with one process for each core."""
    one_thread = setting.with_jobs(1)
    tasks = grid.tasks(one_thread)
    chosen = dict(CHOSEN[grid.name])
    if not setting.quick and chosen not in grid.points():
        tasks[grid.describe(chosen)] = Task(grid.make(one_thread, 0, **chosen), grid.prior)
    run = joblib.Parallel(n_jobs=setting.n_jobs, return_as="generator")
    scored = run(
        joblib.delayed(_score)(name, task, data, setting.checkpoint) for name, task in tasks.items()
    )
    found = []
    with progress_bar(len(tasks), title, verbose=1) as bar:
        for one in scored:
            found.append(one)
            bar.update()
    return found


def _score(name: str, task: Task, data: TwoFactorData, checkpoint: Path | None) -> Scored:
    Y: Floats = draw(task, data.X, checkpoint).embedding
    known, hidden = priors.labels(data.known), priors.labels(data.hidden)
    return Scored(name, scores.overlap_area(Y, hidden), scores.overlap_area(Y, known))


def _write(path: Path, found: Sequence[Scored]) -> None:
    lines = [f'"{one.setting}",{one.kept:.4f},{one.left:.4f}' for one in found]
    path.write_text("\n".join(["setting,kept,left", *lines]) + "\n", encoding="utf-8")


def _summary(grid: Grid, found: Sequence[Scored], noise: float) -> str:
    """Say how many settings there are, and the most that any of them keeps."""
    most = max(one.kept for one in found)
    return (
        f"{grid.title}, noise {noise:g}: {len(found)} settings, of which none keeps more than "
        f"{area(most)} of the hidden labels."
    )


def _best(grid: Grid, found: Sequence[Scored]) -> str:
    """Return the best settings of a grid, and the paper's with its rank."""
    ranked = sorted(found, key=lambda one: -one.score)
    paper = grid.describe(CHOSEN[grid.name])
    shown = [*ranked[:SHOWN], *(one for one in ranked[SHOWN:] if one.setting == paper)]
    rows = [
        [
            f"{one.setting} (*paper*)" if one.setting == paper else one.setting,
            str(ranked.index(one) + 1),
            area(one.kept),
            area(one.left),
        ]
        for one in shown
    ]
    return table(["", "rank", "hidden kept", "prior left"], rows)


def _by_option(grid: Grid, found: Sequence[Scored]) -> str:
    """Return, for each value of each option, the best score and how many settings come close."""
    scored = {one.setting: one.score for one in found}
    good = max(scored.values()) - CLOSE
    by_point = [(point, scored[grid.describe(point)]) for point in grid.points()]
    rows = []
    for option, values in grid.axes.items():
        cells = []
        for value in values:
            having = [score for point, score in by_point if point[option] == value]
            n_good = sum(score >= good for score in having)
            cells.append(f"{value:g}: {area(max(having))} ({n_good} of {len(having)})")
        rows.append([grid.sign(option), "; ".join(cells)])
    return table(["option", f"best score with each value (settings above {area(good)})"], rows)
