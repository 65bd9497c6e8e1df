"""Priors from what callers hand in, figures, generated data and the command line."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import unprior as up
from fuzz.cases import fuzzed
from fuzz.fits import METRICS, count
from fuzz.inputs import SEEDS, data, known
from fuzz.judge import Fault, check_finite, judge
from unprior import datasets, plot, priors, scores
from unprior.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")

#: Entries that no test of this folder calls: they read files of our own, start a server whose guard
#: and messages are fuzzed, or pass everything on to an estimator that is fuzzed.
ELSEWHERE = (
    *("load_pbmc68k", "load_penguins", "fetch_flowers102", "explore", "EmbedReport"),
    "WithPrior",
)

#: What a maker of priors may be given besides data: nothing, text, a number, unequal rows.
ODD = st.sampled_from([None, "text", 3.5, [], [[1.0], [1.0, 2.0]], {}, np.nan, b"\x00", [None] * 4])
WEIGHTS = st.sampled_from([None, None, [1, 2], [0, 0], [-1, 1], [1], "much", np.nan])
PERIODS = st.sampled_from([24, 1e-30, "year", "day", 0, -1, np.inf, np.nan, "often", None])
NEWICK = st.text("(),:;ab01' [].e-", max_size=25)

MAKERS = {
    "labels": lambda draw, one: priors.labels(one),
    "features": lambda draw, one: priors.features(one, metric=draw(st.sampled_from(METRICS[:-2]))),
    "embedding": lambda draw, one: priors.embedding(one),
    "distances": lambda draw, one: priors.distances(one),
    "kernel": lambda draw, one: priors.kernel(one),
    "graph": lambda draw, one: priors.graph(one),
    "geo": lambda draw, one: priors.geo(one, draw(data(n=6) | ODD)),
    "cyclic": lambda draw, one: priors.cyclic(one, draw(PERIODS)),
    "table": lambda draw, one: priors.table(one),
    "tree": lambda draw, one: priors.tree(draw(NEWICK | st.just(one))),
    "combine": lambda draw, one: priors.combine(draw(known(6)), draw(WEIGHTS)),
}


@pytest.mark.parametrize("who", MAKERS)
def test_makers_of_priors(who):
    @fuzzed(12)
    @given(st.data())
    def run(draw):
        squares = who in ("distances", "kernel", "graph") and draw.draw(st.booleans())
        one = draw.draw(data(squares=squares) | known(6) | ODD)
        made = judge(who, lambda: MAKERS[who](draw.draw, one), one)
        if made is not None and made.n_samples:
            D = judge(who, made.to_array)
            if D is not None:
                check_finite(who, D, (made.n_samples, made.n_samples))

    run()


COLORS = st.sampled_from([None, "a", "red", "none", [1.0, 2.0], 3, {"a": [1]}])

FIGURES = {
    "plot.embedding": lambda Y, color: plot.embedding(Y, color=color),
    "plot.compare": lambda Y, color: plot.compare({"a": Y, "b": Y}, color=color),
    "plot.overlap": lambda Y, color: plot.overlap({"a": scores.overlap_curve(Y, Y)}),
    "plot.path": lambda Y, color: plot.path(color),
}


@pytest.mark.parametrize("who", FIGURES)
def test_figures(who):
    @fuzzed(6)
    @given(st.data())
    def run(draw):
        Y = draw.draw(data())
        color = draw.draw(known(count(Y)) | COLORS)
        try:
            judge(who, lambda: FIGURES[who](Y, color) is not None, Y, color)
        finally:
            plt.close("all")

    run()


@fuzzed(20)
@given(
    st.sampled_from(["make_two_factor", "make_tuning"]),
    st.sampled_from([8, 50, 3, 1, 0, -1, 2.5, "many", None]),
    st.sampled_from([0, None, -1, 2**40, "seed", np.random.RandomState(0)]),
)
def test_generated_data(who, n, seed):
    made = judge(who, lambda: getattr(datasets, who)(n, random_state=seed))
    if made is not None:
        check_finite(who, made.X, (n, made.X.shape[1]))


WORDS = st.sampled_from(
    [
        ["--prior", "group"],
        ["--prior", "group"],
        ["--prior", "age"],
        ["--prior", "lat,age:geo"],
        ["--prior", "age:cyclic=24"],
        ["--prior", "group:tree"],
        ["--prior", "none"],
        ["--prior", "age:"],
        ["--keep", "kind"],
        ["--keep", "none"],
        ["--features", "a,b"],
        ["--drop", "a,,"],
        ["--missing", "0"],
        ["--drop-missing"],
        ["--standardize"],
        ["--pca", "2"],
        ["--pca", "99"],
        ["--metric", "cosine"],
        ["--metric", "precomputed"],
        ["--json"],
    ]
)
ALONE = {
    "embed": st.sampled_from(
        [
            ["--method", "slle"],
            ["--method", "jedi", "--strength", "0.5"],
            ["--strength", "-1"],
            ["--strength", "0.5", "--strength", "1"],
            ["--seed", "7"],
            ["--seed", "x"],
            ["--color", "age"],
            ["--with", "kind,age"],
        ]
    ),
    "score": st.sampled_from([["--hidden", "kind"], ["--hidden", "none"]]),
    "tune": st.sampled_from([["--strengths", "0,1"], ["--strengths", "x"], ["--samples", "10"]]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("words")


def table_of(rng, n):
    """A typical table, now and then with a missing value or column."""
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=[*"abc"])
    frame["age"], frame["lat"] = rng.uniform(0, 80, n), rng.uniform(-90, 90, n)
    frame["group"], frame["kind"] = rng.choice(["u", "v"], n), rng.choice(["p", "q", None], n)
    if rng.random() < 0.3:
        frame.iloc[rng.integers(n), rng.integers(7)] = None
    return frame.drop(columns=rng.choice(frame.columns)) if rng.random() < 0.2 else frame


@pytest.mark.parametrize("command", ALONE)
def test_commands(command, folder):
    @fuzzed(8)
    @given(st.lists(WORDS | ALONE[command], max_size=4), SEEDS)
    def run(words, seed):
        rng = np.random.default_rng(seed)
        frame = table_of(rng, int(rng.choice([2, 12, 20, 20])))
        frame.to_csv(folder / "table.csv", index=False)
        said = [word for part in words for word in part]
        if command == "score":
            places = pd.DataFrame(rng.normal(size=(len(frame), 2)), columns=["x", "y"])
            places.to_csv(folder / "map.csv", index=False)
            said += [str(folder / "map.csv"), "--data", str(folder / "table.csv")]
        else:
            said += [str(folder / "table.csv"), "--jobs", "1"]
        if "--method" not in said and command == "embed":
            said += ["--method", "residual"]
        done = CliRunner().invoke(main, [command, *said])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise Fault(f"{command} {words}: {done.exception!r}") from done.exception
        if done.exit_code not in (0, 1, 2) or (done.exit_code and "rror: " not in done.stderr):
            raise Fault(f"{command} {words}: {done.exit_code}, {done.stderr}")
        assert "nan" not in done.stdout.lower().replace("nan,", "") or "--json" in said

    run()


def test_every_public_entry_is_fuzzed():
    text = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    homes = (up, up.scores, up.priors, up.tl, up.pl, up.plot, up.datasets)
    entries = {
        name
        for home in homes
        for name in home.__all__
        if callable(getattr(home, name)) and not _is_result(home, name)
    }
    entries -= {*ELSEWHERE}
    assert {name for name in entries if not re.search(rf"\b{name}\b", text)} == set()


def _is_result(home, name):
    """Whether a name is a class that functions return, or a warning."""
    return (home is not up and name[0].isupper()) or name.endswith("Warning")
