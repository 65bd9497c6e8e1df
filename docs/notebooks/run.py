"""Notebooks -> the same notebooks with new outputs; `make notebooks` runs it.

    python docs/notebooks/run.py [NAME ...]

Nothing is downloaded: the data come with packages of the extra `dev`, or are generated.
"""

import base64
import io
import sys
import time
from pathlib import Path

import nbclient
import nbformat
from PIL import Image

HERE = Path(__file__).parent

#: Dots per inch: pictures that are sharp enough for a page and small enough for the repository.
SMALL = "%config InlineBackend.rc = {'figure.dpi': 72}"


#: Colours of a picture that is kept: a third of the bytes, for steps in colour bars.
COLORS = 128


def run(path):
    """Return a notebook with the outputs of its cells, and nothing that differs between runs."""
    notebook = nbformat.read(path, as_version=4)
    first = nbformat.v4.new_code_cell(SMALL)
    notebook.cells.insert(0, first)
    place = {"metadata": {"path": HERE}}
    nbclient.NotebookClient(notebook, timeout=600, resources=place, coalesce_streams=True).execute()
    del notebook.cells[0]
    notebook.metadata["language_info"] = {"name": "python"}
    count = 0
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = [output for output in cell.outputs if not is_progress(output)]
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count
                if "image/png" in output.get("data", ()):
                    output.data = {"image/png": shrink(output.data["image/png"])}
    return notebook


def is_progress(output):
    """Whether this is a line of progress, with seconds that differ between runs."""
    return output.output_type == "display_data" and [*output.data] == ["text/plain"]


def shrink(png):
    """Return a picture in fewer bytes, as a notebook holds it."""
    with Image.open(io.BytesIO(base64.b64decode(png))) as image:
        few = image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    held = io.BytesIO()
    few.save(held, "PNG", optimize=True)
    return base64.b64encode(held.getvalue()).decode() + "\n"


def main(names):
    """Run the notebooks of these names, or all."""
    for path in sorted(HERE.glob("*.ipynb")):
        if not names or path.stem in names:
            start = time.perf_counter()
            nbformat.write(run(path), path)
            size = path.stat().st_size / 1000
            print(f"{path.stem}: {time.perf_counter() - start:.0f} s, {size:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
