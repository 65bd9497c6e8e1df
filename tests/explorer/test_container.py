"""Containers survive a round trip; damaged ones are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior.explorer._container import ALIGN, STEPS, Blocks, pack, quantize, unpack

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), plain), st.lists(st.binary(max_size=40), max_size=5))
def test_round_trip(header, blocks):
    data = pack(header, blocks)
    found, parts = unpack(data)
    assert found == header
    assert [bytes(part) for part in parts] == blocks
    whole = np.frombuffer(data, np.uint8).ctypes.data
    starts = [np.frombuffer(part, np.uint8).ctypes.data - whole for part in parts if len(part)]
    assert all(start % ALIGN == 0 for start in starts)


@given(st.integers(0, 200))
def test_what_is_cut_short_is_refused(length):
    data = pack({"n": 3}, [b"0123456789" * 5, b"abc"])
    # The last block ends before the padding does, which may be missing.
    if length < len(data) - ALIGN:
        with pytest.raises(ValueError, match="unpack"):
            unpack(data[:length])


@pytest.mark.parametrize("table", [[[0, 999]], [[-64, 8]], [[0, -1]], [["a", 1]], 3])
def test_blocks_that_lie_elsewhere_are_refused(table):
    import json
    import struct

    head = json.dumps({"head": {}, "blocks": table}).encode()
    with pytest.raises(ValueError, match="unpack"):
        unpack(b"UPX1" + struct.pack("<I", len(head)) + head + bytes(64))


def test_nan_is_no_json():
    with pytest.raises(ValueError, match="JSON"):
        pack({"x": float("nan")})


def test_texts_are_kept():
    blocks = Blocks()
    blocks.add_texts(["ä", "</script>", "\u2028"])
    assert "</script>" in blocks.parts[0].decode()


floats = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(floats, floats), min_size=1, max_size=30))
def test_coordinates_are_off_by_half_a_step_at_most(points):
    Y = np.array(points)
    found = quantize(Y)
    x, y, side = found.square
    restored = np.array([x, y]) + found.points * (side / STEPS)
    assert np.abs(restored - Y).max() <= side * (0.5 / STEPS + 1e-9)


def test_both_axes_have_one_scale():
    found = quantize(np.array([[0.0, 0.0], [10.0, 1.0]]))
    width, height = np.ptp(found.points.astype(int), axis=0)
    assert (width, height) == (STEPS, pytest.approx(STEPS / 10, abs=1))
