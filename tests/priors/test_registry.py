"""A kind of prior that the library has never seen: one class and one registration are enough."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import unprior as up
from unprior import priors
from unprior.cli._main import main
from unprior.files import Samples, find_prior, make_prior
from unprior.geometry._base import as_rows
from unprior.priors import Prior
from unprior.priors._base import Kind
from unprior.priors._registry import KINDS
from unprior.priors._spelled import read_spelled

DOCS = Path(__file__).parents[2] / "docs"


@dataclass(frozen=True, eq=False, repr=False)
class Tones(Prior):
    """Tones that are near if they are nearly some octaves apart."""

    kind = "tones"

    hertz: np.ndarray

    @property
    def n_samples(self):
        return len(self.hertz)

    def block(self, rows, cols):
        return self._apart(self.hertz[as_rows(rows)][:, None], self.hertz[as_rows(cols)])

    def pairs(self, i, j):
        return self._apart(self.hertz[as_rows(i)], self.hertz[as_rows(j)])

    def _apart(self, a, b):
        octaves = np.abs(np.log2(a / b)) % 1
        return np.minimum(octaves, 1 - octaves)

    def _take(self, rows):
        return Tones(self.hertz[rows])


class Song:
    """An object that can only mean tones."""

    def __init__(self, hertz):
        self.hertz = hertz


TONES = Kind(
    "tones",
    "pitch:tones",
    lambda source: Tones(source.take(1)[0]),
    recognizes=lambda value: isinstance(value, Song),
    read=lambda song: Tones(song.hertz),
)


@pytest.fixture
def tones(monkeypatch):
    monkeypatch.setitem(KINDS, "tones", TONES)


@pytest.fixture
def hertz(rng):
    return 440 * 2.0 ** rng.uniform(-2, 2, size=60)


def test_as_prior_recognises_it(tones, hertz):
    assert priors.as_prior(Song(hertz)).kind == "tones"


def test_columns_are_named_as_such(tones, hertz):
    prior = read_spelled("tl.embed", "pitch:tones", ["pitch"], {"pitch": hertz}.get)
    np.testing.assert_allclose(prior.pairs([0], [1]), Tones(hertz).pairs([0], [1]))
    samples = Samples("a.csv", np.arange(60).astype(str), columns={"pitch": hertz})
    assert make_prior(find_prior("--prior", "pitch:tones", samples)).kind == "tones"


def test_the_help_and_the_errors_list_it(tones):
    result = CliRunner().invoke(main, ["embed", "--help"])
    assert "pitch:tones" in " ".join(result.output.split())
    with pytest.raises(ValueError, match=r"kinds are written as .*'pitch:tones'"):
        read_spelled("tl.embed", "pitch:notes", ["pitch"], {}.get)


@pytest.mark.parametrize("kind", ["linear", "smooth", "aligned"])
def test_residuals_take_it_out_and_refuse_new_samples(tones, hertz, rng, kind):
    X = np.column_stack([np.cos(2 * np.pi * np.log2(hertz)), rng.normal(size=(60, 2))])
    residual = up.Residual(kind)
    left = residual.fit_transform(X, prior=Song(hertz))
    assert np.var(left[:, 0]) < 0.5 * np.var(X[:, 0])
    with pytest.raises(ValueError, match=r"of the kind 'tones', which has no distances between"):
        residual.transform(X[:4], prior=Song(hertz[:4]))


def test_maps_are_drawn_without_it(tones, hertz, rng):
    X = np.column_stack([5 * np.cos(2 * np.pi * np.log2(hertz)), rng.normal(size=(60, 2))])
    drawn = up.IndependentTSNE(n_iter=250, perplexity=10, random_state=0)
    plain = up.IndependentTSNE(n_iter=250, perplexity=10, random_state=0, strength=0)
    left = [
        up.scores.neighbor_coherence(method.fit(X, prior=Song(hertz)).embedding_, Song(hertz), 5)
        for method in (drawn, plain)
    ]
    assert left[0] < left[1] - 0.1


@pytest.mark.parametrize("page", ["shell.md", "guide.md"])
def test_the_documents_name_every_kind(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f":{kind}" not in text and f"priors.{kind}" not in text] == []
