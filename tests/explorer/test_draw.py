"""Maps of the page equal those of the library, and paths are continuous."""

import numpy as np
import pytest

import unprior as up
from unprior._embed_report import left_on, sampling
from unprior.explorer._draw import (
    DrawSettings,
    Request,
    draw,
    draw_path,
    perplexity_of,
    strength_path,
)
from unprior.plot._compare import rotate
from unprior.priors import labels

SETTING = DrawSettings(n_iter=150)


def go_on(*_):
    return False


@pytest.fixture(scope="module")
def plain(sample):
    return draw(sample.X, Request(), SETTING, go_on).Y


@pytest.fixture
def priors(sample):
    return {"known": labels(sample.known)}


def fit(sample, strength, **options):
    estimator = up.IndependentTSNE(
        strength=strength, n_iter=150, random_state=0, perplexity=perplexity_of(150), **options
    )
    return estimator.fit(sample.X, prior={"known": labels(sample.known)}).embedding_


def test_the_plain_map_is_the_librarys(sample, plain):
    np.testing.assert_array_equal(plain, fit(sample, 0.0))


@pytest.mark.parametrize("strength", [0.5, 1.0])
def test_so_are_maps_for_which_the_plain_one_is_at_hand(sample, plain, priors, strength):
    drawn = draw(sample.X, Request(priors, {"known": strength}, plain), SETTING, go_on)
    np.testing.assert_array_equal(drawn.Y, fit(sample, {"known": strength}))


def test_what_a_map_shows(sample, plain, priors):
    request = Request(priors, {"known": 1.0}, plain, plain, {"m1": plain})
    drawn = draw(sample.X, request, SETTING, go_on)
    assert abs(drawn.left["known"]) < 0.1
    assert drawn.others["m1"]["known"] > 0.8
    assert drawn.kept > 0.5
    # It is rotated to match the map from which it was requested.
    np.testing.assert_allclose(rotate(drawn.Y, plain), drawn.Y, atol=1e-9)


def test_a_map_can_be_stopped(sample, priors):
    steps = []

    def stop(step, value, Y):
        steps.append(step)
        return step == 7

    drawn = draw(sample.X, Request(priors, {"known": 1.0}), SETTING, stop)
    assert drawn.stopped
    assert steps == [*range(8)]
    assert np.isfinite(drawn.Y).all()


def test_a_path_leads_from_the_plain_map_to_full_strength(sample, plain, priors):
    told = []
    found = draw_path(
        sample.X,
        Request(priors, {"known": 1.0}, plain),
        [0.5, 1.0],
        SETTING,
        lambda place, *_: told.append(place) and False,
    )
    lefts = [
        left_on(plain, priors, sampling(len(plain)))["known"],
        *(drawn.left["known"] for drawn in found),
    ]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[1] == pytest.approx(lefts[0] / 2, abs=0.12)
    assert {*told} == {0, 1}


def test_a_path_that_is_stopped_keeps_the_maps_that_are_done(sample, plain, priors):
    found = draw_path(
        sample.X,
        Request(priors, {"known": 1.0}, plain),
        [0.5, 1.0],
        DrawSettings(n_iter=40),
        lambda place, step, *_: place == 1,
    )
    assert len(found) == 1


def test_a_path_in_python_is_the_pages(sample, plain, priors):
    maps = strength_path(sample.X, priors, [0.0, 0.5, 1.0], n_iter=150)
    request = Request(priors, {"known": 1.0}, plain)
    found = draw_path(sample.X, request, [0.5, 1.0], SETTING, lambda *_: False)
    np.testing.assert_array_equal(maps[0], plain)
    for ours, drawn in zip(maps[1:], found, strict=True):
        np.testing.assert_array_equal(ours, drawn.Y)
