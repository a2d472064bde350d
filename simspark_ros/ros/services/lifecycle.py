"""The simulator as a managed node: the state of the simulation by the names of ROS 2's life cycle."""

from __future__ import annotations

from simspark_ros.msg import SimulationState
from simspark_ros.ros.lifecycle import (
    ACTIVE,
    CONFIGURING,
    FINALIZED,
    INACTIVE,
    UNCONFIGURED,
    TransitionRefusedError,
)
from simspark_ros.ros.services.server import RequestError
from simspark_ros.ros.services.simulation import SimulationServices
from simspark_ros.ros.services.worlds import WorldServices

STATES = {
    SimulationState.STATE_NO_WORLD: UNCONFIGURED,
    SimulationState.STATE_LOADING_WORLD: CONFIGURING,
    SimulationState.STATE_STOPPED: INACTIVE,
    SimulationState.STATE_PAUSED: INACTIVE,
    SimulationState.STATE_PLAYING: ACTIVE,
    SimulationState.STATE_QUITTING: FINALIZED,
}

_WANTED = {
    "activate": SimulationState.STATE_PLAYING,
    "deactivate": SimulationState.STATE_PAUSED,
    "shutdown": SimulationState.STATE_QUITTING,
}


class ManagedSimulation:
    """See `Managed`."""

    def __init__(self, simulation: SimulationServices, worlds: WorldServices) -> None:
        self._simulation, self._worlds = simulation, worlds

    @property
    def state(self) -> int:
        """The simulation's state."""
        return int(STATES[self._simulation.state])

    async def carry_out(self, label: str) -> None:
        """Change the simulation."""
        try:
            if label == "configure":
                await self._worlds.load_again()
            elif label == "cleanup":
                await self._worlds.unload()
            else:
                await self._simulation.change(_WANTED[label])
        except RequestError as error:
            raise TransitionRefusedError(str(error)) from None
