"""All options that tools pass on are typed."""

import inspect
from typing import get_type_hints

import pytest

import unprior as up
from unprior.tl import _options

#: What the tools take by themselves.
OWN = {"random_state", "prior", "keep", "return_report", "X"}


@pytest.mark.parametrize(
    ("typed", "called"),
    [
        (_options.EmbedOptions, up.embed),
        (_options.JEDIOptions, up.JEDI),
        (_options.ConfettiOptions, up.Confetti),
        (_options.NeighborsOptions, up.ConfettiNeighbors),
        (_options.ResidualOptions, up.Residual),
    ],
)
def test_options_are_those_of_what_is_called(typed, called):
    assert {*get_type_hints(typed)} == {*inspect.signature(called).parameters} - OWN
