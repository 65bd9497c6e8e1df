"""Draw new maps of the tree, one after another, and notify all pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unprior._typing import Floats
from unprior.explorer._bundle import pack_map
from unprior.explorer._container import pack, quantize
from unprior.explorer._data import ExplorerData
from unprior.explorer._draw import DrawnMap, DrawSettings, Request
from unprior.explorer._jobs import Jobs, LocalJobs
from unprior.explorer._maps import Factored, Kept, Map, Path, Tree
from unprior.explorer._pages import Pages
from unprior.explorer._priors import check_both, find_keep, find_priors, name_kept, name_map
from unprior.explorer._snippet import write_path_snippet, write_snippet
from unprior.plot._compare import rotate

PLAIN = "plain t-SNE"

#: Fractions of the full strength at which a path has maps, after the one of strength 0.
SHARES = (0.25, 0.5, 0.75, 1.0)

#: Suffix of the name of a map that continues a stopped one.
CONTINUED = ", continued"

BUSY = "A map is being drawn; stop it, or wait until it is done."


class Studio(Pages):
    """The tree of maps, the process that draws them, and the pages that listen.

    Parameters
    ----------
    data : ExplorerData
        The samples.
    settings : DrawSettings
        How maps are drawn.
    in_child : bool, default=True
        Whether maps are drawn in a child process, or synchronously in this one.
    tree : Tree, optional
        Maps of an earlier session; by default the existing maps of the data.
    """

    def __init__(
        self,
        data: ExplorerData,
        settings: DrawSettings,
        *,
        in_child: bool = True,
        tree: Tree | None = None,
    ) -> None:
        super().__init__()
        self.data, self.settings, self.tree = data, settings, Tree() if tree is None else tree
        self._queue: list[Callable[[], None]] = []
        self._finish: Callable[[Any], None] | None = None
        self._words = ""
        self._live: dict[str, Any] = {}
        kind = Jobs if in_child else LocalJobs
        self._jobs = None if data.X is None else kind(data.X, settings, self._hear)
        for name, Y in () if len(self.tree) else data.maps.items():
            new = Map(self.tree.new_key(), name, Y)
            self.tree.add(new)
            self.tree.update(new.key, snippet=write_snippet(new, self.tree, data, settings))

    @property
    def can_draw(self) -> bool:
        """Whether there are data to draw."""
        return self._jobs is not None

    @property
    def is_busy(self) -> bool:
        """Whether a map is being drawn, or waits to be."""
        return self._jobs is not None and (self._jobs.running is not None or bool(self._queue))

    def begin(self, factored: Sequence[Factored] = (), keep: Sequence[Kept] = ()) -> None:
        """Draw the first maps: the plain one if there is none, and one without the given priors."""
        if self._jobs is None:
            return
        self._jobs.start_process()
        # The maps before and after should be drawn by the same method.
        needs_plain = self._plain() is None and (factored or not len(self.tree))
        steps = [self._draw_plain] if needs_plain else []
        requested = self._check(factored, keep)
        if factored and all(each.requested != requested for each in self.tree):
            steps.append(lambda: self._draw_without(requested, self._plain() or self._root()))
        self._enqueue(steps)

    def draw_without(
        self, factored: Sequence[Factored], parent: Map, keep: Sequence[Kept] = ()
    ) -> None:
        """Start drawing a map without some priors, with some labels kept."""
        requested = self._check(factored, keep)
        self._enqueue([lambda: self._draw_without(requested, parent)])

    def go_on(self, stopped: Map) -> None:
        """Start a new optimisation from where a map was stopped."""
        self._enqueue([lambda: self._go_on(stopped)])

    def draw_path(self, of: Map) -> None:
        """Start drawing maps at growing strengths, after the plain one if there is none."""
        steps = [] if self._plain() is not None else [self._draw_plain]
        self._enqueue([*steps, lambda: self._draw_path(of)])

    def stop(self) -> None:
        """Stop drawing; the map so far is kept."""
        self._queue.clear()
        if self._jobs is not None:
            self._jobs.stop()

    def close(self) -> None:
        """Stop the drawing process."""
        self._queue.clear()
        if self._jobs is not None:
            self._jobs.close()

    def tell_job(self) -> None:
        """Tell pages whether a map is being drawn."""
        busy = self._jobs is not None and self._jobs.running is not None
        state = {"state": "drawing", "words": self._words} if busy else {"state": "none"}
        self.tell({"op": "job", **state})

    def _check(self, factored: Sequence[Factored], keep: Sequence[Kept]) -> dict[str, Any]:
        """Refuse invalid requests now rather than when drawing; return the map's fields."""
        check_both(factored, keep)
        find_keep(keep, self.data)
        find_priors(factored, self.data, self.tree)
        return {"factored": tuple(factored), "keep": tuple(keep)}

    def _request(self, factored: Sequence[Factored], keep: Sequence[Kept], **more: Any) -> Request:
        plain = self._plain()
        return Request(
            find_priors(factored, self.data, self.tree),
            {part.name: part.strength for part in factored},
            None if plain is None else plain.Y,
            keep=find_keep(keep, self.data),
            **more,
        )

    def _enqueue(self, steps: Sequence[Callable[[], None]]) -> None:
        with self.lock:
            if self.is_busy:
                raise ValueError(BUSY)
            self._queue.extend(steps)
            self._next()

    def _next(self) -> None:
        if self._queue:
            self._queue.pop(0)()
        else:
            self.tell_job()

    def _plain(self) -> Map | None:
        """Return the plain map, if one was drawn here to the end."""
        return next((each for each in self.tree if each.is_plain), None)

    def _root(self) -> Map:
        return next(iter(self.tree))

    def _draw_plain(self) -> None:
        def finish(drawn: DrawnMap) -> None:
            self._add(Map(self.tree.new_key(), PLAIN, drawn.Y, **_facts(drawn)))

        self._start(Request(), finish, f"Drawing {PLAIN}", None)

    def _draw_without(self, requested: dict[str, Any], parent: Map) -> None:
        others = {each.key: each.Y for each in (self._root(), parent)}
        name, within = name_map(**requested), name_kept(requested["keep"])
        request = self._request(**requested, start=parent.Y, others=others)

        def finish(drawn: DrawnMap) -> None:
            for key, left in drawn.others.items():
                self.tree.measured(key, left, within, drawn.others_within.get(key, {}))
            found = {key: self.tree[key].scores() for key in drawn.others}
            self.tell({"op": "left", "left": found})
            facts = requested | _facts(drawn, within)
            self._add(
                Map(self.tree.new_key(), name, drawn.Y, parent.key, **facts), before=parent.key
            )

        self._start(request, finish, f"Drawing the map {name}", parent)

    def _go_on(self, stopped: Map) -> None:
        name = stopped.name.removesuffix(CONTINUED) + CONTINUED
        requested = stopped.requested
        request = self._request(**requested, start=stopped.Y, init=stopped.Y)

        def finish(drawn: DrawnMap) -> None:
            facts = requested | _facts(drawn, name_kept(stopped.keep))
            new = Map(self.tree.new_key(), name, drawn.Y, stopped.key, **facts)
            self._add(new, before=stopped.key)

        self._start(request, finish, f"Drawing {name}", stopped)

    def _draw_path(self, of: Map) -> None:
        root = self._plain()
        if root is None:  # stopped early
            self._next()
            return
        requested = of.requested
        request = self._request(**requested)

        def finish(found: list[DrawnMap]) -> None:
            if not found:
                self.tell({"op": "failed", "text": "Stopped before there was a second map."})
                return
            keys = [self.tree.new_key() for _ in found]
            path = Path(of.key, (root.key, *keys), (0.0, *SHARES[: len(found)]))
            self.tree.paths[of.key] = path
            for place, (key, drawn) in enumerate(zip(keys, found, strict=True), start=1):
                share = path.strengths[place]
                last = place == len(keys)
                name = f"{of.name}, by strengths" if last else f"{of.name}, strength {share:g}"
                snippet = write_path_snippet(of, path, place, self.tree, self.data, self.settings)
                facts = requested | _facts(drawn, name_kept(of.keep))
                new = Map(key, name, drawn.Y, of.key, **facts)
                self._add(new, snippet=snippet, before=root.key, show=last)

        self._start(request, finish, "Drawing maps at several strengths", root, [*SHARES])

    def _start(
        self,
        request: Request,
        finish: Callable[[Any], None],
        words: str,
        target: Map | None,
        shares: list[float] | None = None,
    ) -> None:
        assert self._jobs is not None
        self._finish, self._words = finish, words
        self._live = {"target": None if target is None else target.Y}
        self._jobs.draw(request, shares)
        self.tell_job()

    def _add(
        self, new: Map, *, snippet: str | None = None, before: str | None = None, show: bool = True
    ) -> None:
        self.tree.add(new)
        text = snippet or write_snippet(new, self.tree, self.data, self.settings)
        new = self.tree.update(new.key, snippet=text)
        self.tell({"op": "map"}, pack_map(new, self.tree, before=before, show=show))

    def _hear(self, what: str, job: int, *content: Any) -> None:
        """Handle a report of the drawing process."""
        if what == "frame":
            self._frame(job, *content)
            return
        with self.lock:
            finish, self._finish, self._live = self._finish, None, {}
            if what == "done" and finish is not None:
                finish(content[0])
            elif what == "failed":
                self._queue.clear()
                self.tell({"op": "failed", "text": content[0]})
            self._next()

    def _frame(self, job: int, place: int, iteration: int, value: float, Y: Floats) -> None:
        live = self._live
        if live:
            quantized = quantize(Y if live["target"] is None else rotate(Y, live["target"]))
            words = f"{self._words} ({place + 1} of {len(SHARES)})" if place else self._words
            header = {
                "op": "frame",
                "job": job,
                "iteration": iteration,
                "value": value,
                "words": words,
                "square": [*quantized.square],
            }
            self.tell(header, pack(header, [quantized.points.tobytes()]))
        if self._jobs is not None:
            self._jobs.taken()


def _facts(drawn: DrawnMap, within: str = "") -> dict[str, Any]:
    """Return a drawn map's scores and state; ``within`` names its kept labels."""
    return {
        "left": drawn.left,
        "within": {within: drawn.within} if within else {},
        "kept": drawn.kept,
        "state": "stopped" if drawn.stopped else "done",
        "note": drawn.note,
    }
