"""One method's whole grid of the appendix → the score of every setting, and the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from unprior.reproduce._results import Section, area, table
from unprior.reproduce._setting import Setting
from unprior.reproduce._tuning import SAMPLES, SERIES, quieter

#: Settings of a grid that the page shows, the best first; the file has all.
SHOWN = 5
#: What the paper chose, for 1000 samples.
CHOSEN: Mapping[str, Mapping[str, float]] = {
    "ctsne": {"other_label_weight": 1e-5},
    "slle": {"strength": 0.5, "n_neighbors": 500},
    "confetti": {"strength": 2, "perplexity": 50},
    "jedi": {"symmetry": 0, "skewness": 0.99, "perplexity": 200, "prior_perplexity": 100},
}


@dataclass(frozen=True)
class Scored:
    """A setting, and the signed areas of its map with the hidden labels and with the known."""

    setting: str
    kept: float
    left: float

    @property
    def worth(self) -> float:
        """What is kept, less what is left: the paper looked at the maps and gives no measure."""
        return self.kept - abs(self.left)


def run_search(setting: Setting, *, method: str) -> Section:
    """Draw a method's map at every setting that the paper searched, on as many cores as asked for.

    With a checkpoint every map is kept when it is drawn, so a search that was stopped goes on.
    """
    data = make_tuning(setting.samples(SAMPLES), random_state=0)
    title = f"All options of {search_grids(data)[method].title}, on the tuning data"
    blocks = [
        f"{len(data.X)} samples of one draw. Areas are those with the labels, signed; the settings "
        "are in the order of *hidden kept* less *prior left*. The paper chose by looking at maps."
    ]
    for series, noise in SERIES.items():
        quiet = quieter(data, noise)
        grid = search_grids(quiet)[method]
        found = search(setting, quiet, grid, f"{series}_{method}")
        name = f"{series}_search_{method}.csv"
        _write(setting.out / name, found)
        blocks += _show(grid, found, f"Noise {noise:g}", name)
    return Section(title, blocks)


def searches() -> Iterator[tuple[str, Callable[[Setting], Section]]]:
    """Yield one experiment for each method, by its name on the command line."""
    for method in CHOSEN:
        yield f"grid-{method}", partial(run_search, method=method)


def search(setting: Setting, data: TwoFactorData, grid: Grid, title: str) -> list[Scored]:
    """Return the scores of all maps of a grid, in its order; one process for each core."""
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


def _write(path: Path, found: list[Scored]) -> None:
    lines = [f'"{one.setting}",{one.kept:.4f},{one.left:.4f}' for one in found]
    path.write_text("\n".join(["setting,kept,left", *lines]) + "\n", encoding="utf-8")


def _show(grid: Grid, found: list[Scored], title: str, file: str) -> list[str]:
    """Return the best settings of a grid, and where the paper's stands among all."""
    ranked = sorted(found, key=lambda one: -one.worth)
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
    return [
        f"### {title}: {len(found)} settings",
        table(["", "rank", "hidden kept", "prior left"], rows),
        f"All are in `{file}`.",
    ]
