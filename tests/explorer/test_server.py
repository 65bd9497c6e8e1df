"""The server answers its own page and no one else."""

import http.client
import json
import socket
import threading

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from unprior.explorer import _server
from unprior.explorer._container import unpack
from unprior.explorer._server import Server


@pytest.fixture
def server(open_page, shown):
    made = Server(open_page(shown).session)
    made.session.studio.begin()
    yield made
    made.close()


def get(server, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET", path, headers={"Host": f"127.0.0.1:{server.port}", **named})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def join(server, **options):
    options.setdefault("origin", f"http://127.0.0.1:{server.port}")
    options.setdefault("subprotocols", ["unprior.v1", f"token.{server.guard.token}"])
    return connect(f"ws://127.0.0.1:{server.port}/socket", open_timeout=30, **options)


def test_it_listens_on_this_machine_only(server):
    assert server._socket.getsockname()[0] == "127.0.0.1"


def test_a_server_that_is_late_keeps_its_socket(server, monkeypatch):
    """It closes the socket itself, and fails if that is gone."""
    done = threading.Event()
    late = threading.Thread(target=done.wait)
    late.start()
    with monkeypatch.context() as patch:
        patch.setattr(server, "_thread", late)
        patch.setattr(late, "join", lambda timeout: None)
        server.close()
        assert server._socket.fileno() != -1
    done.set()
    late.join()


def test_the_page_holds_no_data_and_its_policy_is_strict(server):
    answer, body = get(server)
    assert answer.status == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert server.guard.token.encode() not in body
    for path in ("/explorer.js", "/explorer.css"):
        assert get(server, path)[0].status == 200


def test_the_data_need_the_token(server):
    assert get(server, "/bundle")[0].status == 401
    assert get(server, "/bundle", Authorization="Bearer wrong")[0].status == 401
    answer, body = get(server, "/bundle", Authorization=f"Bearer {server.guard.token}")
    assert answer.status == 200
    assert unpack(body)[0]["n"] == 150


@pytest.mark.parametrize("path", ["/", "/bundle", "/explorer.js"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.test"},
        {"Host": "evil.test:{port}"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.test"},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)
def test_others_are_refused_even_with_the_token(server, path, headers):
    named = {name: value.format(port=server.port) for name, value in headers.items()}
    answer, _ = get(server, path, Authorization=f"Bearer {server.guard.token}", **named)
    assert answer.status == 403


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/static/explorer.js", "/etc/passwd", "//"])
def test_no_other_path_is_served(server, path):
    answer, _ = get(server, path, Authorization=f"Bearer {server.guard.token}")
    assert answer.status in (403, 404)


@pytest.mark.parametrize(
    "options",
    [
        {"origin": "http://evil.test"},
        {"origin": None},
        {"subprotocols": ["unprior.v1"]},
        {"subprotocols": ["unprior.v1", "token.wrong"]},
        {"additional_headers": {"Host": "evil.test"}},
    ],
)
def test_sockets_of_others_are_refused(server, options):
    with pytest.raises(InvalidStatus) as caught, join(server, **options):
        pass
    assert caught.value.response.status_code in (400, 403)


def test_a_page_talks(server):
    with join(server) as page:
        page.send(json.dumps({"v": 1, "id": 3, "op": "hello"}))
        ops = {unpack(page.recv(timeout=30))[0]["op"] for _ in range(2)}
    assert ops == {"job", "answer"}


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"v": 9, "id": 1, "op": "hello"})])
def test_nonsense_ends_the_talk(server, text):
    with join(server) as page:
        page.send(text)
        with pytest.raises(ConnectionClosed):
            page.recv(timeout=30)


def flood(page, text, times):
    for _ in range(times):
        page.send(text)
    page.recv(timeout=30)


def test_a_message_has_a_length(server):
    with join(server) as page, pytest.raises(ConnectionClosed):
        flood(page, " " * (9 * 2**20), 1)


def test_too_many_messages_end_the_talk(server, monkeypatch):
    monkeypatch.setattr(_server, "RATE", 0.0)
    text = json.dumps({"v": 1, "id": 1, "op": "ack"})
    with join(server) as page, pytest.raises(ConnectionClosed):
        flood(page, text, _server.BURST + 5)


def test_a_port_in_use_is_told(open_page, shown):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            Server(open_page(shown).session, taken.getsockname()[1])
