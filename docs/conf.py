"""Sphinx configuration."""

import re
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

project = "Samara"
author = "The Samara developers"
project_copyright = "2026, The Samara developers"
release = installed_version("samara")
version = ".".join(release.split(".")[:2])

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
templates_path = ["_templates"]
exclude_patterns = ["_build", "_templates", "examples", "requirements.lock", "sg_execution_times.rst"]
nitpicky = False

# --- pages ----------------------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# --- reference: one generated page per public object ----------------------------------------------
autosummary_generate = True
autodoc_typehints = "none"  # the numpydoc sections already say the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the class template lists them

# --- gallery --------------------------------------------------------------------------------------
sphinx_gallery_conf = {
    "examples_dirs": ["examples"],
    "gallery_dirs": ["auto_examples"],
    "filename_pattern": r"plot_",
    "backreferences_dir": None,
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "show_signature": False,
    "abort_on_example_error": True,
}

# --- theme ----------------------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = f"Samara {version}"
html_show_sourcelink = False
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["math.css"]
# Written by ``python -m bench.peers``, and not there before its first run.
html_extra_path = [str(page) for page in Path(__file__).parent.glob("papers/tradeoff.html")]
html_theme_options = {
    "navigation_with_keys": False,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
}


def skip_borrowed(_app: Any, _what: str, _name: str, obj: Any, skip: bool, _options: Any) -> bool | None:
    """Leave out members scikit-learn and river wrote: their docstrings are made for pages of their own."""
    borrowed = (getattr(obj, "__module__", None) or "").partition(".")[0] in ("sklearn", "river")
    return True if borrowed else skip or None


def escape_shapes(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Keep the underscore of ``shape (n_hidden_,)``, which reStructuredText would take for a link."""
    lines[:] = [re.sub(r"(?<=\w)_(?=[,)])", r"\_", line) if "of shape (" in line else line for line in lines]


def write_math(writer: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers draw themselves: the pages load no script from elsewhere."""
    block = node.tagname == "math_block"
    try:
        formula = tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        logging.getLogger(__name__).warning("formula %s: %s", node.astext(), error, location=node)
        raise SkipNode from error
    formula = re.sub(r"<mo([^>]*)>‖<", r'<mo\1 stretchy="false">‖<', formula)  # the bars of a norm are a pair
    writer.body.append(f'<div class="formula">{formula}</div>' if block else formula)
    raise SkipNode


def setup(app: Any) -> None:
    """Connect the formulas, the member filter and, before numpydoc's own, the docstring filter."""
    app.add_html_math_renderer("mathml", (write_math, None), (write_math, None))
    app.connect("autodoc-skip-member", skip_borrowed)
    app.connect("autodoc-process-docstring", escape_shapes, priority=400)
