"""Fits that together compile most loops, to be shared out among the processes that run tests.

Where nothing is compiled yet, as in a fresh clone, compiling takes as long as many tests. Left to
chance, all processes would compile the same loops at the same time.
"""

import warnings
from contextlib import suppress

import unprior as up

#: In this order, so that of two processes each has about half.
FITS = [
    lambda: up.Confetti(embedder_params={"n_epochs": 2}),
    lambda: up.IndependentTSNE(n_iter=2, perplexity=5),
    lambda: up.Confetti(operator="linear", embedder_params={"n_epochs": 2}),
    lambda: up.JEDI(n_iter=2),
    lambda: up.ConfettiNeighbors(operator="quantile"),
    lambda: up.JEDI(n_iter=2, solver="sampled"),
]


def compile_part(number, count):
    """Fit and place new samples, with every ``count``-th of the estimators."""
    data = up.datasets.make_two_factor(80, random_state=0)
    X, known = data.X, data.known.astype(str)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore")
        for make in FITS[number::count]:
            with suppress(Exception):  # has tests of its own
                make().fit(X, prior=known).transform(X[:9] + 1, prior=known[:9])
