import numpy as np
import pytest

from unprior import priors
from unprior.datasets import make_two_factor
from unprior.estimators import JEDI
from unprior.reproduce import Setting
from unprior.reproduce._variants import (
    DRAWS,
    FRESH_DRAWS,
    MAKERS,
    VARIANTS,
    ExaggeratedJEDI,
    SteadyJEDI,
    _options,
    run_variants,
    with_closer_centers,
)


def test_variants_have_different_names():
    assert len({(variant.method, variant.name) for variant in VARIANTS}) == len(VARIANTS)
    assert {variant.method for variant in VARIANTS} == {*MAKERS}


def test_a_variant_is_confirmed_on_draws_that_nothing_was_chosen_on():
    assert not {*range(10), *DRAWS} & {*FRESH_DRAWS}


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v.method}, {v.name}")
def test_every_variant_is_an_estimator(tmp_path, variant):
    estimator = MAKERS[variant.method](Setting(tmp_path, n_jobs=1), 0)
    if variant.kind is not None:
        estimator = variant.kind(**estimator.get_params(deep=False))
    X = np.random.default_rng(0).normal(size=(200, 3))
    estimator.set_params(**_options(variant.options, X))
    assert (
        estimator.get_params().keys()
        == MAKERS[variant.method](Setting(tmp_path), 0).get_params().keys()
    )


def test_shares_become_numbers_and_principal_components_a_map():
    X = np.random.default_rng(0).normal(size=(200, 3)) * [9, 3, 1]
    ready = _options({"prior_perplexity": 1 / 5, "n_neighbors": 1 / 4, "init": "pca"}, X)
    assert ready["prior_perplexity"] == 40
    assert ready["n_neighbors"] == 50
    assert abs(np.corrcoef(ready["init"][:, 0], X[:, 0])[0, 1]) > 0.99
    assert ready["init"].std() == pytest.approx(1e-4)


def test_steps_of_tsne_do_not_emphasise_the_prior():
    data = make_two_factor(60, random_state=0)
    options = {"n_iter": 40, "random_state": 0}
    maps = [
        kind(**options).fit_transform(data.X, prior=priors.labels(data.known))
        for kind in (JEDI, SteadyJEDI, ExaggeratedJEDI)
    ]
    assert not np.allclose(maps[0], maps[1])
    assert not np.allclose(maps[1], maps[2])
    for kind, exaggeration in ((SteadyJEDI, 1), (ExaggeratedJEDI, 12)):
        jedi = kind(**options)
        jedi.learning_rate_ = 50.0
        first = next(iter(jedi._schedule(2.0).steps()))
        assert (first.emphasis, first.exaggeration, first.gains) == (1, exaggeration, True)


def test_of_several_starts_the_best_is_taken(tmp_path):
    section = run_variants(Setting(tmp_path, quick=True, n_jobs=1))
    lines = [line.strip("| ").split(" | ") for line in section.blocks[1].splitlines()]
    rows = [line for line in lines if line[0].startswith(("JEDI, random", "of these"))][:3]
    assert [row[0] for row in rows] == [
        "JEDI, random start, 2 times",
        "of these, lowest objective",
        "of these, best areas",
    ]
    spans = [[float(end) for end in row[4].split(" to ")] for row in rows]
    assert spans[0][0] <= spans[1][0] == spans[1][1] <= spans[0][1]
    assert spans[2][0] in spans[0]


def test_clusters_move_together_and_keep_their_spread():
    data = make_two_factor(4000, random_state=0)
    closer = with_closer_centers(data)
    for group in np.unique(data.known):
        rows = data.known == group
        old, new = data.known_features[rows], closer.known_features[rows]
        assert new.mean(axis=0) == pytest.approx(old.mean(axis=0) / np.sqrt(2))
        assert new.std(axis=0) == pytest.approx(old.std(axis=0))
    assert (closer.X[:, :12] == np.hstack([closer.known_features, closer.hidden_features])).all()
    assert (closer.X[:, 12:] == data.X[:, 12:]).all()
