"""The pages hold what the runs say, in numbers and in honest words."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from quality_checks import Check
from quality_claims import alarm_blocks, harmless_blocks
from quality_methods import METHODS
from quality_names import _common, _free_place
from quality_own import gain_blocks
from quality_pairs import Mean, mean_runs
from quality_report import cases_page
from quality_run import Profile, Run
from quality_splits import split_blocks

import quality


def profile(case: str, split: str = "open", *, harmless: bool = False) -> Profile:
    return Profile(case, split, "", harmless, 100, "labels", 2, True, 0.8, "euclidean")


PROFILES = {name: profile(name) for name in "abc"}


def drawn(method: str, case: str, seed: int, left: float, kept: float, area: float | None) -> Run:
    return Run(case, method, seed, left, kept, area, area, kept - abs(left), 1.0)


@pytest.fixture
def runs():
    """`embed` leaves less than JEDI and keeps more in one case, less in another."""
    own = {"a": (0.0, 0.6), "b": (0.0, 0.4), "c": (0.0, 0.5)}
    found = [drawn("embed", case, 0, *values, 0.1) for case, values in own.items()]
    return found + [drawn("jedi", case, seed, -0.3, 0.5, None) for case in own for seed in (0, 1)]


def test_the_pages(tmp_path, monkeypatch):
    for name in ("tsne", "jedi"):
        monkeypatch.setitem(METHODS, name, lambda X, metric, prior, seed: X[:, 3:5])
    monkeypatch.setitem(METHODS, "ct-sne", lambda *told: 1 / 0)
    folders = [f"--{name}={tmp_path / name}" for name in ("tables", "cache", "docs")]
    chosen = ["--cases", "interaction", "--methods", "tsne", "jedi", "ct-sne", "--seeds", "2"]
    quality.main([*chosen, *folders])
    text = (tmp_path / "docs" / "quality.md").read_text()
    assert "| jedi | tsne | +0.000 | 0 | 0 | 1.000 |" in text
    assert "1 cases, 2 seeds for each method on each case. Every" in text
    assert "two-factor-features" in text.split("Not run: ")[1]
    cases = (tmp_path / "docs" / "quality_cases.md").read_text()
    assert "ZeroDivisionError" in cases
    assert len([*(tmp_path / "docs" / "images").glob("quality_*.png")]) == 2
    # The tables alone give the same pages.
    again = [f"--tables={tmp_path / 'tables'}", f"--docs={tmp_path / 'again'}"]
    shutil.rmtree(tmp_path / "cache")
    quality.main(["--report-only", *again])
    for name in ("quality.md", "quality_cases.md"):
        assert (tmp_path / "again" / name).read_text() == (tmp_path / "docs" / name).read_text()


def test_no_runs_no_pages(tmp_path):
    with pytest.raises(SystemExit, match="holds no runs"):
        quality.main(["--report-only", f"--tables={tmp_path}", f"--docs={tmp_path / 'docs'}"])
    assert not (tmp_path / "docs").exists()


def test_pages_are_written_when_data_are_gone(tmp_path, monkeypatch, capsys):
    folders = [f"--{name}={tmp_path / name}" for name in ("tables", "cache", "docs")]
    monkeypatch.setattr(quality, "run", lambda options: {})
    monkeypatch.setattr(quality, "check_maps", lambda tables, cache, data: {"a": "no folder"})
    written = []
    monkeypatch.setattr(quality, "write_pages", lambda *where: written.append(where))
    quality.main(folders)
    assert "not checked: a (no folder)" in capsys.readouterr().out
    assert len(written) == 1


def test_means_come_with_areas_and_the_spread_over_seeds(runs):
    runs = [*runs, drawn("embed", "a", 1, 0.0, 0.7, 0.3)]
    page = "\n".join(split_blocks("open", mean_runs(runs), PROFILES))
    # One case of three has two seeds; its spread is that of .6 and .7.
    assert f"| embed | 3 | 0.000 | 0.517 | 0.517 | {np.std([0.6, 0.7], ddof=1):.3f} |" in page
    assert "| jedi | 3 | 0.300 | 0.500 | 0.200 | 0.000 | – | – | 1.0 |" in page


def test_a_gain_is_split_into_left_and_kept(runs):
    row = gain_blocks(mean_runs(runs), PROFILES)[-1].splitlines()[-1]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:3] == ["open", "jedi", "3"]
    assert cells[3:6] == ["+0.300 ± 0.058", "-0.300 ± 0.000", "+0.000 ± 0.058"]
    assert cells[6:] == ["–", "–", "1", "1"]


def test_cases_show_the_spread_over_seeds_and_their_number(runs):
    lines = cases_page([*runs, drawn("embed", "a", 1, 0.2, 0.6, None)], PROFILES).splitlines()
    row = next(line for line in lines if line.startswith("| embed | 2 |"))
    assert "| 0.100 ± 0.141 | 0.600 ± 0.000 |" in row
    assert "| 0.100 | 0.100 | 1.0 |" in row


def test_the_warning_has_recall_and_precision():
    runs = [Run("a", method, 0, kept=0.1) for method in ("jedi", "ct-sne")]
    checks = [Check("a", "jedi", 0, 0.1, 0.0), Check("a", "ct-sne", 0, 0.9, 0.0)]
    text, table = alarm_blocks(checks, runs, {}, PROFILES)
    assert "1 of 2 lost maps are warned of, and 0 of 1 warnings are false alarms" in text
    assert table.endswith("| open | 2 | 2 | 1 | 1 | 0.50 | 1.00 |")


def test_priors_that_the_data_hardly_show_are_not_called_independent():
    profiles = {"a": profile("a", harmless=True), "b": profile("b")}
    means = {("a", "tsne"): Mean(0.065, 0.5, 0.435, 0, 0, 1)}
    checks = [Check("a", "tsne", seed, 0.5, area) for seed, area in enumerate((0.1, 0.3))]
    text = "\n".join(harmless_blocks(checks, means, profiles))
    assert "a: 0.065" in text
    assert "independent" not in text
    assert "| tsne | 0.200 | +0.000 |" in text


def test_names_stay_off_points_and_inside_the_frame():
    frame = (0.0, 0.0, 200.0, 100.0)
    taken = [(95.0, 45.0, 105.0, 55.0), (106.0, 40.0, 200.0, 60.0)]
    _, box = _free_place(np.array([100.0, 50.0]), 40.0, taken, frame)
    assert all(_common(box, other) == 0 for other in taken)
    assert _common(box, frame) == pytest.approx((box[2] - box[0]) * (box[3] - box[1]))
