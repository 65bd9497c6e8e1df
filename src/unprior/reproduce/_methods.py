"""A setting and a seed → the paper's methods with its options, and their maps."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unprior._digest import digest
from unprior._progress import progress_bar
from unprior._typing import Floats
from unprior.estimators import JEDI, ConditionalTSNE, Confetti, IndependentTSNE, InverseSLLE
from unprior.estimators._base import MapEstimator
from unprior.estimators._checkpoints import describe_run
from unprior.optimize._checkpoint import Checkpoint
from unprior.reproduce._setting import Setting

#: t-SNE's perplexity wherever the paper draws t-SNE, ct-SNE or CONFETTI.
PERPLEXITY = 50


@dataclass(frozen=True, eq=False)
class Method:
    """A method with its options, the paper's unless others are given; a call makes the estimator.

    Attributes
    ----------
    kind : type
        The class of the estimator.
    options : dict
        Options that differ from the defaults of the class.
    steps : str
        The option that limits the steps of a quick run, if there is one.
    embedding : tuple of str
        The same in ``embedder_params``, for CONFETTI.
    """

    kind: Callable[..., MapEstimator]
    options: Mapping[str, Any] = field(default_factory=dict)
    steps: str | None = None
    embedding: tuple[str, ...] = ()

    def __call__(self, setting: Setting, seed: int, **options: Any) -> MapEstimator:
        """Return the estimator, with further options."""
        chosen = {**self.options, **options}
        if self.steps:
            chosen |= setting.steps(self.steps)
        if self.embedding:
            params: dict[str, Any] = {}
            if "perplexity" in chosen:
                params["perplexity"] = chosen.pop("perplexity")
            for name in self.embedding:
                params |= setting.steps(name)
            chosen["embedder_params"] = params
        return self.kind(n_jobs=setting.n_jobs, random_state=seed, **chosen)

    def at(self, **options: Any) -> Method:
        """Return the method with other options."""
        return replace(self, options={**self.options, **options})


confetti = Method(
    Confetti,
    {"operator": "linear", "embedder": "tsne", "perplexity": PERPLEXITY},
    embedding=("n_iter", "early_exaggeration_iter"),
)
confetti_umap = Method(
    Confetti, {"operator": "linear", "embedder": "umap"}, embedding=("n_epochs",)
)
#: Plain t-SNE and UMAP: CONFETTI with strength 0.
tsne, umap = confetti.at(strength=0.0), confetti_umap.at(strength=0.0)
jedi = Method(JEDI, steps="n_iter")
conditional_tsne = Method(ConditionalTSNE, {"perplexity": PERPLEXITY}, steps="n_iter")
inverse_slle = Method(InverseSLLE)
#: This library's own method, with the perplexity the paper uses for t-SNE.
independent_tsne = Method(IndependentTSNE, {"perplexity": PERPLEXITY}, steps="n_iter")


@dataclass(frozen=True)
class Task:
    """A method and its prior."""

    estimator: Any
    prior: Any


@dataclass(frozen=True, eq=False)
class Map:
    """A map, the CPU seconds of all threads that it took, and its objective if it has one."""

    embedding: Floats
    seconds: float
    objective: float | None = None


def draw_all(setting: Setting, title: str, tasks: Mapping[str, Task], X: Any) -> dict[str, Map]:
    """Return the map of every task, by name."""
    maps = {}
    with progress_bar(len(tasks), title, verbose=1) as bar:
        for name, task in tasks.items():
            maps[name] = draw(task, X, setting.checkpoint)
            bar.update()
    return maps


def draw(task: Task, X: Any, checkpoint: Path | None) -> Map:
    """Fit and time a method, or load its map from the checkpoint.

    Maps are stored under a digest of everything they depend on, so none is mistaken for another.
    """
    if checkpoint is None:
        return _fit(task, X)
    about = describe_run(task.estimator, X, prior=task.prior)
    folder = Checkpoint.open("reproduce", checkpoint / digest(about), about, 0)
    if (kept := folder.load("map")) is None:
        drawn = _fit(task, X)
        facts = {"seconds": drawn.seconds, "objective": drawn.objective}
        folder.save("map", facts, {"embedding": drawn.embedding})
        return drawn
    return Map(kept[1]["embedding"], kept[0]["seconds"], kept[0]["objective"])


def _fit(task: Task, X: Any) -> Map:
    # Processor time does not depend on what else the machine does.
    started = time.process_time()
    embedding = task.estimator.fit_transform(X, prior=task.prior)
    seconds = time.process_time() - started
    history = getattr(task.estimator, "objective_", None)
    return Map(embedding, seconds, None if history is None else float(history[-1]))
