"""``unprior bench``: time each method on this machine, next to the plain method it builds on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

import click

from unprior.cli._messages import plain_errors, say
from unprior.cli._options import JOBS, JSON, SEED, read_numbers

if TYPE_CHECKING:
    from unprior._typing import Floats
    from unprior.priors import Prior

    Draw: TypeAlias = Callable[[Floats, Prior, int, int], Floats]

#: Method -> the plain method that its time is divided by.
BASELINES = {"JEDI": "t-SNE", "CONFETTI": "UMAP"}

#: The smallest number of samples worth timing.
MIN_SAMPLES = 100

#: Samples of the untimed first fit, which compiles: enough for every large-sample code path.
WARM_UP_SAMPLES = 4500

#: Code of the child process that runs one fit.
CHILD_CODE = "import sys; from unprior.cli._bench import print_timing; print_timing(*sys.argv[1:])"


def read_sizes(context: click.Context, option: click.Parameter, text: str) -> list[int]:
    """Read a comma-separated list of sample counts."""
    sizes = read_numbers(context, option, text) or []
    for size in sizes:
        if not (size >= MIN_SAMPLES and size.is_integer()):
            message = f"takes whole numbers of at least {MIN_SAMPLES}; got {size:g}."
            raise click.BadParameter(message)
    return [int(size) for size in sizes]


@click.command(short_help="Time the methods on this machine.")
@click.option(
    "--sizes",
    metavar="NUMBER,...",
    default="2000,10000",
    show_default=True,
    callback=read_sizes,
    help="Numbers of samples.",
)
@SEED
@JOBS
@JSON
def bench(*, sizes: list[int], seed: int, jobs: int, as_json: bool) -> None:
    """Time JEDI against t-SNE, and CONFETTI against UMAP, on this machine.

    The data are generated: 14 columns that hold two independent sets of clusters, one of which is
    the prior. Each method runs with its defaults in a process of its own: first on a subset, to
    compile everything, then on all samples, which is timed. UMAP with a seed uses one thread,
    whatever --jobs says.

    \b
    unprior bench
    unprior bench --sizes 1000,10000,100000 --jobs 4 --json > timings.json
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        timings = []
        for n_samples in sizes:
            for method in DRAW:
                timings.append(time_in_child(method, n_samples, jobs, seed))
                say(f"{n_samples} samples, {method}: {timings[-1].seconds:.1f} s")
        if as_json:
            _print_json(timings, jobs, seed)
        else:
            _print_table(timings)


@dataclass(frozen=True)
class Timing:
    """Time, memory and result of one fit.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    method : str
        Name of the method.
    seconds : float
        Duration of the fit, with everything compiled.
    prior_left : float
        Purity of the prior's labels among 15 neighbours on the map; 0 is chance.
    peak_gib : float or None
        Peak memory of the process; None if the system does not report it.
    """

    n_samples: int
    method: str
    seconds: float
    prior_left: float
    peak_gib: float | None


def time_in_child(method: str, n_samples: int, jobs: int, seed: int) -> Timing:
    """Time one fit in a new process, so that its peak memory is its own."""
    threads = {"NUMBA_NUM_THREADS": str(jobs), "OMP_NUM_THREADS": str(jobs)} if jobs > 0 else {}
    command = [sys.executable, "-c", CHILD_CODE, method, str(n_samples), str(jobs), str(seed)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **threads}
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["it was killed"]
        message = f"{method} of {n_samples} samples ended with code {done.returncode}: {reason[0]}"
        raise ChildProcessError(message)
    return Timing(**json.loads(done.stdout.splitlines()[-1]))


def print_timing(method: str, n_samples: str, jobs: str, seed: str) -> None:
    """Print the timing of a fit in this process as JSON, for `time_in_child` to read."""
    print(json.dumps(asdict(time_fit(method, int(n_samples), int(jobs), int(seed)))))


def time_fit(method: str, n_samples: int, jobs: int, seed: int) -> Timing:
    """Fit a subset of generated data to compile everything, then time the fit of all of it."""
    from unprior import datasets, priors, scores

    data = datasets.make_two_factor(n_samples, random_state=seed)
    prior, draw = priors.labels(data.known), DRAW[method]
    draw(data.X[:WARM_UP_SAMPLES], prior[:WARM_UP_SAMPLES], jobs, seed)
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

    # With a seed umap-learn uses one thread for the layout, and warns about any other number.
    return umap.UMAP(n_jobs=1, random_state=seed).fit_transform(X)


def _draw_confetti(X: Floats, prior: Prior, jobs: int, seed: int) -> Floats:
    from unprior import Confetti

    estimator = Confetti(embedder="umap", n_jobs=jobs, random_state=seed)
    return estimator.fit_transform(X, prior=prior)


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


def _ratio(timing: Timing, timings: list[Timing]) -> float | None:
    """Return a method's time relative to its baseline; None for a baseline itself."""
    baseline = (BASELINES.get(timing.method), timing.n_samples)
    seconds = [other.seconds for other in timings if (other.method, other.n_samples) == baseline]
    return timing.seconds / seconds[0] if seconds else None


def _print_json(timings: list[Timing], jobs: int, seed: int) -> None:
    fits = [{**asdict(timing), "ratio": _ratio(timing, timings)} for timing in timings]
    click.echo(json.dumps({"jobs": jobs, "seed": seed, "peers": BASELINES, "fits": fits}, indent=2))


def _print_table(timings: list[Timing]) -> None:
    from unprior.scores._table import Table

    header = ("samples", "method", "seconds", "ratio", "prior left", "peak GiB")
    rows = [
        (
            f"{timing.n_samples}",
            timing.method,
            timing.seconds,
            _or_nan(_ratio(timing, timings)),
            timing.prior_left,
            _or_nan(timing.peak_gib),
        )
        for timing in timings
    ]
    note = "(ratio: " + ", ".join(f"{name} to {base}" for name, base in BASELINES.items()) + ")"
    click.echo(Table(header, rows, note).to_text())


def _or_nan(number: float | None) -> float:
    return float("nan") if number is None else number
