"""The command line: python benchmarks/quality."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Run as a folder, this file has the folder itself on the path; its modules are those of a package.
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]
if str(HERE.parent) not in sys.path:
    sys.path.append(str(HERE.parent))

from quality.case import Recipe  # noqa: E402
from quality.cases import FAMILIES, RECIPES, SPLITS, load_case  # noqa: E402
from quality.halves import report_halves  # noqa: E402
from quality.methods import METHODS  # noqa: E402
from quality.page import write_page  # noqa: E402
from quality.permuted import report_permuted  # noqa: E402
from quality.run import Run, read_runs, run_case  # noqa: E402
from quality.sheets import draw_sheets  # noqa: E402
from quality.summary import update_summary  # noqa: E402

ROOT = HERE.parent.parent

ABOUT = """\
How good the maps are: every method on every case, scored and compared.

Needs the packages of benchmarks/requirements.txt for all cases and rivals; what is missing is left
out and listed. Every run is a line of BUILD/results.csv, so a benchmark that was stopped continues
where it was; maps are kept in BUILD/maps. Means over seeds go to RESULTS/summary.csv, which is
under version control, and from there to DOCS/quality.md.

With --refresh, one seed is drawn again for every case and method whose results are by another
version of unprior. If its map is the same to the last bit, the results of the other seeds stay;
otherwise all are run again. So a refactoring that changes no map invalidates no results.
"""

EXAMPLES = """\
examples:
  python benchmarks/quality --list
  python benchmarks/quality --data DIR --families unequal --methods tsne embed --seeds 1
  python benchmarks/quality --data DIR --splits open closed --seeds 5 --jobs 2
  python benchmarks/quality --page               write the page from the summary, run nothing
  python benchmarks/quality --data DIR --sheets  draw the kept maps of each case side by side
  python benchmarks/quality --data DIR --splits sealed --sealed
                                                 only when all settings are fixed
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    options = read_options(arguments)
    recipes = chosen(options)
    if options.list:
        for r in recipes:
            print(f"{r.name:24} {r.family:9} {r.split:7} {r.about}")
    elif options.permuted:
        report_permuted(_load(recipes, options), options.permuted, options.build)
    elif options.halves:
        report_halves(_load(recipes, options), options.methods, options.seeds, options.build)
    elif options.sheets:
        draw_sheets(_load(recipes, options), options.build)
    else:
        if not options.page:
            run(recipes, options)
        rows = update_summary(options.results, read_runs(options.build))
        write_page(rows, options.docs)


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/quality",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", type=Path, metavar="DIR", help="folder with the data that come with no package")
    add("--families", nargs="+", choices=FAMILIES, default=[*FAMILIES])
    add("--splits", nargs="+", choices=SPLITS, default=["open"])
    add("--cases", nargs="+", choices=[*RECIPES], metavar="CASE", help="these cases only")
    add("--largest", type=int, default=10_000, metavar="N", help="skip larger cases (10 000)")
    add("--methods", nargs="+", choices=[*METHODS], metavar="METHOD", default=[*METHODS])
    add("--seeds", type=int, default=5, help="maps of each case by each method")
    add("--jobs", type=int, default=1, help="processes, of one thread each")
    add("--sealed", action="store_true", help="allow sealed cases: all settings are fixed")
    add("--retry", action="store_true", help="run again what failed before")
    add("--refresh", action="store_true", help="run again what this version draws differently")
    add("--list", action="store_true", help="list the cases and stop")
    add("--page", action="store_true", help="write summary and page, run nothing")
    add("--sheets", action="store_true", help="draw the kept maps of each case, run nothing")
    add("--permuted", type=int, metavar="N", help="embed each case with N priors in random order")
    add("--halves", action="store_true", help="what is left over seeds and over random halves")
    add("--build", type=Path, default=ROOT / "build" / "quality", help="runs and maps, not in git")
    add("--results", type=Path, default=ROOT / "benchmarks" / "results" / "quality")
    add("--docs", type=Path, default=ROOT / "docs")
    return parser.parse_args(arguments)


def chosen(options: argparse.Namespace) -> list[Recipe]:
    """Return the recipes that were asked for; sealed ones only if the flag says so."""
    if options.cases:
        recipes = [RECIPES[name] for name in options.cases]
    else:
        recipes = [
            r
            for r in RECIPES.values()
            if r.family in options.families and r.split in options.splits
        ]
    sealed = [r.name for r in recipes if r.split == "sealed"]
    if sealed and not (options.sealed or options.list):
        raise SystemExit(
            f"quality: got sealed cases ({', '.join(sealed)}), to be run only when all settings "
            "are fixed; add --sealed if they are"
        )
    return recipes


def run(recipes: Sequence[Recipe], options: argparse.Namespace) -> None:
    """Run what is missing, case by case."""
    methods = []
    for name in options.methods:
        if reason := METHODS[name].missing():
            print(f"left out: {name} ({reason})")
        else:
            methods.append(name)
    task = methods, range(options.seeds), options.build, options.jobs
    for case in _load(recipes, options):
        for one in run_case(case, *task, retry=options.retry, refresh=options.refresh):
            print(describe(one), flush=True)


def describe(one: Run) -> str:
    """Return a line about one run."""
    start = f"{one.case:22} {one.method:15} {one.seed}  "
    if one.failure:
        return start + one.failure
    return (
        start + f"left {one.left:6.3f}  worst {one.worst:6.3f}  kept {one.kept:6.3f}  "
        f"score {one.score:6.3f}  unevenness {one.unevenness:5.2f}  {one.seconds:.1f} s"
    )


def _load(recipes: Sequence[Recipe], options: argparse.Namespace):
    """Make cases one after the other; those that cannot be made are listed."""
    for recipe in recipes:
        try:
            case = load_case(recipe.name, options.data, sealed=options.sealed)
        except (ImportError, FileNotFoundError) as error:
            print(f"left out: {recipe.name} ({error})")
            continue
        if len(case.X) > options.largest:
            print(
                f"left out: {recipe.name} ({len(case.X)} samples; --largest is {options.largest})"
            )
            continue
        yield case


if __name__ == "__main__":
    main()
