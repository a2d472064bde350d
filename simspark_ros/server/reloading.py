"""Loads files of robots and of the world again when they change, while the simulation goes on (`serve --reload`)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeVar

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.configuration.read_files import FileState, state_of
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.geometry.rotations import heading_of, upright
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.loading.robot_resources import find_resource
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.simulation.loop import Simulation
from simspark_ros.soccer.settings import WORLDS
from simspark_ros.worlds.robot import Robot

PERIOD = 1.0
"""Time between two looks at the files, s. A file is loaded once it has stayed the same between two looks."""

T = TypeVar("T")


class Reloader:
    """Watches the files of a simulation, and changes the simulation only between two cycles.

    Robots made anew stand upright where they were; agents' robots stay as they are. A world begins anew from its file,
    and time runs if it ran before. A faulty file is reported, and the simulation goes on without a change.

    Args:
        simulation: the simulation that has the robots and the world.
        limits: limits on robots; limits that nobody has set are wide here, as for files that the operator names.
        say: function that takes lines for the operator, in another thread.
    """

    def __init__(self, simulation: Simulation, limits: LimitSettings, say: Callable[[str], object]) -> None:
        self._simulation, self._limits, self._say = simulation, for_own_files(limits), say
        self._loaded: dict[Path, FileState] = {}
        self._seen: dict[Path, FileState] = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reload", daemon=True)

    def start(self) -> None:
        """Look every `PERIOD`, in a thread of its own. Call this in the simulation's thread, before its loop starts."""
        for path in self._files():
            if (state := _state(path)) is not None:
                self._loaded[path] = state
        self._thread.start()

    def close(self) -> None:
        """End the thread; a file that is just being read is left."""
        self._end.set()

    def check(self) -> None:
        """Look at the files once, and load the files that have changed since; waits for the simulation."""
        for path in self._in_simulation(self._files):
            state = _state(path)
            if state is None or self._loaded.setdefault(path, state) == state:
                continue
            before, self._seen[path] = self._seen.get(path), state
            if before == state:
                self._loaded[path] = state
                self._reload(path)

    def _run(self) -> None:
        while not self._end.wait(PERIOD):
            self.check()

    def _files(self) -> set[Path]:
        """The files of robots and of a world that are not the package's."""
        files = {Path(name) for robot in self._simulation.world.robots.values() for name in robot.description.files}
        world = self._simulation.worlds.current
        if world is not None and world.path.stem not in WORLDS.names:
            files.add(world.path)
        return files

    def _reload(self, path: Path) -> None:
        try:
            world = self._simulation.worlds.current
            if world is not None and path == world.path:
                text = self._simulation.worlds.find(str(path), "", self._limits)()
                prepared = self._simulation.worlds.prepare(self._simulation, text, self._limits)
                self._in_simulation(partial(self._put_world, prepared))
                self._say(f"{path} has changed: the world was loaded again")
            else:
                count = self._reload_robots(path)
                # They may have been made anew already, when another file of theirs changed.
                if count:
                    self._say(f"{path} has changed: {count} robots were made again")
        except (UserError, PhysicsError) as error:
            self._say(f"{path} has changed but cannot be used: {error}; the robots and the world stay as they were")

    def _reload_robots(self, path: Path) -> int:
        robots = self._in_simulation(lambda: self._robots_of(path))
        kinds = {(robot.description.source, robot.description.variant) for robot in robots}
        anew = {
            (source, variant): find_resource(_address(source, variant)).load(self._limits) for source, variant in kinds
        }
        pairs = [(robot, anew[robot.description.source, robot.description.variant]) for robot in robots]
        changed = [pair for pair in pairs if pair[0].description is not pair[1]]
        for robot, description in changed:
            self._in_simulation(partial(self._replace, robot, description))
        return len(changed)

    def _robots_of(self, path: Path) -> list[Robot]:
        robots = self._simulation.world.robots.values()
        return [robot for robot in robots if str(path) in robot.description.files and not robot.client]

    def _replace(self, robot: Robot, description: RobotDescription) -> None:
        """Put a robot of the description in a robot's place; if that fails, the old one stays."""
        world = self._simulation.world
        if robot.handle not in world.robots:
            return
        state = world.engine.state
        row = state.row(robot.handle)
        x, y, z = state.position[row].tolist()
        yaw = heading_of(state.rotation[row])
        # The thing it stands on may be higher than the ground.
        before, (*home, height, turn) = robot.description.spawn_height, robot.home
        floor = max(z - before, 0.0)
        world.remove_robot(robot)
        try:
            there = spawn(world, description, self._limits, robot.name)
        except UserError:
            there = spawn(world, robot.description, self._limits, robot.name)
            raise
        finally:
            after = there.description.spawn_height
            world.engine.place_robot(there.handle, (x, y, floor + after), upright(yaw))
            there.home, there.home_turn = (home[0], home[1], height - before + after, turn), robot.home_turn
            there.is_guest = robot.is_guest

    def _put_world(self, load: Callable[[], None]) -> None:
        scheduler = self._simulation.scheduler
        ran = not scheduler.paused
        load()
        if ran:
            scheduler.resume()

    def _in_simulation(self, work: Callable[[], T]) -> T:
        future: Future[T] = self._simulation.requests.submit(work)
        return future.result()


def _address(source: str, variant: int) -> str:
    name, separator, parameters = source.partition("?")
    return f"{name}/{variant}{separator}{parameters}" if variant else source


def _state(path: Path) -> FileState:
    """The state of a file; None for one that is not there, as when editors put another file in its place."""
    return state_of(path) if path.is_file() else None
