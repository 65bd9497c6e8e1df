"""Numbers of samples -> how long the explorer takes to open, select, move and draw, in Chromium.

Needs Playwright and Chromium: ``make test-browser`` brings them. Software rendering, as in tests::

    python benchmarks/speed explorer 100000 1000000
"""

import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from browser.conftest import FLAGS
from browser.tools import View
from unprior.explorer._data import from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._server import Server
from unprior.explorer._session import Session

#: Wait until what was drawn is there: a pixel is read.
READ = """const gl = pane.points.gl;
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));"""

RESTS = "(p => p.frames > 1 && !p.settling && !p.queued)(app.panes.right)"

BOTH = f"Object.values(app.panes).forEach(pane => {{ {READ} }})"

LASSO = """(() => {
  const around = k => [0.5 + 0.3 * Math.cos(k / 9.55), 0.5 + 0.3 * Math.sin(k / 9.55)];
  const corners = Array.from({length: 60}, (_, k) => around(k)), times = [];
  for (const chose of [() => {}, App.chose]) {
    app.chose = chose;
    const start = performance.now();
    app.panes.left.choose(corners, 'replace');
    times.push(performance.now() - start);
  }
  return times;
})()""".replace("App.chose", "Object.getPrototypeOf(app).chose")

PAN = """(async () => {
  const pane = app.panes.left, before = pane.frames, start = performance.now();
  while (performance.now() - start < 3000) {
    pane.pan(3, 1);
    await new Promise(requestAnimationFrame);
  }
  return (performance.now() - start) / (pane.frames - before);
})()"""

#: From one map to the other: half a second, in as many pictures as go into it.
MORPH = """(async () => {
  const pane = app.panes.left, target = app.model.maps.get(app.shown.right).points;
  const before = pane.frames, start = performance.now();
  app.setMap('left', app.shown.right);
  while (pane.picture.from !== target) await new Promise(requestAnimationFrame);
  return (performance.now() - start) / Math.max(1, pane.frames - before);
})()"""

WHOLE = f"""(() => {{
  const pane = app.panes.left, start = performance.now();
  pane.draw();
  {READ}
  return performance.now() - start;
}})()"""


def generate(n_samples: int) -> Session:
    """Twenty groups on two maps."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 20, n_samples)
    Y = 6 * rng.normal(size=(20, 2))[group] + rng.normal(size=(n_samples, 2))
    maps = {"one": Y, "two": Y[:, ::-1]}
    columns = {"group": group.astype(str), "amount": rng.normal(size=n_samples)}
    return Session(from_arrays(columns=columns, maps=maps, title="many"), DrawSettings())


def main() -> None:
    """Print a line for each number of samples."""
    path = os.environ.get("UNPRIOR_CHROMIUM") or shutil.which("chromium")
    print("| samples | whole picture s | search ms | lasso ms | pan ms | morph ms | one map ms |")
    print("|---|---|---|---|---|---|---|")
    for n_samples in map(int, sys.argv[1:]):
        server = Server(generate(n_samples))
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=path, args=FLAGS)
            view = View(browser.new_page(viewport={"width": 1280, "height": 800}))
            start = time.perf_counter()
            view.open(server.url)
            view.until(lambda view=view: view.app(RESTS))
            view.app(BOTH)
            opened = time.perf_counter() - start
            search, lasso = view.app(LASSO)
            view.page.keyboard.press("Escape")
            view.page.wait_for_timeout(3000)
            pan = view.app(PAN)
            view.page.wait_for_timeout(3000)
            morph = view.app(MORPH)
            view.page.wait_for_timeout(3000)
            whole = view.app(WHOLE)
            times = [search, lasso, pan, morph, whole]
            print(f"| {n_samples} | {opened:.2f} | " + " | ".join(f"{t:.0f}" for t in times) + " |")
            browser.close()
        server.close()


if __name__ == "__main__":
    main()
