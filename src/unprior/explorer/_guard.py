"""A request -> whether it comes from the page that this server opened.

A page of another site can send requests to a server on this machine, and under a name of its own
that it lets point here (DNS rebinding). So a request must name this host and port, must not come
from a page of another origin, and must carry the token that only the opened address holds.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

#: What the page may load: itself, and the socket it came from.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

NAMES = ("127.0.0.1", "localhost")

PROTOCOL, PREFIX = "unprior.v1", "token."


@dataclass(frozen=True)
class Guard:
    """Judges requests by their headers.

    Examples
    --------
    >>> guard = Guard(8000, "secret")
    >>> guard.refusal({"host": "evil.test:8000"}), guard.refusal({"host": "localhost:8000"})
    ('Wrong host.', '')
    """

    port: int
    token: str

    def refusal(self, headers: Mapping[str, str]) -> str:
        """Say why a request is refused; nothing if its host and origin are this server."""
        hosts = {f"{name}:{self.port}" for name in NAMES}
        if headers.get("host", "") not in hosts:
            return "Wrong host."
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            return "Wrong origin."
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "Wrong site."
        return ""

    def knows(self, token: str) -> bool:
        """Whether a token is the right one, in a time that does not tell how much of it is."""
        return secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def may_read(self, headers: Mapping[str, str]) -> bool:
        """Whether a request carries the token."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return scheme == "Bearer" and self.knows(token)

    def may_connect(self, headers: Mapping[str, str]) -> bool:
        """Whether a socket's request has an origin, and carries the token beside its protocol."""
        offered = [part.strip() for part in headers.get("sec-websocket-protocol", "").split(",")]
        tokens = [part.removeprefix(PREFIX) for part in offered if part.startswith(PREFIX)]
        known = len(tokens) == 1 and self.knows(tokens[0])
        return known and PROTOCOL in offered and headers.get("origin") is not None
