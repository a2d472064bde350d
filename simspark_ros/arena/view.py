"""Pictures of an arena."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from simspark_ros.arena.errors import ArenaError
from simspark_ros.physics.engine import LinkSelection
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.model import Vector
from simspark_ros.rendering.optics import CameraPose, Lens
from simspark_ros.rendering.pictures import taken
from simspark_ros.rendering.rendered_scene import RenderedScene, SimulatedRobot
from simspark_ros.rendering.renderer import Layer, Picture, ScenePose, SceneRenderer
from simspark_ros.soccer.world import SoccerWorld

if TYPE_CHECKING:
    from simspark_ros.arena.arena import Arena

SMOOTH = 2
"""Samples along each edge of a pixel of free pictures."""


class ArenaView:
    """Draws the world of an arena, and follows its robots."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._troubles: list[str] = []
        self._scene = RenderedScene(SceneRenderer.of_world(arena.world.settings), self._troubles.append)
        self._shown: tuple[SoccerWorld, int] | None = None
        self._links: LinkSelection

    def free(self, eye: Vector, target: Vector, size: tuple[int, int], opening: float) -> Picture:
        """What a camera sees from a point, m, that has another one in its middle; errors as of `Arena.render`.

        The size is in pixels, the opening across the width in rad.
        """
        try:
            camera = CameraPose.look_at(eye, target)
        except ValueError as error:
            raise ArenaError(str(error)) from None
        self._update()
        return self._scene.look(camera, Lens(*size, opening), SMOOTH)

    def of_camera(self, robot: str, name: str) -> Picture:
        """What a robot's camera sees, the first one if the name is empty; errors as of `ArenaRobot.picture`."""
        self._update()
        own = [camera for camera in self._scene.cameras if camera.robot.name == robot]
        chosen = next((one for one in own if name in ("", one.camera.name)), None)
        if chosen is None:
            trouble = "; ".join(self._troubles[:1])
            known = ", ".join(one.camera.name for one in own) or trouble or "none"
            raise ArenaError(f"robot '{robot}' has no camera '{name[:40]}'; it has: {known}")
        settings = chosen.camera.settings
        layers = Layer.PICTURE | (Layer.DEPTH if settings.aperture else Layer(0))
        view = self._scene.view(chosen, settings.lens, layers, settings.antialias)
        # Noise depends on seed, camera and cycle alone.
        key = [self._arena.seed, zlib.crc32(f"{robot} {name}".encode()), self._arena.world.cycle]
        return taken(view, settings, settings.lens, np.random.default_rng(key))

    def close(self) -> None:
        """Free the renderer."""
        self._scene.close()

    def _update(self) -> None:
        world = self._arena.world
        if self._shown is None or self._shown[0] is not world or self._shown[1] != world.revision:
            self._follow(world)
        positions, rotations = world.engine.link_poses(self._links)
        ball = world.engine.state.ball_position if world.scene.ball else None
        self._scene.place(ScenePose(positions, quaternions_from_rotations(rotations), ball))

    def _follow(self, world: SoccerWorld) -> None:
        self._shown = world, world.revision
        robots = list(world.robots.values())
        self._scene.follow(())
        # By handle: descriptions that a program has changed may have the same source.
        self._scene.learn({(str(robot.handle), 0): robot.description for robot in robots})
        self._scene.follow(
            [SimulatedRobot(one.name, str(one.handle), 0, one.side, len(one.description.model.links)) for one in robots]
        )
        links = [(robot.handle, link.name) for robot in robots for link in robot.description.model.links]
        self._links = world.engine.select_links(links)
