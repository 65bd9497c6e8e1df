import pytest

from unprior.reproduce._times import MAKERS, PAPER, duration


def test_every_method_of_the_paper_is_made():
    assert {*PAPER} < {*MAKERS}


@pytest.mark.parametrize(("seconds", "said"), [(0.04, "0.0 s"), (59.9, "59.9 s"), (90, "1.5 min")])
def test_durations(seconds, said):
    assert duration(seconds) == said
