"""Serve a session on this machine, by HTTP and a WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from unprior._extras import import_extra
from unprior.explorer._guard import HEADERS, PROTOCOL, Guard
from unprior.explorer._html import read_static
from unprior.explorer._pages import Outbox
from unprior.explorer._protocol import MOST_BYTES, Refused, read_message
from unprior.explorer._session import Session

if TYPE_CHECKING:
    from starlette.applications import Starlette

#: Rate limit of a page's messages: per second, and in a burst.
RATE, BURST = 40.0, 120

#: WebSocket close code for refused messages.
POLICY_VIOLATION = 1008

INDEX = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/explorer.css">
<title>unprior explore</title>
</head>
<body>
<div id="unprior-explorer"></div>
<script type="module" src="/explorer.js"></script>
</body>
</html>
"""


class Server:
    """Serves a session on the loopback interface, in a background thread.

    Attributes
    ----------
    url : str
        The address to open, including the token.
    """

    def __init__(self, session: Session, port: int = 0) -> None:
        uvicorn = import_extra("uvicorn", "explore: serving a page")
        import_extra("websockets", "explore: serving a page")
        self.session = session
        self._socket = _bind(port)
        self.port = int(self._socket.getsockname()[1])
        self.guard = Guard(self.port, secrets.token_urlsafe(32))
        self.url = f"http://127.0.0.1:{self.port}/#token={self.guard.token}"
        config = uvicorn.Config(
            make_app(session, self.guard),
            log_level="error",
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_max_queue=16,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="unprior-explorer", daemon=True)
        self._thread.start()
        while not self._uvicorn.started and self._thread.is_alive():
            time.sleep(0.01)

    def _run(self) -> None:
        # Signals belong to the program that started this thread.
        self._uvicorn.install_signal_handlers = lambda: None
        asyncio.run(self._uvicorn.serve(sockets=[self._socket]))

    def wait(self) -> None:
        """Wait until the server is closed; Ctrl+C ends it."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Stop the server and the drawing process."""
        self._uvicorn.should_exit = True
        self._thread.join(5)
        self.session.close()
        # The server closes its socket itself, and fails if it is gone before: on a busy machine it
        # may be late.
        if not self._thread.is_alive():
            self._socket.close()


def make_app(session: Session, guard: Guard) -> Starlette:
    """Return the application: the page, its data, and the WebSocket."""
    import_extra("starlette", "explore: serving a page")
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket

    async def serve(request: Request) -> Response:
        refusal = guard.refusal(request.headers)
        if refusal:
            return Response(refusal, 403, HEADERS, "text/plain")
        path = request.url.path
        if path == "/bundle":
            if not guard.may_read(request.headers):
                return Response("No valid token.", 401, HEADERS, "text/plain")
            page = await asyncio.to_thread(session.page)
            return Response(page, 200, HEADERS, "application/octet-stream")
        kind = {"/explorer.js": "text/javascript", "/explorer.css": "text/css"}.get(path)
        if kind:
            return Response(read_static(path[1:]), 200, HEADERS, kind)
        return Response(INDEX, 200, HEADERS, "text/html")

    async def connect(websocket: WebSocket) -> None:
        if guard.refusal(websocket.headers) or not guard.may_connect(websocket.headers):
            await websocket.close(POLICY_VIOLATION)
            return
        await websocket.accept(PROTOCOL)
        await talk(websocket, session)

    paths = ("/", "/bundle", "/explorer.js", "/explorer.css")
    routes: list[Any] = [Route(path, serve, methods=["GET"]) for path in paths]
    return Starlette(routes=[*routes, WebSocketRoute("/socket", connect)])


async def talk(websocket: Any, session: Session) -> None:
    """Answer one page until it disconnects."""
    from starlette.websockets import WebSocketDisconnect

    loop = asyncio.get_running_loop()
    outgoing: asyncio.Queue[bytes] = asyncio.Queue()

    def post(data: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop ended while a map was drawn
            loop.call_soon_threadsafe(outgoing.put_nowait, data)

    async def send() -> None:
        while True:
            await websocket.send_bytes(await outgoing.get())

    outbox = Outbox(post)
    session.studio.listen(outbox.put)
    sender = asyncio.create_task(send())
    allowed, last = float(BURST), time.monotonic()
    try:
        while True:
            text = await websocket.receive_text()
            now = time.monotonic()
            allowed, last = min(BURST, allowed + RATE * (now - last)) - 1, now
            if allowed < 0:
                await websocket.close(POLICY_VIOLATION)
                return
            message = read_message(text)
            if message["op"] == "ack":
                outbox.drawn()
                continue
            post(await asyncio.to_thread(session.answer, message))
    except Refused:
        await websocket.close(POLICY_VIOLATION)
    except (WebSocketDisconnect, KeyError, RuntimeError):  # KeyError: bytes instead of text
        pass
    finally:
        session.studio.forget(outbox.put)
        sender.cancel()


def _bind(port: int) -> socket.socket:
    """Return a socket on the loopback interface, at a given port or any free one."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(("127.0.0.1", port))
    except OSError as error:
        bound.close()
        message = f"explore: the port {port} is in use or not allowed ({error.strerror})."
        raise OSError(message) from error
    return bound
