"""Sphinx configuration."""

from importlib.metadata import version as installed_version
from typing import Any

project = "Samara"
author = "The Samara developers"
project_copyright = "2026, The Samara developers"
release = installed_version("samara")
version = ".".join(release.split(".")[:2])

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
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
html_theme_options = {
    "navigation_with_keys": False,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
}


def skip_borrowed(_app: Any, _what: str, _name: str, obj: Any, skip: bool, _options: Any) -> bool | None:
    """Leave out members scikit-learn wrote: their docstrings link to its own user guide."""
    borrowed = (getattr(obj, "__module__", None) or "").partition(".")[0] == "sklearn"
    return True if borrowed else skip or None


def setup(app: Any) -> None:
    """Connect the member filter."""
    app.connect("autodoc-skip-member", skip_borrowed)
