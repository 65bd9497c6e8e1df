"""As many samples as the paper's cells → how long its methods take, beside its own times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import joblib

from unprior import priors
from unprior._progress import progress_bar
from unprior.datasets import make_two_factor
from unprior.reproduce import _methods as methods
from unprior.reproduce._methods import Task, draw
from unprior.reproduce._results import Section, table
from unprior.reproduce._setting import Setting

#: Cells of the paper's data set, and the share of them that it gave to sLLE⁻¹.
CELLS, SUBSET = 65_000, 6000
PAPER = {"CONFETTI": "10 min", "ct-SNE": "23 min", "sLLE⁻¹": "32 min", "JEDI": "100 h"}
#: Methods that take labels only.
BY_LABELS = ("ct-SNE", "sLLE⁻¹")

MAKERS: Mapping[str, Callable[..., Any]] = {
    "CONFETTI": methods.confetti_umap,
    "ct-SNE": methods.conditional_tsne,
    "sLLE⁻¹": methods.inverse_slle,
    "JEDI": methods.jedi,
}


def run_times(setting: Setting) -> Section:
    """Draw one map by each method of the paper, of as many samples as its cells."""
    rows = []
    with progress_bar(len(PAPER), "times", verbose=1) as bar:
        for name, paper in PAPER.items():
            n = setting.samples(SUBSET if name == "sLLE⁻¹" else CELLS)
            data = make_two_factor(n, random_state=0)
            prior: priors.Prior = priors.features(data.known_features)
            if name in BY_LABELS:
                prior = priors.labels(data.known)
            seconds = draw(
                Task(MAKERS[name](setting, 0), prior), data.X, setting.checkpoint
            ).seconds
            rows.append([name, f"{n}", duration(seconds), f"*{paper}*"])
            bar.update()
    n_threads = joblib.effective_n_jobs(setting.n_jobs)
    return Section(
        "Times, for as many samples as the paper's cells",
        [
            f"Generated two-factor data, up to {n_threads} thread(s), one map each. CONFETTI draws "
            "UMAP; the paper gave sLLE⁻¹ a subset only, as here, and does not name its machine.",
            table(["", "samples", "here", "paper"], rows),
        ],
    )


def duration(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> duration(8.24), duration(125)
    ('8.2 s', '2.1 min')
    """
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
