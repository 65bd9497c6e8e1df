"""In a real kernel, results are shown as HTML or pictures, and progress and stops as text."""

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = {
    "data": "import unprior as up\n"
    "data = up.datasets.make_two_factor(80, random_state=0)\n"
    "known = {'known': data.known}",
    "estimator": "up.JEDI(n_iter=60, random_state=0)",
    "bar": "Y = up.JEDI(n_iter=60, verbose=1, random_state=0).fit_transform(data.X, prior=known)",
    "report": "up.scores.report(Y, prior=known)",
    "comparison": "up.scores.compare({'JEDI': Y, 'data': data.X}, prior=known)",
    "path": "up.tune(up.Residual(), data.X, prior=known, strengths=[0, 1])",
    "drawn": "up.embed(data.X, prior=known, random_state=0, return_report=True)[1]",
    "figure": "ax = up.plot.embedding(Y, color=data.known)",
    "last": "up.plot.embedding(Y, color=data.known);",
    # As the stop button does it.
    "stop": "import os, signal\n"
    "stop = lambda step, *_: step == 20 and os.kill(os.getpid(), signal.SIGINT)\n"
    "up.JEDI(n_iter=60, callbacks=[stop]).fit(data.X, prior=known).n_iter_ < 60",
}


@pytest.fixture(scope="module")
def outputs():
    """What each cell leaves below it."""
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=600).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def said(outputs):
    return "".join(output.text for output in outputs if output.output_type == "stream")


def shown(outputs):
    (result,) = [output for output in outputs if output.output_type == "execute_result"]
    return result.data


@pytest.mark.parametrize("name", ["report", "comparison", "path"])
def test_scores_are_tables(outputs, name):
    html = shown(outputs[name])["text/html"]
    assert html.startswith("<table>")
    assert "known left" in html


def test_a_report_on_a_map_is_told_in_words(outputs):
    assert shown(outputs["drawn"])["text/html"].startswith("<p>auto: t-SNE of the data and")


def test_estimators_show_their_options(outputs):
    assert "n_iter" in shown(outputs["estimator"])["text/html"]


@pytest.mark.parametrize("name", ["figure", "last"])
def test_a_figure_appears_below_its_cell(outputs, name):
    (output,) = outputs[name]
    assert "image/png" in output.data


def test_a_bar_is_one_line_however_often_it_was_drawn(outputs):
    (line,) = outputs["bar"]
    assert line.output_type == "display_data"
    assert "60 of 60" in line.data["text/plain"]


def test_a_stop_keeps_the_map_so_far(outputs):
    assert "stopped from the keyboard after" in said(outputs["stop"])
    assert shown(outputs["stop"])["text/plain"] == "True"


def test_nothing_else_is_said(outputs):
    assert {name for name in outputs if said(outputs[name])} <= {"bar", "stop"}
