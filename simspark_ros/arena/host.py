"""The world of an arena, in the hands of its robots: time, percepts, robots by name, and refusals of requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from simspark_ros.configuration.errors import UserError
from simspark_ros.effectors import Effector
from simspark_ros.exchange import Layout, Percepts
from simspark_ros.rendering.player_pictures import PlayerPictures
from simspark_ros.simulation.loop import Simulation
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld

if TYPE_CHECKING:
    from simspark_ros.rendering.world_view import WorldView


class ArenaError(UserError):
    """A request cannot be carried out, and nothing was changed; the message names fault and remedy."""


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a `UserError` of this block into an `ArenaError`."""
    try:
        yield
    except UserError as error:
        raise ArenaError(str(error)) from None


class RobotHost:
    """The part of an arena that its robots use; see `Arena`, which makes the simulation.

    Attributes:
        simulation: the simulation that the arena steps.
        effectors: all effectors, by kind; `ArenaRobot.act` uses them.
    """

    simulation: Simulation
    effectors: Mapping[str, Effector[Any]]
    _open = False
    _pictures: PlayerPictures
    # Revision of the world whose sensors are all demanded, 0 = none.
    _demanded: int
    # Robots by name for a revision of the world, and names of targets for a layout.
    _known: tuple[tuple[int, int], dict[str, SoccerRobot]]
    _targets: tuple[Layout | None, tuple[str, ...]]

    def step(self, cycles: int = 1) -> None:
        """Let time pass, in cycles of `cycle_time`: commands take effect, physics moves everything, robots sense."""
        world = self.world
        for _ in range(cycles):
            if self._demanded != world.revision:
                self._demand_all(world)
            self.simulation.run_cycle()

    @property
    def time(self) -> float:
        """Simulated time since the start, s."""
        return self.simulation.time

    @property
    def world(self) -> SoccerWorld:
        """The world itself, for all that the arena does not show."""
        self._check_open()
        return self.simulation.world

    @property
    def percepts(self) -> Percepts:
        """All percepts of the last cycle; an `ArenaError` before the first one."""
        self._check_open()
        percepts = self.simulation.percepts
        if percepts is None:
            raise ArenaError("no robot has sensed anything yet; call step() first")
        return percepts

    @property
    def target_names(self) -> tuple[str, ...]:
        """Names of visible targets, as in `Vision.objects`, in the order of `Layout.targets`."""
        layout = self.percepts.layout
        if self._targets[0] is not layout:
            names = [robot.name for robot in self.world.robots.values()]
            labels = (label if row < 0 else f"{names[row]}/{label}" for label, row in layout.targets)
            self._targets = layout, tuple(labels)
        return self._targets[1]

    @property
    def view(self) -> WorldView:
        """The renderer of pictures of this arena's world."""
        self._check_open()
        return self._pictures.view

    def entity(self, name: str) -> SoccerRobot:
        """The world's robot of that name; an `ArenaError` lists all names."""
        world = self.world
        if self._known[0] != (id(world), world.revision):
            by_name = {robot.name: robot for robot in world.robots.values() if robot.name}
            self._known = (id(world), world.revision), by_name
        robot = self._known[1].get(name)
        if robot is None:
            raise ArenaError(f"unknown robot '{name[:64]}'; the arena has: {', '.join(self._known[1]) or 'none'}")
        return robot

    def _demand_all(self, world: SoccerWorld) -> None:
        """Demand all sensors, so that sensors on demand have readings, too."""
        self._demanded = world.revision
        mounts = {(r.handle, spec.kind, spec.name) for r in world.robots.values() for spec in r.description.perceptors}
        self.simulation.sensing.demand(mounts)

    def _check_open(self) -> None:
        if not self._open:
            raise ArenaError("the arena is closed; make a new one")
