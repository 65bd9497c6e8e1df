"""Show a session in a notebook, by anywidget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unprior._extras import import_extra
from unprior.explorer._html import read_static
from unprior.explorer._maps import Factored, Kept
from unprior.explorer._pages import Outbox
from unprior.explorer._protocol import Refused, read_message
from unprior.explorer._session import Session

anywidget: Any = import_extra("anywidget", "explore: showing maps in a notebook")

#: Maximum bytes of a message part; some notebooks refuse larger ones.
PIECE = 4 * 2**20


class ExplorerWidget(anywidget.AnyWidget):
    """The explorer in a notebook, as returned by `unprior.explore`.

    Attributes
    ----------
    maps : dict of str to ndarray
        The maps so far, by name.
    """

    _esm = read_static("explorer.js")
    _css = read_static("explorer.css")

    def __init__(
        self, session: Session, factored: Sequence[Factored] = (), keep: Sequence[Kept] = ()
    ) -> None:
        super().__init__()
        self._session = session
        self._outbox = Outbox(self._post)
        session.studio.listen(self._outbox.put)
        self.on_msg(self._hear)
        session.studio.begin(factored, keep)

    @property
    def maps(self) -> dict[str, Any]:
        """The maps so far, by name."""
        return {each.name: each.Y for each in self._session.studio.tree}

    def close(self) -> None:
        """Close the page and stop the drawing process."""
        self._session.close()
        super().close()

    def _hear(self, _: Any, content: Any, __: Any) -> None:
        import json

        try:
            message = read_message(json.dumps(content))
        except Refused:
            return
        if message["op"] == "ack":
            self._outbox.drawn()
        else:
            self._post(self._session.answer(message))

    def _post(self, data: bytes) -> None:
        """Send a container in pieces; also called from other threads."""
        pieces = [data[start : start + PIECE] for start in range(0, len(data), PIECE)]
        self.send({"op": "container"}, pieces)
