"""Requests pictures for classic agents and hands them over once they are drawn; no cycle waits for a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import NamedTuple

from simspark_ros.exchange import Layout, Percepts, Poses
from simspark_ros.rendering.scene_models import Perceptors, SimulatedRobot, line_of_model, lines_of_cameras
from simspark_ros.robots.description import RobotDescription
from simspark_ros.server.tcp.client_log import LOG, Logger
from simspark_ros.soccer.settings import SoccerSettings
from simspark_ros.soccer.teams import Side


class PictureRequest(NamedTuple):
    """A state of the world whose pictures are wanted.

    Attributes:
        time: simulated time, s.
        robots: robots of the layout; a robot with pictures has its handle as its name.
        poses: poses of all links of the robots.
        models: lines that describe the robots (`rendering.scene_models`), if they have changed.
        world: the world of the robots, if it has changed.
    """

    time: float
    robots: tuple[SimulatedRobot, ...]
    poses: Poses
    models: str | None = None
    world: SoccerSettings | None = None


Texts = dict[int, str]
"""Texts added to robots' messages, by the robot's handle."""


class AgentPictures:
    """The pictures of all agents' cameras, from a process that draws them (`simspark_ros.server.pictures.process`).

    A request is made when a period of `rate` (simulated Hz) has begun and the one before is answered; its pictures
    are part of the next percepts once they are drawn. Without the process there are no pictures. `robots` returns
    the present handles, descriptions and perceptors of all robots, `world` the settings of the world.
    """

    def __init__(
        self,
        process: Connection,
        rate: float,
        robots: Callable[[], Iterable[tuple[int, RobotDescription, Perceptors]]],
        world: Callable[[], SoccerSettings],
        log: Logger = LOG,
    ) -> None:
        self._process, self._rate, self._log = process, rate, log
        self._robots, self._world = robots, world
        self._drawn_world: SoccerSettings | None = None
        self._described: Layout | None = None
        # Sending and receiving wait for the process.
        self._asking = ThreadPoolExecutor(1, "pictures")
        self._drawn: Future[Texts] | None = None
        self._tick = -1
        self._is_lost = False

    @property
    def wants_poses(self) -> bool:
        """Whether the next percepts should have poses."""
        return self._drawn is None and not self._is_lost

    def exchange(self, percepts: Percepts) -> Texts:
        """Return finished pictures, each once, and request pictures of this state if they are due."""
        texts: Texts = {}
        if self._drawn is not None and self._drawn.done():
            drawn, self._drawn = self._drawn, None
            try:
                texts = drawn.result()
            except (EOFError, OSError):
                self._is_lost = True
                self._log.warning("agents get no more pictures: the process that draws them has ended")
        tick = int(percepts.time * self._rate + 1e-6)
        if percepts.poses is not None and self.wants_poses and tick != self._tick:
            self._tick = tick
            request = PictureRequest(percepts.time, robots_of(percepts.layout), percepts.poses)
            world = self._world()
            if world is not self._drawn_world:
                request, self._drawn_world = request._replace(world=world), world
            told = None
            if percepts.layout is not self._described:
                self._described = percepts.layout
                told = [(str(handle), kind, now) for handle, kind, now in self._robots()]
            self._drawn = self._asking.submit(self._ask, request, told)
        return texts

    def close(self) -> None:
        """Forget the process, which ends with the connection."""
        self._process.close()
        self._asking.shutdown(wait=False)

    def _ask(self, request: PictureRequest, told: list[tuple[str, RobotDescription, Perceptors]] | None) -> Texts:
        if told is not None:
            kinds = {(one.source, one.variant): one for _, one, _ in told}
            lines = [*map(line_of_model, kinds.values()), *lines_of_cameras(told)]
            request = request._replace(models="\n".join(lines))
        self._process.send(request)
        answer: Texts = self._process.recv()
        return answer


def robots_of(layout: Layout) -> tuple[SimulatedRobot, ...]:
    """All robots as they are drawn; agents' robots have pictures, and so a name."""
    return tuple(
        SimulatedRobot(
            str(robot.handle) if robot.client else "",
            robot.robot,
            robot.variant,
            Side(robot.side) if robot.side else None,
            len(robot.links),
        )
        for robot in layout.robots
    )
