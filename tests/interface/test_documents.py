"""Code in the README and docs/ runs and prints what is shown, and links and names exist."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from unprior.cli import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: The page shows a case in which this warning is given, and says so.
COMPOSITION = "ignore:(IndependentTSNE|Confetti). the groups of .prior. seem to differ"
OLD_FILE = "ignore:(?s).*(older format|older version|adjacency matrices)"
KEPT = "ignore:embed. 'prior' and 'keep' go together strongly"

#: Pages with code; that of the last takes as long as scanpy's imports.
PAGES = [
    ROOT / "README.md",
    *(DOCS / f"{name}.md" for name in ("start", "explorer", "shell", "scores", "scale")),
    pytest.param(DOCS / "guide.md", marks=pytest.mark.filterwarnings(COMPOSITION)),
    pytest.param(
        DOCS / "trouble.md",
        marks=[pytest.mark.slow, pytest.mark.filterwarnings(OLD_FILE, KEPT, COMPOSITION)],
    ),
]

#: A fenced block of code or output; `% not run` on the line before leaves it out.
BLOCK = re.compile(r"^(% not run\n)?```(python|shell|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

#: Scores may differ between processors by as much.
TOLERANCE = 0.05


def text_of(path):
    return path.read_text(encoding="utf-8")


def run_python(code, namespace):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "page", "exec"), namespace)
    return said.getvalue()


def run_shell(code):
    said = ""
    for line in code.splitlines():
        program, *words = shlex.split(line)
        assert program == "unprior"
        result = CliRunner().invoke(main, words, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        said += result.output
    return said


def assert_alike(said, printed):
    """Words are the same, and numbers nearly."""
    words, wanted = said.split(), printed.split()
    assert len(words) == len(wanted)
    for word, want in zip(words, wanted, strict=True):
        try:
            assert float(word) == pytest.approx(float(want), abs=TOLERANCE, rel=TOLERANCE)
        except ValueError:
            assert word == want


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_runs_as_printed_from_top_to_bottom(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    namespace, said, end, ran = {}, "", None, 0
    for block in BLOCK.finditer(text_of(page)):
        not_run, kind, code = block.groups()
        if kind == "text":
            if end is not None and not text_of(page)[end : block.start()].strip():
                assert_alike(said, code)
            end = None
        elif not not_run:
            said = run_python(code, namespace) if kind == "python" else run_shell(code)
            end, ran = block.end(), ran + 1
    assert ran


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda p: p.stem
)
def test_files_that_a_page_points_to_exist(page):
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text_of(page))
    named = re.findall(r"`((?:examples|benchmarks|docs)/[\w/]+\.\w+)`", text_of(page))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert missing + [name for name in named if not (ROOT / name).exists()] == []


def test_make_targets_that_pages_name_exist():
    makefile = text_of(ROOT / "Makefile")
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")]
    targets = {name for page in pages for name in re.findall(r"`?make ([a-z-]+)\b`", text_of(page))}
    targets |= set(re.findall(r"^    make ([a-z-]+)", text_of(ROOT / "README.md"), re.MULTILINE))
    assert {"demo", "test"} <= targets
    assert [target for target in targets if f"\n{target}:" not in makefile] == []


@pytest.mark.parametrize("page", sorted((DOCS / "theory").glob("*.md")), ids=lambda path: path.stem)
def test_a_theory_page_ends_in_symbols_that_the_code_knows(page):
    table = text_of(page).split("## Symbols")[1]
    rows = re.findall(r"^\|.*\| (`.*`) \| `(\S+\.py)` \|$", table, re.MULTILINE)
    assert len(rows) > 4
    assert len(rows) == table.count("\n| ") - 1
    for names, file in rows:
        code = text_of(ROOT / "src" / "unprior" / file)
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"\b{name}\b", code), f"{file} has no {name}"


def test_every_picture_is_drawn_by_make_images():
    makers = [ROOT / "Makefile", *(ROOT / "examples").glob("*.py")]
    code = "".join(text_of(path) for path in makers)
    assert [path.name for path in (DOCS / "images").glob("*.png") if path.name not in code] == []


def test_every_picture_is_shown_and_every_public_function_listed():
    pages = "".join(text_of(page) for page in DOCS.rglob("*.md"))
    pictures = [path.relative_to(DOCS).as_posix() for path in (DOCS / "images").rglob("*.png")]
    assert [name for name in pictures if name not in pages] == []

    import unprior

    modules = {name for name, home in unprior._HOMES.items() if home is None}
    public = set(unprior.__all__) - modules - {"__version__"}
    for module in modules:
        public |= {name for name in getattr(unprior, module).__all__ if name[0].islower()}
    listed = set(re.findall(r"^   (\w+)$", text_of(DOCS / "api.md"), re.MULTILINE))
    assert public - listed == {"parts_of"}  # of the library's own use
