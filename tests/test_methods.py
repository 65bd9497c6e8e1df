from unprior import _embed, estimators
from unprior._methods import METHODS


def test_every_method_has_its_estimator():
    assert all(hasattr(estimators, method.estimator) for method in METHODS.values())


def test_embed_takes_the_methods_that_are_listed_for_it():
    assert {*_embed.METHODS} == {name for name, method in METHODS.items() if method.in_embed}
