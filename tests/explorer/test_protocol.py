"""Messages of a page are checked before they are handled."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior.explorer._guard import Guard
from unprior.explorer._pages import Outbox
from unprior.explorer._protocol import (
    MOST_BYTES,
    Refused,
    number_of,
    priors_of,
    read_message,
    rows_of,
    text_of,
    write_rows,
)

anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(anything)
def test_any_json_is_a_message_or_refused(value):
    try:
        message = read_message(json.dumps(value))
    except Refused:
        return
    assert isinstance(message["op"], str)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not of version 1"),
        ('{"v": 2, "id": 1, "op": "x"}', "is not of version 1"),
        ('{"v": 1, "op": "x"}', "'id' takes a number"),
        ('{"v": 1, "id": 1}', "'op' takes a text"),
    ],
)
def test_what_is_no_message(text, reason):
    with pytest.raises(Refused, match=reason):
        read_message(text)


def test_messages_have_a_length():
    with pytest.raises(Refused, match="too long"):
        read_message(" " * (MOST_BYTES + 1))


@given(st.data())
def test_rows_come_back(data):
    n = data.draw(st.integers(1, 70))
    rows = sorted(data.draw(st.sets(st.integers(0, n - 1))))
    assert rows_of({"rows": write_rows(rows, n)}, "rows", n).tolist() == rows


@pytest.mark.parametrize("value", [None, 3, "", "????", "AAAA", [1, 2]])
def test_rows_that_cannot_be_read_are_refused(value):
    with pytest.raises(Refused, match="'rows' takes one bit for each of the 10"):
        rows_of({"rows": value}, "rows", 10)


def test_rows_beyond_the_samples_are_refused():
    with pytest.raises(Refused, match="'rows' names samples beyond the last of 10"):
        rows_of({"rows": write_rows([15], 16)}, "rows", 10)


@pytest.mark.parametrize("value", [None, "1", True, float("nan"), float("inf"), -1, 2, [1]])
def test_numbers_are_numbers(value):
    with pytest.raises(Refused, match="'x' takes a number from 0 to 1"):
        number_of({"x": value}, "x", 0, 1)


@pytest.mark.parametrize("value", [None, 3, "x" * 1001, ["a"]])
def test_texts_are_texts(value):
    with pytest.raises(Refused, match="'x' takes a text of at most 1000"):
        text_of({"x": value}, "x")


PART = {"name": "a", "strength": 1, "from": "column", "what": "a"}


@pytest.mark.parametrize(
    ("priors", "reason"),
    [
        (None, "a list of 1 to 20"),
        ([], "a list of 1 to 20"),
        ([PART] * 21, "a list of 1 to 20"),
        ([3], "parts from one of"),
        ([{**PART, "from": "file"}], "parts from one of"),
        ([PART, PART], "different names"),
        ([{**PART, "name": " "}], "different names"),
        *(([{**PART, "strength": strength}], "from 0.01 to 1") for strength in (0, 1.5, "1", None)),
    ],
)
def test_priors_that_are_refused(priors, reason):
    with pytest.raises(Refused, match=reason):
        priors_of({"priors": priors})


HOST = {"host": "127.0.0.1:8000"}
TOKEN = {"authorization": "Bearer secret"}


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        (HOST, True),
        ({"host": "localhost:8000"}, True),
        ({}, False),
        ({"host": "127.0.0.1"}, False),
        ({"host": "127.0.0.1:80"}, False),
        ({"host": "evil.test:8000"}, False),
        ({"host": "127.0.0.1:8000.evil.test"}, False),
        ({**HOST, "origin": "http://127.0.0.1:8000"}, True),
        ({**HOST, "origin": "http://evil.test"}, False),
        ({**HOST, "origin": "null"}, False),
        ({**HOST, "origin": "https://127.0.0.1:8000"}, False),
        # Host and origin agree under DNS rebinding, but name another site.
        ({"host": "evil.test:8000", "origin": "http://evil.test:8000"}, False),
        ({**HOST, "sec-fetch-site": "cross-site"}, False),
        ({**HOST, "sec-fetch-site": "same-origin"}, True),
    ],
)
def test_hosts_and_origins(headers, passes):
    assert (Guard(8000, "secret").refusal(headers) == "") == passes


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        (TOKEN, True),
        ({}, False),
        ({"authorization": "Bearer "}, False),
        ({"authorization": "secret"}, False),
        ({"authorization": "Bearer secretx"}, False),
        ({"authorization": "Bearer sécret"}, False),
    ],
)
def test_tokens(headers, passes):
    assert Guard(8000, "secret").may_read(headers) == passes


ORIGIN = {"origin": "http://127.0.0.1:8000"}


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({**ORIGIN, "sec-websocket-protocol": "unprior.v1, token.secret"}, True),
        ({"sec-websocket-protocol": "unprior.v1, token.secret"}, False),
        ({**ORIGIN, "sec-websocket-protocol": "token.secret"}, False),
        ({**ORIGIN, "sec-websocket-protocol": "unprior.v1"}, False),
        ({**ORIGIN, "sec-websocket-protocol": "unprior.v1, token.wrong"}, False),
        ({**ORIGIN, "sec-websocket-protocol": "unprior.v1, token.x, token.secret"}, False),
    ],
)
def test_sockets(headers, passes):
    assert Guard(8000, "secret").may_connect(headers) == passes


def test_no_frame_comes_after_the_map_it_led_to():
    sent = []
    outbox = Outbox(sent.append)
    for place in range(3):
        outbox.put(({"op": "frame"}, b"frame %d" % place))
    outbox.put(({"op": "map"}, b"map"))
    outbox.drawn()
    assert sent == [b"frame 0", b"map"]


def test_rows_of_many_samples_are_short():
    assert len(write_rows(np.arange(1_000_000), 1_000_000)) < 170_000
