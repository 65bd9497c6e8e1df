"""Requests of a page -> answers; the same for server and notebook."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from unprior.explorer._bundle import pack_column, pack_page
from unprior.explorer._container import pack
from unprior.explorer._data import ExplorerData
from unprior.explorer._distinct import MOST_LINES, NOTE, distinguish
from unprior.explorer._draw import DrawSettings
from unprior.explorer._known import tell_together
from unprior.explorer._maps import Factored, Kept, Map
from unprior.explorer._protocol import Refused, keep_of, priors_of, rows_of, text_of
from unprior.explorer._save import save_session
from unprior.explorer._studio import Studio


class Session:
    """What stands behind a page: samples, the studio that draws, and selections that were saved.

    Parameters
    ----------
    data : ExplorerData
        What is shown.
    setting : DrawSettings
        How maps are drawn.
    out : Path, optional
        Where "save" writes to. No other path is ever written, and none comes from a page.
    in_child : bool, default=True
        Whether maps are drawn in a process of their own.
    """

    def __init__(
        self,
        data: ExplorerData,
        setting: DrawSettings,
        *,
        out: Path | None = None,
        in_child: bool = True,
    ) -> None:
        self.data, self.out = data, out
        self.studio = Studio(data, setting, in_child=in_child)
        self.selections: dict[str, Any] = {}

    def page(self, *, can_draw: bool | None = None, **state: Any) -> bytes:
        """Return what a page starts from; ``state`` is added to its header."""
        can_draw = self.studio.can_draw if can_draw is None else can_draw
        with self.studio.lock:
            tree = self.studio.tree
            shown = [each.key for each in tree if each.key not in tree.on_paths()]
            state |= {
                "can_save": self.out is not None,
                "color": next(iter(self.data.columns), None),
                "keep": [{"name": name, "from": "column", "what": name} for name in self.data.keep],
            }
            if shown:
                state |= {"left": shown[0], "right": shown[-1]}
            return pack_page(self.data, tree, can_draw=can_draw, state=state)

    def close(self) -> None:
        """End the process that draws."""
        self.studio.close()

    def answer(self, message: dict[str, Any]) -> bytes:
        """Do what a page asks, and return the answer."""
        asked = int(message["id"])
        try:
            operation = _OPERATIONS.get(message["op"])
            if operation is None:
                refusal = f"There is no operation {message['op']!r}."
                raise Refused(refusal)
            answer = operation(self, message)
        except (ValueError, TypeError, OSError, ImportError) as error:
            return pack({"op": "answer", "id": asked, "error": " ".join(str(error).split())})
        if isinstance(answer, bytes):
            return answer
        return pack({"op": "answer", "id": asked, **(answer or {})})

    def _page(self, message: dict[str, Any]) -> bytes:
        return self.page(op="answer", id=int(message["id"]))

    def _hello(self, _: dict[str, Any]) -> None:
        self.studio.tell_job()

    def _column(self, message: dict[str, Any]) -> bytes:
        return pack_column(self.data.column(text_of(message, "name")), int(message["id"]))

    def _distinct(self, message: dict[str, Any]) -> dict[str, Any]:
        rows = rows_of(message, "rows", self.data.n_samples)
        found, compared = distinguish(self.data, rows)
        n = self.data.n_samples
        some = f", by {compared} of {n} samples" if compared < n else ""
        caption = f"{len(rows)} samples against {n - len(rows)} others, {len(found)} columns{some}"
        told = [asdict(difference) for difference in found[:MOST_LINES]]
        return {"found": told, "caption": caption, "note": NOTE}

    def _start(self, message: dict[str, Any]) -> None:
        self._refuse_without_data()
        parent = self._map_of(message, "parent")
        factored, keep = self._asked(message)
        self.studio.draw_without(factored, parent, keep)

    def _together(self, message: dict[str, Any]) -> dict[str, Any]:
        factored, keep = self._asked(message)
        return {"found": tell_together(factored, keep, self.data, self.studio.tree)}

    def _path(self, message: dict[str, Any]) -> None:
        self._refuse_without_data()
        of = self._map_of(message, "key")
        if not of.factored:
            refusal = "Put a map on the right from which something is factored out."
            raise Refused(refusal)
        self.studio.draw_path(of)

    def _continue(self, message: dict[str, Any]) -> None:
        self._refuse_without_data()
        stopped = self._map_of(message, "key")
        if stopped.state != "stopped":
            refusal = "That map was drawn to its end."
            raise Refused(refusal)
        self.studio.go_on(stopped)

    def _stop(self, _: dict[str, Any]) -> None:
        self.studio.stop()

    def _drop(self, message: dict[str, Any]) -> None:
        with self.studio.lock:
            gone = self.studio.tree.drop(self._map_of(message, "key").key)
            self.studio.tell({"op": "gone", "keys": gone})

    def _save(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.out is None:
            refusal = "There is no file to save to; start with --out FILE."
            raise Refused(refusal)
        rows = rows_of(message, "rows", self.data.n_samples)
        with self.studio.lock:
            if len(rows):
                chosen = np.zeros(self.data.n_samples, dtype=bool)
                chosen[rows] = True
                self.selections[f"selection_{len(self.selections) + 1}"] = chosen
            return {"text": save_session(self.out, self.data, [*self.studio.tree], self.selections)}

    def _refuse_without_data(self) -> None:
        if not self.studio.can_draw:
            refusal = "There are no data to draw, only maps to look at."
            raise Refused(refusal)

    def _map_of(self, message: dict[str, Any], name: str) -> Map:
        key = text_of(message, name)
        if key not in self.studio.tree:
            refusal = "That map is gone."
            raise Refused(refusal)
        return self.studio.tree[key]

    def _asked(self, message: dict[str, Any]) -> tuple[list[Factored], list[Kept]]:
        """Return what is to be factored out, and what is to be kept."""
        factored = [
            Factored(part["name"], part["strength"], part["from"], self._what(part))
            for part in priors_of(message)
        ]
        keep = [Kept(part["name"], part["from"], self._what(part)) for part in keep_of(message)]
        return factored, keep

    def _what(self, part: dict[str, Any]) -> Any:
        if part["from"] == "selection":
            return tuple(rows_of(part, "what", self.data.n_samples).tolist())
        if part["from"] == "map":
            return self._map_of(part, "what").key
        what = text_of(part, "what")
        if part["from"] == "known" and what not in self.data.priors:
            refusal = f"There is no prior {what!r}."
            raise Refused(refusal)
        return what


_OPERATIONS: dict[str, Callable[[Session, dict[str, Any]], Any]] = {
    "page": Session._page,
    "hello": Session._hello,
    "column": Session._column,
    "distinct": Session._distinct,
    "together": Session._together,
    "job.start": Session._start,
    "job.stop": Session._stop,
    "job.continue": Session._continue,
    "path.start": Session._path,
    "map.drop": Session._drop,
    "save": Session._save,
}
