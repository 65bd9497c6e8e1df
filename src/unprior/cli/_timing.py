"""A method and a number of samples → seconds, memory and what is left of the prior, of one fit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from unprior._typing import Floats
    from unprior.priors import Prior

    Draw: TypeAlias = Callable[[Floats, Prior, int, int], Floats]

#: Samples of the fit before the timed one, which compiles: as many as all methods call many.
WARM_SAMPLES = 4500

#: What a process of its own runs.
ALONE = "import sys; from unprior.cli._timing import tell_timing; tell_timing(*sys.argv[1:])"


@dataclass(frozen=True)
class Timing:
    """What one fit took and left.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    method : str
        What drew the map.
    seconds : float
        Of the fit, with everything compiled.
    prior_left : float
        Purity of the prior's labels among 15 neighbours on the map, 0 by chance.
    peak_gib : float or None
        Most memory that the process held; None where the system does not tell.
    """

    n_samples: int
    method: str
    seconds: float
    prior_left: float
    peak_gib: float | None


def time_alone(method: str, n_samples: int, jobs: int, seed: int) -> Timing:
    """Time a fit in a process of its own, whose memory nobody else has filled."""
    threads = {"NUMBA_NUM_THREADS": str(jobs), "OMP_NUM_THREADS": str(jobs)} if jobs > 0 else {}
    words = [sys.executable, "-c", ALONE, method, str(n_samples), str(jobs), str(seed)]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, **threads}
    )
    if done.returncode:
        told = done.stderr.strip().splitlines()[-1:] or ["it was ended from outside"]
        message = f"{method} of {n_samples} samples ended with code {done.returncode}: {told[0]}"
        raise ChildProcessError(message)
    return Timing(**json.loads(done.stdout.splitlines()[-1]))


def tell_timing(method: str, n_samples: str, jobs: str, seed: str) -> None:
    """Print the timing of a fit in this process, for `time_alone` to read."""
    print(json.dumps(asdict(time_fit(method, int(n_samples), int(jobs), int(seed)))))


def time_fit(method: str, n_samples: int, jobs: int, seed: int) -> Timing:
    """Draw generated samples twice, at first some of them, and time the second."""
    from unprior import datasets, priors, scores

    data = datasets.make_two_factor(n_samples, random_state=seed)
    prior, draw = priors.labels(data.known), DRAW[method]
    draw(data.X[:WARM_SAMPLES], prior[:WARM_SAMPLES], jobs, seed)
    start = time.perf_counter()
    Y = draw(data.X, prior, jobs, seed)
    seconds = time.perf_counter() - start
    report = scores.report(Y, prior={"known": prior}).to_dict()
    left = report["prior"]["known"]["neighbor_purity"]
    return Timing(n_samples, method, seconds, left, _peak_gib())


def _draw_tsne(X: Floats, prior: Prior, jobs: int, seed: int) -> Floats:
    import numpy as np
    from openTSNE import TSNE

    return np.asarray(TSNE(n_jobs=jobs, random_state=seed).fit(X))


def _draw_jedi(X: Floats, prior: Prior, jobs: int, seed: int) -> Floats:
    from unprior import JEDI

    return JEDI(n_jobs=jobs, random_state=seed).fit_transform(X, prior=prior)


def _draw_umap(X: Floats, prior: Prior, jobs: int, seed: int) -> Floats:
    from unprior.embedders._umap_model import umap

    # With a seed umap-learn lays out on one thread, whatever it is told.
    return umap.UMAP(n_jobs=1, random_state=seed).fit_transform(X)


def _draw_confetti(X: Floats, prior: Prior, jobs: int, seed: int) -> Floats:
    from unprior import Confetti

    options: dict[str, Any] = {"n_jobs": jobs, "random_state": seed}
    return Confetti(embedder="umap", **options).fit_transform(X, prior=prior)


DRAW: dict[str, Draw] = {
    "t-SNE": _draw_tsne,
    "JEDI": _draw_jedi,
    "UMAP": _draw_umap,
    "CONFETTI": _draw_confetti,
}


def _peak_gib() -> float | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 2**30 if sys.platform == "darwin" else 2**20  # bytes there, KiB elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
