"""Pages and docstrings -> the documentation site; `make docs` builds it."""

import re

from unprior import __version__

project = "unprior"
author = "The unprior developers"
project_copyright = author
version = release = __version__

extensions = [
    "myst_nb",  # and with it, myst_parser
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_templates"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = f"unprior {__version__}"

# Headings can be linked to as page.md#heading, and formulas written between dollars.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

# Notebooks are shown as `make notebooks` has left them.
nb_execution_mode = "off"

# Docstrings: names in single backticks are links where they can be, methods those of the template.
default_role = "py:obj"
autosummary_generate = True
# On file systems that ignore case, `Report` would overwrite `report`.
autosummary_filename_map = {"unprior.scores.Report": "unprior.scores.Report-class"}
autodoc_typehints = "none"
numpydoc_show_class_members = False


def keep_underscores(_app, _what, _name, _object, _options, lines):
    """Write the last underscore of ``shape (n_iter_,)`` so that it does not begin a link."""
    lines[:] = [re.sub(r"shape \((\w+)_,", r"shape (\1\\_,", line) for line in lines]


def setup(app):
    """Let Sphinx call the function above before it reads a docstring."""
    app.connect("autodoc-process-docstring", keep_underscores, priority=100)
