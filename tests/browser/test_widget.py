"""The widget of notebooks: its page and its Python, with the browser between them."""

import base64
import json

from unprior.explorer._draw import DrawSettings
from unprior.explorer._html import read_static
from unprior.explorer._maps import Factored
from unprior.explorer._session import Session
from unprior.explorer._widget import ExplorerWidget

PAGE = """<!doctype html><style>{style}</style><div id="cell"></div>
<script type="module">
const heard = [];
const model = {{
  send: content => toPython(JSON.stringify(content)),
  on: (name, hear) => heard.push(hear),
  off: (name, hear) => heard.splice(heard.indexOf(hear), 1),
}};
window.fromPython = (content, texts) => {{
  const buffers = texts.map(text => new DataView(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer));
  for (const hear of [...heard]) hear(content, buffers);
}};
window.heard = heard;
const code = await (await fetch('/explorer.js')).text();
const {{default: widget}} = await import(URL.createObjectURL(new Blob([code], {{type: 'text/javascript'}})));
const cell = document.getElementById('cell');
window.drop = await widget.render({{model, el: cell}});
</script>"""  # noqa: E501


def test_a_cell_shows_maps_and_draws_another(view, penguins, monkeypatch, shots):
    sent = []
    monkeypatch.setattr(
        ExplorerWidget, "send", lambda self, content, buffers=(): sent.append((content, buffers))
    )
    session = Session(penguins, DrawSettings(n_iter=120))
    widget = ExplorerWidget(session, [Factored("species", 1.0, "column", "species")])
    page = view.page
    page.expose_function("toPython", lambda text: widget._handle_custom_msg(json.loads(text), []))
    text = PAGE.format(style=read_static("explorer.css"))
    page.route("http://notebook.test/", lambda route: route.fulfill(body=text, content_type="text/html"))  # fmt: skip  # noqa: E501
    page.route(
        "http://notebook.test/explorer.js",
        lambda route: route.fulfill(
            body=read_static("explorer.js"), content_type="text/javascript"
        ),
    )

    def deliver():
        while sent:
            content, buffers = sent.pop(0)
            texts = [base64.b64encode(buffer).decode() for buffer in buffers]
            page.evaluate("([content, texts]) => fromPython(content, texts)", [content, texts])

    def until(holds):
        view.until(lambda: (deliver(), holds())[1])

    page.goto("http://notebook.test/")
    until(lambda: view.state("ready") == "1")
    until(lambda: view.app("app.model.maps.size") == 2 and view.state("job") == "none")
    assert view.app("app.shown.left") == "m1"
    page.click(".legend li button")
    assert view.state("selected") == "146"
    page.click("button[name=factor-selection]")
    page.click("button[name=draw]")
    until(lambda: view.state("right") == "m3")
    assert [*widget.maps] == ["plain t-SNE", "without species", "without species, selection 1"]
    view.shoot("widget", shots)
    page.evaluate("drop()")
    assert page.evaluate("heard.length") == 0
    widget.close()
    assert session.studio._jobs._child is None
