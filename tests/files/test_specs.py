import pytest

from unprior._params import suggest
from unprior.files._specs import parse_spec, split_names
from unprior.priors._registry import KINDS

NAMES = ["hour", "lat", "lon", "a:geo", "mass, g", "x:y"]


@pytest.mark.parametrize(
    ("text", "what", "kind", "value"),
    [
        ("hour", "hour", None, ""),
        ("hour:cyclic=24", "hour", "cyclic", "24"),
        ("lat,lon:geo", "lat,lon", "geo", ""),
        ("tree.nwk:tree", "tree.nwk", "tree", ""),
        ("tree.nwk:tree=hour", "tree.nwk", "tree", "hour"),
        ("a:geo", "a:geo", None, ""),  # a column of this very name
        ("a:geo:labels", "a:geo", "labels", ""),
        ("x:y", "x:y", None, ""),
        (r"C:\data\D.npy", r"C:\data\D.npy", None, ""),
        (r"C:\data\D.npy:distances", r"C:\data\D.npy", "distances", ""),
    ],
)
def test_the_parts_of_a_spec(text, what, kind, value):
    spec = parse_spec(text, NAMES)
    assert (spec.text, spec.what, spec.kind, spec.value) == (text, what, kind, value)


def test_every_example_of_a_kind_is_of_that_kind():
    assert {name: parse_spec(kind.example, []).kind for name, kind in KINDS.items()} == {
        kind: kind for kind in KINDS
    }


def test_an_unknown_kind_is_refused_with_the_nearest():
    with pytest.raises(
        ValueError, match=r"'cyclical' is not a kind of prior.*Did you mean 'cyclic'"
    ):
        parse_spec("hour:cyclical=24", NAMES)
    with pytest.raises(ValueError, match=r"'geo' takes no value; write lat,lon:geo"):
        parse_spec("lat,lon:geo=1", NAMES)


def test_names_with_commas():
    assert split_names("lat,lon", NAMES) == ["lat", "lon"]
    assert split_names("mass, g", NAMES) == ["mass, g"]
    assert suggest("hour", NAMES) == " Did you mean 'hour'?"
    assert suggest("qqq", NAMES) == ""
