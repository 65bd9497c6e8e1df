import pickle

import pytest

from unprior.datasets import make_tuning
from unprior.reproduce import Setting
from unprior.reproduce._grids import search_grids
from unprior.reproduce._search import CHOSEN, Scored, _by_option, run_search, search


@pytest.fixture(scope="module")
def data():
    return make_tuning(1000, random_state=0)


def test_the_grids_are_as_large_as_the_papers(data):
    sizes = {name: len(grid.points()) for name, grid in search_grids(data).items()}
    assert sizes == {"ctsne": 6, "slle": 96, "confetti": 15 * 4, "jedi": 5 * 3 * 3 * 3}


def test_no_two_settings_share_a_name(data):
    for grid in search_grids(data).values():
        points = grid.points()
        assert len({grid.describe(point) for point in points}) == len(points)


def test_of_the_papers_choices_only_jedis_prior_perplexity_is_not_in_its_grid(data):
    grids = search_grids(data)
    missing = [name for name, chosen in CHOSEN.items() if chosen not in grids[name].points()]
    assert missing == ["jedi"]
    near = {**CHOSEN["jedi"], "prior_perplexity": 50}
    assert near in grids["jedi"].points()


def test_tasks_can_go_to_other_processes(tmp_path, data):
    for grid in search_grids(data).values():
        (task,) = grid.tasks(Setting(tmp_path, quick=True)).values()
        copy = pickle.loads(pickle.dumps(task))
        assert repr(copy.estimator) == repr(task.estimator)
        assert copy.prior.n_samples == len(data.X)


def test_a_stopped_search_goes_on_with_the_maps_it_has(tmp_path):
    data = make_tuning(60, random_state=0)
    grid = search_grids(data)["slle"]
    setting = Setting(tmp_path, quick=True, n_jobs=1, checkpoint=tmp_path / "maps")
    first = search(setting, data, grid, "first")
    (kept,) = (tmp_path / "maps").glob("*/map*")
    written = kept.stat().st_mtime_ns
    assert search(setting, data, grid, "again") == first
    assert kept.stat().st_mtime_ns == written


def test_all_scores_are_on_file(tmp_path):
    run_search(Setting(tmp_path, quick=True, n_jobs=1), method="slle")
    lines = (tmp_path / "tuning_quiet_search_slle.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "setting,kept,left"
    assert lines[1].startswith('"α = 0.0001, k = 2",')


def test_what_is_left_counts_on_either_side_of_chance():
    assert Scored("", 0.3, -0.1).score == Scored("", 0.3, 0.1).score == pytest.approx(0.2)


def test_the_best_score_is_shown_for_each_value_of_each_option(data):
    grid = search_grids(data)["confetti"]
    found = [
        Scored(grid.describe(point), point["strength"], point["perplexity"] / 1000)
        for point in grid.points()
    ]
    lines = _by_option(grid, found).splitlines()[2:]
    assert lines[0].startswith("| λ | 0.2: 0.170 (0 of 4); 0.4: 0.370 (0 of 4);")
    assert lines[0].endswith("3: 2.970 (0 of 4); 4: 3.970 (2 of 4) |")
    assert lines[1].startswith("| perplexity | 30: 3.970 (1 of 15); 50: 3.950 (1 of 15); 200: 3.8")
