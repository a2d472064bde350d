"""A node in the place of a simulator, and camera processes beside it."""

from collections.abc import Callable, Iterator

import pytest

from test.rigs.cameras import Peer, Start
from test.rigs.ros_processes import Domain, Process


@pytest.fixture
def peer(domain: Domain) -> Iterator[Peer]:
    peer = Peer(domain)
    yield peer
    peer.close()


@pytest.fixture
def start_camera(start: Callable[..., Process]) -> Start:
    """Starts camera processes with parameters."""
    return lambda *parameters: start("camera.node", parameters=parameters)
