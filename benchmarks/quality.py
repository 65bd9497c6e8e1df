"""Which method draws the best map: every method on every case, scored and compared.

    python benchmarks/quality.py [--data DIR] [--split open] [--cases ...] [--methods ...]
        [--seeds 5] [--jobs 1] [--tables benchmarks/results/quality] [--cache build/quality]
        [--retry] [--refresh] [--repeat N] [--permuted N] [--report-only] [--list]

Needs the packages of benchmarks/requirements.txt for all its cases and rivals; those that are
missing are left out and listed. Scores go to a table, a line for each case, method and seed, as
they come: a run that was stopped goes on where it was. Tables are under version control, so their
lines are put in order when a run ends, and by --report-only; no other run may add to them then.
Maps, which are large, are kept in a cache folder.
Each line says which state of the library's source drew it, and the page says so if there are
several; --refresh runs again what another state drew. Quicker is --repeat: it draws some of these
again, away from the table, and the page says how many came out the same.
Kept maps are then checked without their hidden labels (--seeds 0 does nothing else), once for each
state that drew them; if the check itself was changed, remove checks.csv from the tables.
--permuted draws `embed` with priors in random order, which should cost nothing.
The pages docs/quality.md and docs/quality_cases.md and their figures are written from the tables;
--report-only does nothing else, and needs no maps.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path

from quality_cases import RECIPES, Recipe
from quality_checks import check_maps
from quality_methods import METHODS
from quality_order import order_tables
from quality_permuted import draw_permuted
from quality_repeat import repeat_runs
from quality_report import write_pages
from quality_run import CASES, Run, finished, profile, read_profiles, run_case
from quality_tables import append, as_line

ROOT = Path(__file__).parent.parent


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing, and write the pages."""
    options = read_options(arguments)
    if options.list:
        for recipe in chosen(options):
            print(f"{recipe.name:24} {recipe.split:7} {recipe.about}")
        return
    if options.repeat:
        for r in repeat_runs(options.tables, options.data, options.repeat, options.jobs):
            told = r.failure or f"differs by {r.difference:.1g}"
            print(f"{r.case:24} {r.method:18} {r.seed}  {r.old}  {told}", flush=True)
    elif options.permuted:
        names = [recipe.name for recipe in chosen(options)]
        for p in draw_permuted(options.tables, options.data, names, options.permuted, options.jobs):
            told = "unseen" if p.unseen else f"costs {p.cost:.3f}"
            print(f"{p.case:24} {p.draw}  {told}", flush=True)
    elif not options.report_only:
        for name, reason in run(options).items():
            print(f"left out: {name} ({reason})")
        for name, reason in check_maps(options.tables, options.cache, options.data).items():
            print(f"not checked: {name} ({reason})")
    order_tables(options.tables)
    write_pages(options.tables, options.docs)


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the data that no package brings")
    parser.add_argument("--split", choices=["open", "closed", "all"], default="open")
    parser.add_argument("--cases", nargs="+", choices=[*RECIPES], help="default: all of the split")
    parser.add_argument("--methods", nargs="+", choices=[*METHODS], default=[*METHODS])
    parser.add_argument("--seeds", type=int, default=5, help="maps of each case by each method")
    parser.add_argument("--jobs", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--tables", type=Path, default=ROOT / "benchmarks" / "results" / "quality")
    parser.add_argument(
        "--cache", type=Path, default=ROOT / "build" / "quality", help="where maps are kept"
    )
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where the pages go")
    parser.add_argument("--retry", action="store_true", help="run again what failed before")
    parser.add_argument(
        "--refresh", action="store_true", help="run again what another state of the library drew"
    )
    parser.add_argument(
        "--repeat",
        type=int,
        default=0,
        metavar="N",
        help="draw N runs of other states again and compare; run nothing else",
    )
    parser.add_argument(
        "--permuted",
        type=int,
        default=0,
        metavar="N",
        help="draw each case N times with its prior in random order; run nothing else",
    )
    parser.add_argument("--report-only", action="store_true", help="write the pages, run nothing")
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    return parser.parse_args(arguments)


def chosen(options: argparse.Namespace) -> list[Recipe]:
    """Return the recipes that were asked for; cases asked for by name count in either split."""
    if options.cases:
        return [RECIPES[name] for name in options.cases]
    return [r for r in RECIPES.values() if options.split in ("all", r.split)]


def run(options: argparse.Namespace) -> dict[str, str]:
    """Run the cases one after the other; return those that could not be made, and why."""
    left_out = {}
    for recipe in chosen(options):
        try:
            case = recipe.load(options.data)
        except (ImportError, FileNotFoundError) as error:
            left_out[recipe.name] = str(error)
            continue
        found = profile(recipe, case)
        known = read_profiles(options.tables).get(recipe.name)
        if known is None or as_line(known) != as_line(found):
            append(options.tables / CASES, [found])
        done = finished(options.tables, retry=options.retry, refresh=options.refresh)
        pairs = itertools.product(options.methods, range(options.seeds))
        wanted = [pair for pair in pairs if (recipe.name, *pair) not in done]
        for one in run_case(case, wanted, options.tables, options.cache, options.jobs):
            print(describe(one), flush=True)
    return left_out


def describe(done: Run) -> str:
    """Return a line about one run."""
    start = f"{done.case:24} {done.method:18} {done.seed}  "
    if done.failure:
        return start + done.failure
    return start + f"left {done.left:.3f}  kept {done.kept:.3f}  {done.seconds:.1f} s"


if __name__ == "__main__":
    main()
