"""Builds the pages of this folder into a site: `make docs`."""

from __future__ import annotations

from pathlib import Path

from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

import simspark_ros

DOCS = Path(__file__).parent
ROOT = DOCS.parent

project = "simspark_ros"
author = "the simspark_ros contributors"
version = release = simspark_ros.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# Anchors of headings down to this level, as pages name them.
myst_heading_anchors = 4
exclude_patterns = ["_build"]

# An attribute that holds a class is described as a member, too; one description is enough.
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# Docstrings are Markdown's kind of text, with names between single backquotes.
default_role = "literal"

# Two exported classes have an attribute `type`, which shadows the built-in one in their hints.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"simspark_ros {version}"


def _without_tables(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Take Markdown's tables out of docstrings, which are read as reStructuredText; the pages have them."""
    lines[:] = [line for line in lines if not line.startswith("|")]


class Outside(SphinxPostTransform):
    """Text instead of a link, where a page links to what is in the repository, but not in the site."""

    default_priority = 8
    """Order of this step: before MyST misses the links."""

    def run(self, **kwargs: object) -> None:
        """Replace the links of one page."""
        folders = (ROOT, (DOCS / self.env.docname).parent)
        for link in list(self.document.findall(pending_xref)):
            target = str(link["reftarget"]).partition("#")[0]
            if target and link["refdomain"] != "doc" and any((folder / target).exists() for folder in folders):
                link.replace_self(link.children)


def setup(app: Sphinx) -> None:
    """Connect the above; Sphinx calls it."""
    app.add_post_transform(Outside)
    app.connect("autodoc-process-docstring", _without_tables)
