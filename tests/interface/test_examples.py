"""Every script in examples/ runs without a warning and writes its pictures."""

import runpy
from pathlib import Path

import pytest
from PIL import Image

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_leaves_its_picture(path, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("UNPRIOR_IMAGES", str(tmp_path))
    runpy.run_path(str(path))
    pictures = sorted(tmp_path.iterdir())
    assert f"{path.stem}.png" in {picture.name for picture in pictures}
    for picture in pictures:
        with Image.open(picture) as image:
            assert min(image.size) > 200
            assert image.getcolors(maxcolors=16) is None  # more colours than an empty panel has
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_comes_in_cells(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert sum(line.startswith("# %% ") for line in lines) >= 3
