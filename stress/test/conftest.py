"""Fixtures and rigs of the simulator's own tests."""

from pathlib import Path

import test

# Python has a package `test` too; without this line it hides the folder where these tests run alone.
test.__path__ = [str(Path(__file__).parents[2] / "test"), *test.__path__]

from test.conftest import play, played  # noqa: E402, F401
from test.rigs.stub_world import close_later, domain, profile  # noqa: E402, F401
from test.ros.conftest import room, ros_here  # noqa: E402, F401
