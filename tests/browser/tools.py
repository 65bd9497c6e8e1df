"""A page of the explorer as tests see it."""

import io
import time

import matplotlib.image as mpimg
import numpy as np

#: Seconds; the machine may be busy.
WAIT = 60

ROOT = "document.querySelector('[data-ready]')"


class View:
    """A page, its errors, and its requests to other hosts."""

    def __init__(self, page):
        self.page, self.wrong, self.requests = page, [], []
        page.set_default_timeout(WAIT * 1000)
        page.on("console", lambda told: self._hear(told.type, told.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("dialog", lambda dialog: (self.wrong.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))

    def _hear(self, kind, text):
        # Software rendering warns that reading pixels is slow.
        if kind in ("error", "warning") and "GPU stall" not in text:
            self.wrong.append(text)

    def open(self, address):
        self.page.goto(address)
        self.until(lambda: self.state("ready") == "1")
        return self

    def state(self, name):
        return self.page.evaluate(f"{ROOT}?.dataset.{name} ?? null")

    def app(self, code):
        """Run code on the page's object."""
        return self.page.evaluate(f"(app => {code})({ROOT}.explorer)")

    def until(self, holds):
        # Playwright's own waits need eval, which the page's policy forbids.
        end = time.monotonic() + WAIT
        while not holds():
            assert time.monotonic() < end, (self.wrong, self.page.inner_text("body")[-800:])
            self.page.wait_for_timeout(50)

    def lasso(self, corners, side="left"):
        """Draw around pixels of a pane, with the mouse."""
        box = self.page.locator(f".pane.{side} .overlay").bounding_box()
        mouse = self.page.mouse
        (x, y), *rest = [(box["x"] + x, box["y"] + y) for x, y in corners]
        mouse.move(x, y)
        mouse.down()
        for x, y in rest:
            mouse.move(x, y)
        mouse.up()

    def polygon(self, side, corners):
        """Return the last lasso as the page saw it, after a check that it is the one drawn."""
        seen = self.app(f"app.panes.{side}.polygon")
        drawn = np.array(self.app(f"app.panes.{side}.polygon.map(c => app.panes.{side}.toPixels(...c))"))  # fmt: skip  # noqa: E501
        apart = np.abs(drawn[:, None] - np.array(corners)).max(axis=2)
        assert apart.min(axis=0).max() <= 1  # the browser rounds to pixels
        return seen

    def selected(self):
        return self.app("[...app.selection.rows]")

    def pixels(self, side):
        """Return red, green and blue of a pane, as displayed."""
        box = self.page.locator(f".pane.{side} .stage").bounding_box()
        return mpimg.imread(io.BytesIO(self.page.screenshot(clip=box)))[..., :3]

    def download(self, name):
        """Press a button and return what it saves."""
        with self.page.expect_download() as caught:
            self.page.click(name)
        return caught.value.path().read_bytes()

    def shoot(self, name, folder):
        self.page.mouse.move(5, 5)
        self.page.wait_for_timeout(900)  # motion from map to map has ended
        self.page.screenshot(path=folder / f"{name}.png")


def inside(points, corners):
    """Rows of points within a polygon, by the even-odd rule: the reference for the page's lasso."""
    found = []
    for row, (x, y) in enumerate(points.tolist()):
        odd = False
        for (xa, ya), (xb, yb) in zip(corners, [*corners[1:], corners[0]], strict=True):
            if (ya > y) != (yb > y) and x < (xb - xa) * (y - ya) / (yb - ya) + xa:
                odd = not odd
        if odd:
            found.append(row)
    return np.array(found, dtype=int)
