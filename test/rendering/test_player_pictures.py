import logging
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.engine import Array
from simspark_ros.rendering.player_pictures import PlayerPictures
from simspark_ros.simulation.player_plugins.host import PLAYERS, PlayerHost
from simspark_ros.simulation.player_plugins.player import PlayerPlugin


class Looking(PlayerPlugin):
    """Keeps the pictures of its camera."""

    default_robot = "differential_sensors"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.image = self.body.sensors.get(type="camera", feature="image")
        self.pictures: dict[float, Array] = {}

    def sense_and_act(self) -> None:
        self.body.sensors.update(self.image)
        if self.image.stamp is not None:
            self.pictures[self.image.stamp] = self.image.values


@pytest.fixture
def hosted(play, monkeypatch):
    monkeypatch.setitem(PLAYERS, "looking", Looking)

    def make():
        played = play(engine="planar", world="msl", referee=False)
        PlayerPictures(lambda: 1, "auto").attach(played.simulation, ExitStack())
        host = played.simulation.node(PlayerHost)
        host.start("a=looking")
        return played, host

    return make


def test_a_player_gets_pictures_at_the_rate_of_its_camera_the_same_again(hosted):
    def seen(cycles):
        played, host = hosted()
        played.run(cycles)
        return host.running["a"].player.pictures

    (first, picture), (second, _) = seen(9).items()
    assert picture.ndim == 3 and picture.shape[2] == 3 and picture.std() > 5.0
    assert second - first == pytest.approx(0.1) and np.array_equal(seen(4)[first], picture)


def test_a_picture_that_cannot_be_drawn_is_left_out_and_the_log_says_so_once(hosted, caplog):
    played, host = hosted()
    draw = host.draw
    host.draw = lambda robot, camera: draw("other", camera)
    with caplog.at_level(logging.WARNING):
        played.run(9)
    assert host.running["a"].player.pictures == {}
    (record,) = caplog.records
    assert "players get no pictures: robot 'other' has no camera" in record.getMessage()
