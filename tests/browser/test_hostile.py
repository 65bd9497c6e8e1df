"""Nothing in the data can act on the page, and no other site can reach the server."""

import numpy as np
import pytest

from unprior.explorer._data import from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._html import write_html
from unprior.explorer._maps import Factored
from unprior.explorer._session import Session

EVIL = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "\"'><svg onload=alert(1)>",
    "javascript:alert(1)",
    "=cmd|' /C calc'!A0",
    "${alert(1)}{{alert(1)}}",
    "url(http://evil.test/x); background: red",
    "\u202e\u2028\x00<!--",
]


@pytest.fixture
def hostile(rng):
    n = 64
    values = np.array(EVIL)[np.arange(n) % len(EVIL)]
    columns = {EVIL[0]: values, EVIL[1]: rng.permutation(values), EVIL[2]: rng.normal(size=n)}
    Y = rng.normal(size=(n, 2))
    ids = [f"{EVIL[0]}{k}" for k in range(n)]
    names = [*EVIL[3:6]]
    return from_arrays(
        rng.normal(size=(n, 3)),
        columns=columns,
        ids=ids,
        maps={EVIL[0]: Y, EVIL[1]: Y + 1},
        feature_names=names,
        title=EVIL[1],
    )


def look_at_everything(view):
    for name in view.page.locator("select[aria-label='Colour by'] option").all_inner_texts()[1:]:
        view.page.select_option("select[aria-label='Colour by']", label=name)
    box = view.page.locator(".pane.left .overlay").bounding_box()
    for x in range(20, 420, 40):
        view.page.mouse.move(box["x"] + x, box["y"] + box["height"] / 2)
    view.lasso([(5, 5), (450, 5), (450, 600), (5, 600)])
    for summary in view.page.locator("summary").all():
        summary.click()
    assert view.page.locator(".unprior img, .unprior script, .unprior [onload]").count() == 0
    assert EVIL[0] in view.page.inner_text(".tip, .holds, .tree")


def test_a_file_of_markup(view, hostile, tmp_path):
    session = Session(hostile, DrawSettings(), in_child=False)
    path = tmp_path / "x.html"
    write_html(path, session.page(can_draw=False), hostile.title)
    view.open(path.as_uri())
    look_at_everything(view)
    text = view.download("button[name=csv]").decode()
    assert "'=cmd" in text  # no formula
    assert b"<script" not in view.download("text=SVG left")
    assert [r for r in view.requests if not r.startswith(("file:", "data:", "blob:"))] == []


def test_a_server_of_markup(view, serve, hostile):
    server = serve(hostile, n_iter=40)
    view.open(server.url)
    look_at_everything(view)
    view.page.keyboard.press("Escape")
    view.page.select_option("select[aria-label='Colour by']", label=EVIL[0])
    view.page.click(".legend li button")
    view.page.click("button[name=distinct]")
    view.page.locator("table[name=distinct] tbody tr").first.wait_for()
    view.page.click("button[name=factor-selection]")
    view.page.click("button[name=draw]")
    view.until(lambda: view.state("right") == "m3")
    home = f"http://127.0.0.1:{server.port}/"
    outside = [r for r in view.requests if not r.startswith((home, "data:", "blob:"))]
    assert outside == []


def test_another_name_for_this_machine_is_refused(chromium, serve, penguins):
    """DNS rebinding: the browser resolves evil.test to this machine."""
    server = serve(penguins, n_iter=20)
    page = chromium.new_page()
    answer = page.goto(f"http://evil.test:{server.port}/#token={server.guard.token}")
    assert answer.status == 403
    page.close()


def test_a_page_of_another_origin_gets_nothing(chromium, serve, penguins, tmp_path):
    mine, other = serve(penguins, n_iter=20), serve(penguins, n_iter=20)
    page = chromium.new_page()
    page.goto(f"http://127.0.0.1:{other.port}/explorer.css")  # a page of another origin
    tried = page.evaluate(
        """async ([port, token]) => {
          const got = [];
          for (const mode of ['cors', 'no-cors']) {
            try {
              const r = await fetch(`http://127.0.0.1:${port}/bundle`,
                {mode, headers: mode === 'cors' ? {Authorization: `Bearer ${token}`} : {}});
              got.push(r.status);
            } catch { got.push('refused'); }
          }
          got.push(await new Promise(done => {
            const url = `ws://127.0.0.1:${port}/socket`;
            const s = new WebSocket(url, ['unprior.v1', `token.${token}`]);
            s.onopen = () => done('open');
            s.onerror = () => done('refused');
          }));
          return got;
        }""",
        [mine.port, mine.guard.token],
    )
    assert tried == ["refused", "refused", "refused"]
    page.close()


def test_without_the_token_there_is_a_sentence(view, serve, penguins):
    server = serve(penguins, n_iter=20)
    view.page.goto(f"http://127.0.0.1:{server.port}/")
    view.page.get_by_role("alert").wait_for()
    assert "no valid token" in view.page.inner_text("[role=alert]")
    view.wrong = [text for text in view.wrong if "401" not in text and "WebSocket" not in text]


def test_priors_named_by_markup(serve, view, hostile):
    known = Factored(EVIL[1], 1.0, "column", EVIL[1])
    view.open(serve(hostile, [known], n_iter=40).url)
    view.until(lambda: view.app("app.model.maps.size") == 4 and view.state("job") == "none")
    assert EVIL[1] in view.page.inner_text(".pane.right .caption")
