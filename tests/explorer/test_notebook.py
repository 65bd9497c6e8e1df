"""A notebook in which the explorer is opened runs, and its cell shows the widget."""

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = """
import unprior as up
data = up.datasets.make_two_factor(120, random_state=0)
explorer = up.explore(data.X, prior={"known": data.known.astype(str)})
explorer
---
import time
for _ in range(1500):
    if len(explorer.maps) == 2:
        break
    time.sleep(0.1)
print(sorted(explorer.maps))
explorer.close()
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cell_shows_the_widget():
    cells = [nbformat.v4.new_code_cell(text.strip()) for text in CELLS.split("---")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=180, kernel_name="python3").execute()
    (shown,) = [out for out in notebook.cells[0].outputs if out.output_type != "stream"]
    assert "application/vnd.jupyter.widget-view+json" in shown.data
    assert notebook.cells[1].outputs[0].text.strip() == "['plain t-SNE', 'without known']"
