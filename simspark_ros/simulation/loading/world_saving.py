"""Writes the world as it stands into a world file."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import yaml

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.whole_files import write_whole
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.physics.geometry.transforms import rpy_from_rotation
from simspark_ros.robots.object_settings import SOLIDS
from simspark_ros.robots.objects import settings_of
from simspark_ros.simulation.entities.entity import Entity, state_of
from simspark_ros.simulation.loop import Simulation
from simspark_ros.soccer.world import SoccerRobot
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.settings import NAME_FORM, is_thing_name

_DIGITS = 4
"""Decimals of lengths in m, of angles of bodies in degrees and of angles of joints in rad."""

_STILL = 1e-3
"""Greatest distance from zero at which a joint counts as at zero, rad or m."""


class WorldSaving:
    """Saves the world of a simulation in a folder, which is made if it is missing and holds `most` worlds at most.

    The saved file is the world's file with objects, robots and joints where they are now, robots upright. Robots of
    agents, robots made from texts, velocities and the game are not saved.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Save the world of a simulation from now on."""
        self._simulation = simulation
        simulation.saving = self

    def save(self, name: str) -> Path:
        """Write FOLDER/NAME.yaml, replacing an older one; returns its path.

        Raises:
            CommandRejectedError: no world is loaded, the name is no name of a thing, there are too many worlds, or the
                file cannot be written.
        """
        if not is_thing_name(name):
            raise CommandRejectedError(f"save_world: {shown(name)} is not a valid name; {NAME_FORM}")
        path = self._folder / f"{name}.yaml"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not path.exists() and sum(1 for _ in self._folder.glob("*.yaml")) >= self._most:
                raise CommandRejectedError(
                    f"save_world: {self._folder} has {self._most} worlds, the limit (saved_world_files); remove one"
                )
            write_whole(path, yaml.safe_dump(self._document(), sort_keys=False))
        except OSError as error:
            raise CommandRejectedError(f"save_world: {path}: cannot be written: {error.strerror}") from None
        logging.getLogger("simspark").info("the world is saved in %s", path)
        return path

    def _document(self) -> dict[str, Any]:
        text = self._simulation.worlds.current
        if text is None:
            raise CommandRejectedError("save_world: there is no world")
        document = dict(text.document)
        sections: dict[str, dict[str, Any]] = {"objects": {}, "robots": {}}
        for robot in self._simulation.world.robots.values():
            section = "objects" if robot.description.is_object else "robots"
            entry = self._entry(robot, document.get(section, {}).get(robot.name, {}))
            if entry is not None:
                sections[section][robot.name] = entry
        return document | {section: entries for section, entries in sections.items() if entries or section in document}

    def _entry(self, robot: SoccerRobot, before: Mapping[str, Any]) -> dict[str, Any] | None:
        world = self._simulation.world
        pose, _ = state_of(world, Entity(robot.name, robot))
        rotation = world.engine.state.rotation[world.engine.state.row(robot.handle)]
        position = [round(value, _DIGITS) for value in pose.position]
        if robot.description.is_object:
            turn = [_degrees(angle) for angle in rpy_from_rotation(rotation)]
            # Its body may have been changed since the file was read.
            kept = {key: value for key, value in before.items() if key not in SOLIDS}
            return {**kept, **settings_of(robot.description), "position": position, "rpy_deg": turn}
        source = robot.description.source
        if robot.client or not robot.name or "\n" in source:
            return None
        made = {"robot": source, "type": robot.description.variant}
        joints = self._joints(robot)
        return {**made, **before, "position": position, "heading_deg": _degrees(heading_of(rotation)), "joints": joints}

    def _joints(self, robot: SoccerRobot) -> dict[str, float]:
        """Positions of joints that are not at zero, within their stops, which motors pass by a little."""
        state = self._simulation.world.engine.state
        positions = state.joint_position[state.joints_of(state.row(robot.handle))]
        found = {}
        for joint, position in zip(robot.description.model.joints, positions.tolist(), strict=True):
            held = min(max(position, joint.lower), joint.upper)
            if abs(held) > _STILL:
                # Rounded towards zero, so as not to pass the stop.
                found[joint.name] = math.trunc(held * 10**_DIGITS) / 10**_DIGITS
        return found


def _degrees(angle: float) -> float:
    return round(math.degrees(angle), _DIGITS)
