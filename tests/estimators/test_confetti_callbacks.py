"""Confetti calls its callbacks while its embedder runs, like all iterative estimators."""

import numpy as np
import pytest

import unprior as up


@pytest.mark.parametrize(
    ("embedder", "params", "has_objective"),
    [
        ("umap", {"n_epochs": 12}, False),
        ("tsne", {"n_iter": 8, "early_exaggeration_iter": 4}, True),
    ],
)
def test_callbacks_are_called_alike_and_can_stop(two_groups, embedder, params, has_objective):
    X, known = two_groups[0], up.priors.labels(two_groups[1])
    calls = []

    def look(iteration, objective, Y):
        calls.append((iteration, np.isfinite(objective), Y.shape))
        return len(calls) == 2

    params = {**params, "callbacks_every_iters": 4}
    up.Confetti(embedder=embedder, embedder_params=params, callbacks=[look], random_state=0).fit(
        X, prior=known
    )
    assert len(calls) >= 2
    assert {call[1:] for call in calls} == {(has_objective, (len(X), 2))}
    assert calls[0][0] == 4


def test_the_map_is_the_same_for_being_looked_at(two_groups):
    X, known = two_groups[0], up.priors.labels(two_groups[1])
    confetti = up.Confetti(embedder_params={"n_epochs": 10}, random_state=0)
    plain = confetti.fit_transform(X, prior=known)
    seen = confetti.set_params(callbacks=[lambda *_: False]).fit_transform(X, prior=known)
    np.testing.assert_array_equal(plain, seen)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"embedder": "pacmap"}, "takes None with this embedder, which has no callbacks"),
        ({"embedder_params": {"callbacks": print}}, "are also given in"),
        ({"callbacks": print}, "takes None or a list of functions"),
    ],
)
def test_callbacks_that_are_refused(two_groups, options, fragment):
    X, known = two_groups[0], up.priors.labels(two_groups[1])
    with pytest.raises(ValueError, match=f"^Confetti: 'callbacks' {fragment}"):
        up.Confetti(**{"callbacks": [print], **options}).fit(X, prior=known)
