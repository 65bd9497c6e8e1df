import json

import numpy as np
import pytest
from matplotlib.figure import Figure

import unprior as up
from unprior.tuning import Path


@pytest.fixture(scope="module")
def path():
    data = up.datasets.make_two_factor(120, random_state=0)
    known = {"known": data.known, "place": data.X[:, :1]}
    return up.tune(up.Residual(), data.X, prior=known, strengths=[1, 0, 0.5], n_samples=100)


def test_the_curves_are_the_scores(path):
    np.testing.assert_array_equal(path.strengths, [0, 0.5, 1])
    for step, left, noise, kept in zip(
        path.steps, path.left, path.left_noise, path.kept, strict=True
    ):
        told = step.report.to_dict()
        by_prior = {
            "known": told["prior"]["known"]["neighbor_purity"],
            "place": told["prior"]["place"]["neighbor_coherence"],
        }
        assert step.left == by_prior
        assert left == by_prior[step.worst]
        assert noise == step.noise[step.worst]
        assert step.excess == max(by_prior[name] - step.noise[name] for name in by_prior)
        assert kept == told["data"]["neighbor_overlap"]
        assert step.kept == {"data": kept, "rest": told["rest"]["neighbor_coherence"]}


def test_it_prints_a_table_with_the_best_marked_and_the_rule(path):
    header, *lines, rule, note = repr(path).split("\n")
    assert header.split("  ")[0] == "strength"
    for name in ("known left", "known noise", "place left", "data kept", "rest kept", "data area"):
        assert name in header
    marked = [line for line in lines if line.endswith("<- best")]
    assert len(lines) == 3
    assert [line.split()[0] for line in marked] == [f"{path.best_strength:g}"]
    assert rule == f"Best is {path.rule}."
    assert note == (
        "(left: 15-neighbour purity or 15-neighbour coherence; data kept: 15-neighbour overlap; "
        "100 of 120 samples)"
    )
    html = path._repr_html_()
    assert html.count("<tr>") == 4
    assert "known left" in html


def test_a_fit_of_all_samples_is_not_called_a_part(path):
    assert "samples" not in repr(Path(path.steps, 1.0, "any", 100)).split("\n")[-1]


def test_the_dict_goes_through_json(path):
    told = json.loads(json.dumps(path.to_dict()))
    assert told == path.to_dict()
    assert told["strengths"] == [0, 0.5, 1]
    assert told["best_strength"] == path.best_strength
    assert told["left"] == path.left.tolist()
    assert told["scores"][2]["prior"]["known"]["neighbor_purity"] == path.steps[2].left["known"]
    assert (told["n_samples"], told["n_fitted"], told["k"]) == (120, 100, 15)


def test_it_draws_itself(path):
    ax = Figure().subplots()
    assert path.plot(ax) is ax
    assert ax.get_lines()
