"""A renderer of the field."""

from test.rendering.conftest import renderer, shared_renderer  # noqa: F401
