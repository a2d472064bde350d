"""Has a mapper learn the values that sensors are to expect at each pose, in a simulation of its own."""

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
"""Place of the ball meanwhile, m: no scanner sees it there."""


def learn_expectations(
    player: str,
    engine: str,
    world: str,
    changes: Sequence[str] = (),
    progress: Callable[[float], object] = lambda share: None,
) -> dict[str, PerceptualModel]:
    """Return the expectations that a mapper (`mapper?option=value&...`) learns in a world without a game, by feature.

    Args:
        player: the mapper and its options.
        engine: name of the physics engine.
        world: name or file of the world.
        changes: changes of the world, as in `SimulationSettings`.
        progress: function that takes the share that is done, 0 to 1, in each cycle.

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
            raise UserError(f"player '{player}' is not a mapper; write mapper?features=scan&step=0.5, for example")
        if simulation.world.scene.ball is not None:
            simulation.world.place_ball(AWAY)
        while host.running:
            simulation.run_cycle()
            progress(mapper.done)
        if not mapper.models.keys() <= mapper.body.models.keys():
            raise UserError(f"player '{player}' ended before it had visited all poses; the log says why")
    finally:
        simulation.world.engine.close()
    return mapper.models
