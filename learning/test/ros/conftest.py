"""A simulator in a process of its own, and a node beside it."""

from test.rigs.stub_world import domain  # noqa: F401
from test.ros.conftest import observer, simulator  # noqa: F401
