"""A player of the demonstration team on wheels plays over real sockets."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from simspark_ros.clients.team import run_team
from simspark_ros.clients.team_settings import TeamOptions
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.soccer.game_state import PlayMode

MOST_CYCLES = 1500
"""30 s; it needs 8 for the way to the ball and half of the field."""


class Goal(ControlNode):
    """Ends the game with the first goal."""

    scored = False

    def end_cycle(self, simulation: Simulation) -> None:
        self.scored = simulation.world.game.play_mode is PlayMode.GOAL_LEFT
        if self.scored or simulation.world.cycle >= MOST_CYCLES:
            simulation.stop()


@pytest.mark.slow
def test_a_player_alone_takes_the_ball_from_the_centre_and_scores():
    core = ClassicServer(ClassicServerSettings(AgentServerSettings(port=0), None, profile="leagues"))
    core.lockstep = True
    changes = ("rules.game.automatic_kick_off=true", "rules.game.wait_before_kick_off=1")
    settings = load_simulation_settings()
    settings = replace(settings, pacing="lockstep", wait_for_robots=1, world="msl", engine="planar", changes=changes)
    simulation, _ = build_simulation(settings, [core], time.monotonic, time.sleep)
    goal = Goal()
    simulation.add_node(goal)
    thread = threading.Thread(target=simulation.run)
    thread.start()
    options = TeamOptions("Red", port=core.agents.port, players=1, first_number=6, robot="msl", world="msl")
    assert run_team(options) == 0
    thread.join(30.0)
    assert goal.scored
