"""Control of time by watchers: pause, single steps, speed. Nothing here changes the results of a cycle."""

from __future__ import annotations

import math
from dataclasses import replace

from simspark_ros.exchange import Action, Percepts
from simspark_ros.simulation.loop import Simulation


class SimulationTime:
    """Time as watchers see it. Use it in the simulation's thread, whether time runs or not."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    @property
    def paused(self) -> bool:
        """Whether time stands still but for single steps."""
        return self._simulation.scheduler.paused

    def order(self, action: Action) -> None:
        """Carry out `pause`, `run`, `step` (cycles) or `speed` (times real time, 0 = no limit, none = as usual)."""
        scheduler = self._simulation.scheduler
        if action.kind == "pause":
            scheduler.pause()
        elif action.kind == "run":
            scheduler.resume()
        elif action.kind == "step":
            if not scheduler.paused:
                scheduler.pause()
            scheduler.step(int(action.arguments[0]))
        elif action.kind == "speed":
            scheduler.set_speed((float(action.arguments[0]) or math.inf) if action.arguments else None)

    def snapshot_while_paused(self) -> Percepts | None:
        """The last percepts with the current poses; None before the first ones and after robots have joined or left."""
        simulation = self._simulation
        poses = simulation.sensing.current_poses(simulation.world)
        if simulation.percepts is None or poses is None:
            return None
        return replace(simulation.percepts, poses=poses, notices=())
