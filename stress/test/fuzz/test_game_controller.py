"""The door of the GameController: valid and wrong answers at a real one, and that its silence is noticed."""

import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from simspark_ros.server.game_controller.server import GameController
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_stress.fuzz.doors import game_controller
from simspark_stress.fuzz.doors.game_controller import GAME_CONTROLLER, GameControllerDoor
from simspark_stress.fuzz.server import Server
from test.conftest import Played


@pytest.fixture
def controller() -> Iterator[GameController]:
    options = GameControllerOptions(game_controller="spl", game_controller_port=1, game_controller_return_port=0)
    made = GameController(options, lambda text: None)
    yield made
    made.close()


def door_of(controller: GameController) -> GameControllerDoor:
    server = SimpleNamespace(
        options=("--game-controller-port=0",), address=lambda port: ("127.0.0.1", controller.return_port)
    )
    return GameControllerDoor(cast("Server", server))


def test_robots_answer_well_and_badly_and_silence_is_a_fault(controller: GameController, played: Played, monkeypatch):
    played.simulation.add_node(controller)
    door = door_of(controller)
    for seed in range(60):
        door.play(tuple(step for step in GAME_CONTROLLER.draw(random.Random(seed), False) if step[0] == "answer"))
        played.run(1)
    assert len(controller.answers) >= 4
    assert controller.malformed > 60
    # Nobody sends to the port on which this door listens.
    monkeypatch.setattr(game_controller, "PATIENCE", 0.05)
    assert "do not get the state of the game" in door.fault()
