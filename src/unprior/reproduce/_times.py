"""As many samples as the paper has cells → run times, next to the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import joblib

from unprior import priors
from unprior._progress import progress_bar
from unprior.datasets import make_two_factor
from unprior.reproduce import _methods as methods
from unprior.reproduce._methods import Task, draw
from unprior.reproduce._results import NO_FIGURE, Section, quotable, table
from unprior.reproduce._setting import Setting

#: Cells in the paper's data set, and in the subset that it gives to sLLE⁻¹.
CELLS, SUBSET = 65_000, 6000
PAPER = {"CONFETTI": "10 min", "ct-SNE": "23 min", "sLLE⁻¹": "32 min", "JEDI": "100 h"}
#: Methods that take labels only.
BY_LABELS = ("ct-SNE", "sLLE⁻¹")

MAKERS: Mapping[str, Callable[..., Any]] = {
    "CONFETTI": methods.confetti_umap,
    "ct-SNE": methods.conditional_tsne,
    "sLLE⁻¹": methods.inverse_slle,
    "JEDI": methods.jedi,
    "IndependentTSNE": methods.independent_tsne,
}


def run_times(setting: Setting) -> Section:
    """Draw one map by each method of the paper, and by this library's own."""
    rows = []
    with progress_bar(len(MAKERS), "times", verbose=1) as bar:
        for name, make in MAKERS.items():
            n = setting.samples(SUBSET if name == "sLLE⁻¹" else CELLS)
            data = make_two_factor(n, random_state=0)
            prior: priors.Prior = priors.features(data.known_features)
            if name in BY_LABELS:
                prior = priors.labels(data.known)
            seconds = draw(Task(make(setting, 0), prior), data.X, setting.checkpoint).seconds
            rows.append([name, f"{n}", duration(seconds), f"*{PAPER.get(name, NO_FIGURE)}*"])
            bar.update()
    n_threads = joblib.effective_n_jobs(setting.n_jobs)
    return Section(
        "Times, for as many samples as the paper has cells",
        [
            quotable(
                "times",
                f"One map each; CPU time with {n_threads} thread{'s' if n_threads > 1 else ''}.\n\n"
                + table(["", "samples", "here", "paper"], rows),
            ),
            "The samples are generated two-factor data. CONFETTI draws UMAP, as in the paper. The "
            "paper could give sLLE⁻¹ only a subset, the same number as here, and does not name its "
            "machine.",
        ],
    )


def duration(seconds: float) -> str:
    """Return seconds in a unit that suits them.

    Examples
    --------
    >>> duration(8.24), duration(125)
    ('8.2 s', '2.1 min')
    """
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
