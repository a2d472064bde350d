"""Control of time by watchers: pause, single steps, speed, and what trainers do while time stands still.

Nothing here changes the results of a cycle but those trainers.
"""

from __future__ import annotations

import math

from simspark_ros.exchange import Action, Commands, Notice, Percepts
from simspark_ros.simulation.agent_control import AgentControl
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

    def carry_out(self, actions: tuple[Action, ...]) -> list[Notice]:
        """Carry out trainers' commands between two cycles; returns what is to be told to their clients."""
        simulation, clients = self._simulation, {action.client for action in actions}
        if not simulation.has_world:
            return [Notice(client, "no world is loaded; load one first") for client in sorted(clients)]
        commands = Commands(actions=actions)
        if simulation.recorder is not None:
            simulation.recorder.note_commands(commands)
        simulation.required(AgentControl).carry_out(commands, simulation)
        return simulation.take_notices(clients)

    def snapshot_while_paused(self) -> Percepts | None:
        """The last percepts with the world as it is now; None before the first ones."""
        simulation = self._simulation
        percepts = simulation.percepts
        return None if percepts is None else simulation.sensing.shown(simulation.world, percepts)
