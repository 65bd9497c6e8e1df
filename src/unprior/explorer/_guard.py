"""Accept only requests that come from the page this server opened.

Other web sites can send requests to a server on this machine, even under a host name of their own
that resolves to it (DNS rebinding). So a request must name this host and port, must not come from
another origin, and must carry the token that only the opened address contains.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

#: The page may load only itself and connect only to this server.
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
    """Checks requests by their headers.

    Examples
    --------
    >>> guard = Guard(8000, "secret")
    >>> guard.refusal({"host": "evil.test:8000"}), guard.refusal({"host": "localhost:8000"})
    ('Wrong host.', '')
    """

    port: int
    token: str

    def refusal(self, headers: Mapping[str, str]) -> str:
        """Return why a request is refused; "" if its host and origin are this server."""
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
        """Whether a token is right, compared in constant time."""
        return secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def may_read(self, headers: Mapping[str, str]) -> bool:
        """Whether a request carries the token."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return scheme == "Bearer" and self.knows(token)

    def may_connect(self, headers: Mapping[str, str]) -> bool:
        """Whether a WebSocket request has an origin, and the token among its protocols."""
        offered = [part.strip() for part in headers.get("sec-websocket-protocol", "").split(",")]
        tokens = [part.removeprefix(PREFIX) for part in offered if part.startswith(PREFIX)]
        is_known = len(tokens) == 1 and self.knows(tokens[0])
        return is_known and PROTOCOL in offered and headers.get("origin") is not None
