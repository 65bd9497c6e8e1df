"""A setting and a seed → the paper's methods with its options, and their maps."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unprior._digest import digest
from unprior._progress import progress_bar
from unprior._typing import Floats
from unprior.estimators import JEDI, ConditionalTSNE, Confetti, IndependentTSNE, InverseSLLE
from unprior.estimators._checkpoints import describe_run
from unprior.optimize._checkpoint import Checkpoint
from unprior.reproduce._setting import Setting

#: t-SNE's perplexity wherever the paper draws t-SNE, ct-SNE or CONFETTI.
PERPLEXITY = 50


def tsne(setting: Setting, seed: int, **options: Any) -> Confetti:
    """Return plain t-SNE: CONFETTI with strength 0."""
    return confetti(setting, seed, strength=0.0, **options)


def umap(setting: Setting, seed: int, **options: Any) -> Confetti:
    """Return plain UMAP: CONFETTI with strength 0."""
    return confetti_umap(setting, seed, strength=0.0, **options)


def confetti(
    setting: Setting,
    seed: int,
    *,
    operator: str = "linear",
    perplexity: float = PERPLEXITY,
    **options: Any,
) -> Confetti:
    """Return CONFETTI with t-SNE, by default with the paper's operator."""
    steps = {**setting.steps("n_iter"), **setting.steps("early_exaggeration_iter")}
    return Confetti(
        operator=operator,
        embedder="tsne",
        embedder_params={"perplexity": perplexity, **steps},
        n_jobs=setting.n_jobs,
        random_state=seed,
        **options,
    )


def confetti_umap(
    setting: Setting, seed: int, *, operator: str = "linear", **options: Any
) -> Confetti:
    """Return CONFETTI with UMAP, by default with the paper's operator."""
    return Confetti(
        operator=operator,
        embedder="umap",
        embedder_params=setting.steps("n_epochs"),
        n_jobs=setting.n_jobs,
        random_state=seed,
        **options,
    )


def jedi(setting: Setting, seed: int, **options: Any) -> JEDI:
    """Return JEDI; its defaults are the paper's."""
    return JEDI(**setting.steps("n_iter"), n_jobs=setting.n_jobs, random_state=seed, **options)


def conditional_tsne(setting: Setting, seed: int, **options: Any) -> ConditionalTSNE:
    """Return ct-SNE; its default weight of pairs with different labels is the paper's, 1e-5."""
    return ConditionalTSNE(
        perplexity=PERPLEXITY,
        **setting.steps("n_iter"),
        n_jobs=setting.n_jobs,
        random_state=seed,
        **options,
    )


def inverse_slle(setting: Setting, seed: int, **options: Any) -> InverseSLLE:
    """Return sLLE⁻¹; its defaults are the paper's."""
    return InverseSLLE(n_jobs=setting.n_jobs, random_state=seed, **options)


def independent_tsne(setting: Setting, seed: int, **options: Any) -> IndependentTSNE:
    """Return this library's own method, with the perplexity the paper uses for t-SNE."""
    return IndependentTSNE(
        perplexity=PERPLEXITY,
        **setting.steps("n_iter"),
        n_jobs=setting.n_jobs,
        random_state=seed,
        **options,
    )


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
