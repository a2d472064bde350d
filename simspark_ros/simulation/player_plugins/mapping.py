"""Has a mapper learn what sensors are to expect where, in a simulation of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.perceptual_model import PerceptualModel
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.player_plugins.host import PlayerHost
from simspark_ros.simulation.player_plugins.mapper import MapperPlayer
from simspark_ros.simulation.settings import load_simulation_settings

AWAY = (400.0, 0.0)
"""Where the ball is meanwhile, m: seen by no scanner."""


def learn_expectations(
    player: str,
    engine: str,
    world: str,
    changes: Sequence[str] = (),
    progress: Callable[[float], object] = lambda share: None,
) -> dict[str, PerceptualModel]:
    """What a mapper (`mapper?option=value&...`) learns in a world without ball and game, by feature.

    Args:
        player: the mapper.
        engine: name of it.
        world: name or file.
        changes: of the world, as of `SimulationSettings`.
        progress: is told in each cycle how much is done, 0 to 1.

    Raises:
        UserError: the player is no mapper, or a setting is wrong.
    """
    settings = load_simulation_settings()
    settings = replace(settings, pacing="fast", referee=False, engine=engine, world=world, changes=tuple(changes))
    simulation, _ = build_simulation(replace(settings, players=(player,)), [], time.monotonic, time.sleep)
    try:
        host = simulation.required(PlayerHost)
        mapper = next(iter(host.running.values())).player
        if not isinstance(mapper, MapperPlayer):
            raise UserError(f"player '{player}' is no mapper; write mapper?features=scan&step=0.5, for example")
        if simulation.world.scene.ball is not None:
            simulation.world.place_ball(AWAY)
        while host.running:
            simulation.run_cycle()
            progress(mapper.done)
        if not mapper.models.keys() <= mapper.body.models.keys():
            raise UserError(f"player '{player}' ended before it was everywhere; the log says why")
    finally:
        simulation.world.engine.close()
    return mapper.models
