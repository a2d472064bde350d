"""A node in the place of a simulator, and camera processes beside it."""

from collections.abc import Callable

import pytest

from test.rigs.cameras import Peer, Start
from test.rigs.ros_processes import Domain, Process


@pytest.fixture
def peer(domain: Domain, close_later: Callable[[Peer], Peer]) -> Peer:
    return close_later(Peer(domain))


@pytest.fixture
def start_camera(start: Callable[..., Process]) -> Start:
    return lambda *parameters: start("camera.node", parameters=parameters)
