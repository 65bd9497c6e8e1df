"""``unprior bench``: numbers of samples → how long each method takes here, beside its peer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unprior.cli._messages import plain_errors, say
from unprior.cli._options import JOBS, JSON, SEED, read_numbers

if TYPE_CHECKING:
    from unprior.cli._timing import Timing

METHODS = ("t-SNE", "JEDI", "UMAP", "CONFETTI")

#: Method -> the plain method that it is held against.
PEERS = {"JEDI": "t-SNE", "CONFETTI": "UMAP"}

#: Below this many samples there is nothing to time.
LEAST = 100


def read_sizes(context: click.Context, option: click.Parameter, text: str) -> list[int]:
    """Read numbers of samples between commas."""
    sizes = read_numbers(context, option, text) or []
    for size in sizes:
        if not (size >= LEAST and size.is_integer()):
            message = f"takes whole numbers of at least {LEAST}; got {size:g}."
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
    """Time JEDI beside t-SNE, and CONFETTI beside UMAP, on this machine.

    The samples are generated: 14 columns in which known and hidden clusters meet. The known ones
    are the prior. Each method runs with its defaults in a process of its own, first on some of the
    samples, so that all is compiled, and then on all of them, which is timed. UMAP with a seed
    draws on one thread, whatever --jobs says.

    \b
    unprior bench
    unprior bench --sizes 1000,10000,100000 --jobs 4 --json > timings.json
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        from unprior.cli import _timing

        timings: list[Timing] = []
        for n_samples in sizes:
            for method in METHODS:
                timings.append(_timing.time_alone(method, n_samples, jobs, seed))
                say(f"{n_samples} samples, {method}: {timings[-1].seconds:.1f} s")
        if as_json:
            _tell_json(timings, jobs, seed)
        else:
            _tell_table(timings)


def _ratio(timing: Timing, timings: list[Timing]) -> float | None:
    """Return how many times as long as its peer a method took; None for a peer itself."""
    peer = (PEERS.get(timing.method), timing.n_samples)
    seconds = [other.seconds for other in timings if (other.method, other.n_samples) == peer]
    return timing.seconds / seconds[0] if seconds else None


def _tell_json(timings: list[Timing], jobs: int, seed: int) -> None:
    import json
    from dataclasses import asdict

    fits = [{**asdict(timing), "ratio": _ratio(timing, timings)} for timing in timings]
    click.echo(json.dumps({"jobs": jobs, "seed": seed, "peers": PEERS, "fits": fits}, indent=2))


def _tell_table(timings: list[Timing]) -> None:
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
    note = "(ratio: " + ", ".join(f"{name} to {peer}" for name, peer in PEERS.items()) + ")"
    click.echo(Table(header, rows, note).to_text())


def _or_nan(number: float | None) -> float:
    return float("nan") if number is None else number
