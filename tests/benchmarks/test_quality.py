"""The quality benchmark scores, resumes, compares and keeps sealed cases sealed."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unprior import priors

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import quality.__main__ as command
from quality.case import Recipe, Samples
from quality.cases import RECIPES, SealedError, load_case
from quality.halves import half
from quality.methods import METHODS, Method
from quality.permuted import near_in_data, overlap
from quality.run import read_runs
from quality.summary import summarize, update_summary

from quality import cases as registry
from quality import run as runner


@pytest.fixture
def tiny(two_groups, monkeypatch):
    """One open and one sealed case of 90 samples, and two methods that count their draws."""
    X, known, hidden = two_groups

    def make(folder):
        return Samples(X, priors.labels(known), hidden)

    recipes = {
        "tiny": Recipe("tiny", "open", "small → smaller", make, family="small"),
        "secret": Recipe("secret", "sealed", "not yet", make, family="small"),
    }
    draws = []

    def draw(X, metric, prior, seed, columns):
        draws.append(seed)
        return X[:, columns]

    methods = {
        "tsne": Method("shows the prior", lambda *a: draw(*a, columns=[0, 1])),
        "embed": Method("shows the hidden labels", lambda *a: draw(*a, columns=[3, 4])),
    }
    for name in [*RECIPES]:
        monkeypatch.delitem(RECIPES, name)
    for name in [*METHODS]:
        monkeypatch.delitem(METHODS, name)
    RECIPES.update(recipes)
    METHODS.update(methods)
    return draws


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "library_version", lambda: "1.0")
    folders = [f"--{name}={tmp_path / name}" for name in ("build", "results", "docs")]
    return lambda *arguments: command.main([*folders, *arguments])


def test_the_version_is_of_the_last_change_of_the_library(tmp_path, monkeypatch):
    def git(*command):
        author = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *author, *command], cwd=tmp_path, check=True, capture_output=True)

    def commit(file):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(file)
        git("add", ".")
        git("commit", "-m", file)
        return version()

    monkeypatch.setattr(runner.unprior, "__file__", str(tmp_path / "library" / "__init__.py"))
    version = runner.library_version.__wrapped__
    git("init")
    first = commit("library/__init__.py")
    assert first.startswith(f"{runner.unprior.__version__}+")
    assert commit("tests/test_library.py") == first
    assert commit("library/map.py") != first
    (tmp_path / "library" / "map.py").write_text("changed")
    assert version().endswith("-dirty")


class TestCommand:
    def test_a_run_goes_on_where_it_was(self, tiny, call, tmp_path):
        call("--seeds", "1")
        assert tiny == [0, 0]
        # As if the next run had been killed while writing its line.
        with (tmp_path / "build" / "results.csv").open("a") as file:
            file.write("tiny,embed,1,90,0.1")
        call("--seeds", "2")
        assert tiny == [0, 0, 1, 1]
        runs = read_runs(tmp_path / "build")
        assert [run.key[1:] for run in runs] == [
            ("tsne", 0),
            ("embed", 0),
            ("tsne", 1),
            ("embed", 1),
        ]
        call("--seeds", "2")
        assert len(tiny) == 4

    def test_a_version_that_draws_the_same_map_keeps_the_other_seeds(
        self, tiny, call, monkeypatch, tmp_path
    ):
        call("--seeds", "3")
        before = read_runs(tmp_path / "build")
        monkeypatch.setattr(runner, "library_version", lambda: "2.0")
        call("--seeds", "3")
        assert len(tiny) == 6
        call("--seeds", "3", "--refresh", "--methods", "embed")
        assert tiny[6:] == [0]
        after = read_runs(tmp_path / "build")
        assert {(run.method, run.version) for run in after} == {("tsne", "1.0"), ("embed", "2.0")}
        assert [run.score for run in after] == [run.score for run in before]
        call("--seeds", "3", "--refresh", "--methods", "embed")
        assert len(tiny) == 7

    @pytest.mark.parametrize("why", ["another map", "no kept map"])
    def test_a_version_that_draws_another_map_runs_all_seeds_again(
        self, tiny, call, monkeypatch, tmp_path, why
    ):
        call("--seeds", "3", "--methods", "embed")
        monkeypatch.setattr(runner, "library_version", lambda: "2.0")
        if why == "another map":
            draw = METHODS["embed"].draw
            METHODS["embed"] = Method("", lambda *given: draw(*given) * (1 + 1e-6))
        else:
            runner.map_path(tmp_path / "build", "tiny", "embed", 0).unlink()
        call("--seeds", "3", "--methods", "embed", "--refresh")
        assert tiny[3:] == [0, 1, 2]
        assert {run.version for run in read_runs(tmp_path / "build")} == {"2.0"}

    def test_failures_are_results_and_can_be_retried(self, tiny, call, tmp_path):
        def fail(X, metric, prior, seed):
            raise ValueError("no\nmap")

        METHODS["embed"] = Method("fails", fail)
        call("--seeds", "1")
        page = (tmp_path / "docs" / "quality.md").read_text(encoding="utf-8")
        assert "Failed, and not in the means: embed on 1." in page
        failed = read_runs(tmp_path / "build")[1]
        assert failed.failure == "ValueError: no map"
        assert np.isnan(failed.score)
        METHODS["embed"] = METHODS["tsne"]
        call("--seeds", "1")
        assert tiny == [0]
        call("--seeds", "1", "--retry")
        assert tiny == [0, 0]
        assert read_runs(tmp_path / "build")[1].failure == ""

    def test_sealed_cases_need_the_flag(self, tiny, call, capsys, tmp_path):
        for asked in (["--splits", "sealed"], ["--cases", "secret"]):
            with pytest.raises(SystemExit, match=r"\(secret\).*add --sealed"):
                call(*asked)
        assert tiny == []
        with pytest.raises(SealedError, match="sealed=True"):
            load_case("secret")
        call("--list", "--splits", "open", "sealed")
        assert "secret" in capsys.readouterr().out
        call("--splits", "sealed", "--sealed", "--seeds", "1")
        assert {run.case for run in read_runs(tmp_path / "build")} == {"secret"}

    def test_missing_methods_and_data_are_listed(self, tiny, call, capsys):
        def nothing(folder):
            raise FileNotFoundError("no such file")

        METHODS["embed"] = Method("rival", METHODS["tsne"].draw, needs=("no_such_package",))
        RECIPES["gone"] = Recipe("gone", "open", "", nothing, family="small")
        call("--seeds", "1")
        told = capsys.readouterr().out
        assert "left out: embed (needs no_such_package)" in told
        assert "left out: gone (no such file)" in told

    def test_the_page_holds_the_means(self, tiny, call, tmp_path):
        call("--seeds", "2")
        page = (tmp_path / "docs" / "quality.md").read_text(encoding="utf-8")
        rows = {row.method: row for row in update_summary(tmp_path / "results", [])}
        assert "## Small: open cases" in page
        assert "sealed cases\n" not in page
        for row in rows.values():
            assert row.seeds == 2
            assert f"{row.kept:.3f}" in page
        gap = rows["embed"].score - rows["tsne"].score
        assert f"| tsne | 1 | {gap:+.3f} ± – | 1 | 0 | 1.000 |" in page

    def test_sheets_are_drawn_of_kept_maps(self, tiny, call, tmp_path):
        call("--seeds", "1")
        call("--sheets")
        assert len(tiny) == 2
        assert (tmp_path / "build" / "sheets" / "tiny.png").stat().st_size > 1000

    def test_halves(self, tiny, call, capsys):
        call("--halves", "--methods", "embed", "--seeds", "3")
        assert len(tiny) == 6
        told = capsys.readouterr().out
        assert "seeds: left" in told
        assert "halves: left" in told


def test_a_larger_case_is_left_out(tiny, call, capsys):
    call("--seeds", "1", "--largest", "89")
    assert tiny == []
    assert "left out: tiny (90 samples" in capsys.readouterr().out


def test_half_a_case_keeps_samples_together(tiny):
    case = load_case("tiny")
    part = half(case, 1)
    rows = [int(np.flatnonzero((row == case.X).all(axis=1))[0]) for row in part.X]
    assert len(rows) == 45
    np.testing.assert_array_equal(part.hidden, case.hidden[rows])
    np.testing.assert_array_equal(
        part.prior.classes[part.prior.codes], case.prior.classes[case.prior.codes[rows]]
    )


def test_the_overlap_of_data_with_themselves_is_1(tiny):
    case = load_case("tiny")
    near, rows = near_in_data(case)
    assert overlap(case.X, near, rows) == 1
    assert overlap(np.random.default_rng(1).normal(size=(90, 2)), near, rows) < 0.5


class TestMethods:
    def test_the_library_has_what_the_benchmark_draws_with(self):
        own = {name: method for name, method in METHODS.items() if not method.needs}
        missing = {name for name, method in own.items() if method.missing()}
        assert missing <= {"independent"}

    def test_methods_say_what_they_refuse(self, tiny):
        case = load_case("tiny")
        few = Method("", None, classes_only=True, most_classes=2)
        assert few.refuses(case) == "not run beyond 2 classes"
        assert Method("", None, largest=89).refuses(case) == "not run beyond 89 samples"
        assert Method("", None, classes_only=True).refuses(case) == ""
        numbers = replace(case, prior=priors.features(case.X[:, 0]))
        assert Method("", None, classes_only=True).refuses(numbers) == "takes labels only"
        distances = replace(case, metric="precomputed")
        assert Method("", None, features_only=True).refuses(distances) == "takes no distances"


class TestSummary:
    def test_rows_of_other_runs_stay(self, tiny, tmp_path):
        first = [runner.Run("tiny", "tsne", s, 90, 0.5, 0.2, score=-0.3, seconds=1) for s in (0, 1)]
        update_summary(tmp_path, first)
        second = [runner.Run("tiny", "embed", 0, 90, 0.0, 0.4, score=0.4, seconds=2)]
        rows = update_summary(tmp_path, second)
        assert [(row.method, row.seeds) for row in rows] == [("tsne", 2), ("embed", 1)]
        assert rows[0].left == 0.5
        assert rows[0].left_sd == 0

    def test_failed_seeds_are_left_out(self):
        runs = [
            runner.Run("a", "x", 0, 9, 0.2, 0.4, score=0.2, seconds=1.0),
            runner.Run("a", "x", 1, 9, -0.2, 0.6, score=0.4, seconds=3.0),
            runner.Run("a", "x", 2, 9, failure="no"),
            runner.Run("a", "y", 0, 9, failure="never"),
        ]
        drawn, failed = summarize(runs)
        assert (drawn.seeds, drawn.left, drawn.seconds) == (2, 0, 2)
        assert drawn.kept == pytest.approx(0.5)
        assert drawn.score_sd == pytest.approx(np.std([0.2, 0.4], ddof=1))
        assert (failed.method, failed.seeds, failed.failure) == ("y", 0, "never")
        assert np.isnan(failed.score)


class TestCases:
    def test_every_case_has_a_known_family_and_split(self):
        assert {recipe.split for recipe in RECIPES.values()} == {"open", "closed", "sealed"}
        assert [*registry.FAMILIES] == [
            *("balanced", "unequal", "large", "many", "small", "noise", "composition")
        ]
        names = [recipe.name for module in registry.MODULES for recipe in module.RECIPES]
        assert len(names) == len({*names})

    def test_about_a_third_of_new_cases_is_sealed(self):
        for family in registry.FAMILIES[1:]:
            own = [recipe.split for recipe in RECIPES.values() if recipe.family == family]
            assert "closed" not in own
            assert 0.2 < own.count("sealed") / len(own) < 0.5

    @pytest.mark.parametrize(
        "name", ["shift-97", "shift-three", "subjects-50", "plates", "litters-2"]
    )
    def test_generated_cases_are_the_same_every_time(self, name):
        one, two = load_case(name), load_case(name)
        np.testing.assert_array_equal(one.X, two.X)
        np.testing.assert_array_equal(one.hidden, two.hidden)

    def test_shares_are_what_the_names_say(self):
        assert [*load_case("shift-97").prior.counts] == [1164, 36]
        assert [*load_case("shift-three").prior.counts] == [1020, 120, 60]
        assert {*load_case("litters-5").prior.counts} == {5}
        counts = np.sort(load_case("plates").prior.counts)
        assert counts[-1] == 600
        assert 2 <= counts[0] <= counts[-2] <= 11

    def test_an_unknown_name_is_refused(self):
        with pytest.raises(KeyError, match="no case is called 'x'"):
            load_case("x")
