"""Methods and sizes -> timed fits of each, every one in a process of its own."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from timing_data import Data, load
from timing_results import Row, add_rows, join_fits, write

RESULTS = Path(__file__).parents[1] / "results"

#: Title of each column of the table, and what is in it.
COLUMNS = {
    "n": "{n}",
    "data": "{data}",
    "method": "{method}",
    "seconds": "{seconds:.0f}{range}",
    "ratio": "{ratio}",
    "first call, s": "{first_call:.1f}",
    "peak, GiB": "{peak_gib:.2f}",
    "added, GiB": "{above_start_gib:.2f}",
    "area, features": "{features_area:.3f}",
    "area, labels": "{labels_area:.3f}",
}


def nothing(model: Any, data: Data) -> Row:
    """Record nothing else about a fit."""
    return {}


@dataclass(frozen=True)
class Benchmark:
    """What is timed.

    Attributes
    ----------
    script : str
        The file that runs it; its name is that of the results.
    title : str
        First line of the results.
    about : tuple of str
        Lines that say how to read the table.
    methods : tuple of str
        Names; the first is the peer that the others are compared with.
    draw : callable
        (method, data, threads) -> fitted model and its map.
    columns : mapping of str to str
        Title of each column of the table, and what is in it.
    note : callable
        (fitted model, data) -> further entries of a row.
    n_first : int
        Samples of the first fit, which loads and compiles what the timed one needs.
    cold : bool
        Whether a first fit with nothing compiled yet is timed as well, as "cold_start".
    """

    script: str
    title: str
    about: tuple[str, ...]
    methods: tuple[str, ...]
    draw: Callable[[str, Data, int], tuple[Any, np.ndarray]]
    columns: Mapping[str, str]
    note: Callable[[Any, Data], Row] = nothing
    n_first: int = 3000
    cold: bool = False

    def run(self) -> None:
        """Run the benchmark; write the results as they come."""
        options = self._options()
        if options.one:
            method, n = options.one
            print(json.dumps(self._fit(method, int(n), options)))
            return
        stem = options.results / Path(self.script).stem
        heading = [f"# {self.title}, {options.jobs} threads", "", *self.about]
        kept = json.loads(stem.with_suffix(".json").read_text()) if options.append else []
        fits: dict[tuple[int, str], list[Row]] = {}
        for n in [*options.sizes, *([1_000_000] if options.million else [])]:
            with tempfile.TemporaryDirectory() as compiled:
                # By turns, so that a slow minute of the machine affects all methods.
                for method in options.fits * [*options.methods]:
                    command = self._command(method, n, options)
                    own = fits.setdefault((n, method), [])
                    own.append(self._row(command, Path(compiled, method), first=not own))
                    print(own[-1], flush=True)
                    rows = add_rows(kept, [*map(join_fits, fits.values())], self.methods)
                    write(stem, heading, self.columns, self.methods, rows)

    def _options(self) -> argparse.Namespace:
        parser = argparse.ArgumentParser(description=f"{self.title}: times and scores.")
        parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 70_000, 170_000])
        parser.add_argument(
            "--million", action="store_true", help="and a million generated samples"
        )
        parser.add_argument(
            "--data", type=Path, help="folder with fashion_mnist.npz and cytof_bcrxl.npz"
        )
        parser.add_argument("--jobs", type=int, default=2)
        parser.add_argument("--fits", type=int, default=1, help="timed fits of each, by turns")
        parser.add_argument("--methods", nargs="+", default=self.methods, choices=self.methods)
        parser.add_argument("--results", type=Path, default=RESULTS, help="where results go")
        parser.add_argument("--append", action="store_true", help="keep other rows of earlier runs")
        parser.add_argument("--one", nargs=2, metavar=("METHOD", "N"), help=argparse.SUPPRESS)
        parser.add_argument("--first-only", action="store_true", help=argparse.SUPPRESS)
        return parser.parse_args()

    def _command(self, method: str, n: int, options: argparse.Namespace) -> list[str]:
        """Return what starts a process that fits once."""
        command = [sys.executable, self.script, "--one", method, str(n)]
        command += ["--jobs", str(options.jobs)]
        return [*command, "--data", str(options.data)] if options.data else command

    def _row(self, command: list[str], compiled: Path, *, first: bool) -> Row:
        """Fit in a process; before the first, in one that has to compile, if that is timed."""
        if not self.cold:
            return _answer(command)
        place = {"NUMBA_CACHE_DIR": str(compiled)}
        if not first:
            return _answer(command, **place)
        start = _answer([*command, "--first-only"], **place)
        return {**_answer(command, **place), "cold_start": start["first_call"]}

    def _fit(self, method: str, n: int, options: argparse.Namespace) -> Row:
        """Fit to a few samples, then to all; return seconds, memory and scores."""
        data = load(n, options.data)
        row: Row = {"method": method, "data": data.name, "n": n}
        row["first_call"] = self._timed(method, data.first(self.n_first), options.jobs)[0]
        if options.first_only:
            return row
        before = _peak()
        row["seconds"], model, Y = self._timed(method, data, options.jobs)
        row["peak_gib"], row["above_start_gib"] = _peak(), _peak() - before
        return {**row, **self.note(model, data), **_areas(Y, data)}

    def _timed(self, method: str, data: Data, jobs: int) -> tuple[float, Any, np.ndarray]:
        start = time.perf_counter()
        model, Y = self.draw(method, data, jobs)
        return time.perf_counter() - start, model, Y


def _answer(command: list[str], **environment: str) -> Row:
    """Run a process; return what it prints last."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **environment}
    )
    return json.loads(done.stdout.splitlines()[-1])


def _peak() -> float:
    """Peak memory of this process, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _areas(Y: np.ndarray, data: Data) -> Row:
    """Overlap of a map with the continuous prior and with the labels."""
    from unprior import priors, scores

    known = {"features": priors.features(data.known), "labels": priors.labels(data.labels)}
    report = scores.report(Y, prior=known, n_rows=min(len(Y), 1000)).to_dict()["prior"]
    return {f"{name}_area": report[name]["overlap_area"] for name in known}
