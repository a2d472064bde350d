"""Fixtures of tests with ROS."""

from test.conftest import play, played  # noqa: F401
from test.rigs.stub_world import domain  # noqa: F401
from test.ros.conftest import observer, room, ros_here, simulator  # noqa: F401
