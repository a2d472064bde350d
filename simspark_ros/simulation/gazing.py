"""The control node that aims cameras on pan-tilt units, and zooms, as commanded (`World.gazes`, `World.zooms`)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from simspark_ros.effectors.gaze import BALL
from simspark_ros.effectors.zoom import VIEW, camera_of, view_of
from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.simulation.loop import ControlNode, Simulation, Work
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import Gaze, World

_WIDTH, _PERIOD = math.radians(100.0), 4.0
"""Angle to either side that a searching camera covers, rad, and the period of its sweep, s."""
_DOWN = math.radians(-12.0)
"""Tilt of a searching camera, rad: things are on the ground."""
_THICK = 0.4
"""A ray may hit the thing itself this far before the thing's centre, m: half a robot."""


class Gazing(ControlNode):
    """Turns and zooms all cameras that have a command, once a cycle, before physics."""

    def work(self, simulation: Simulation) -> tuple[Work, Work]:
        """Commands."""
        return simulation.world.gazes, simulation.world.zooms

    def act_agent(self, simulation: Simulation) -> None:
        """Aim."""
        world = simulation.world
        _zoom(simulation)
        for handle, gaze in world.gazes.items():
            robot = world.robots[handle]
            pan, tilt = gaze.angles or self._aim(world, robot, gaze, simulation.time)
            if gaze.pan:
                _turn_joints(world, robot, gaze, pan, tilt)
            else:
                robot.pan_tilt = (pan, min(max(tilt, -math.pi / 2.0), math.pi / 2.0))

    def _aim(self, world: World, robot: Robot, gaze: Gaze, time: float) -> tuple[float, float]:
        """Pan and tilt, rad, that bring the target into the middle of the picture; without a target, a search."""
        target = np.array(gaze.point) if gaze.point is not None else _place_of(world, gaze.thing)
        if target is None or (gaze.thing and not _sees(world, robot, gaze, target)):
            return _WIDTH * math.sin(2.0 * math.pi * time / _PERIOD), _DOWN
        state = world.engine.state
        row = state.row(robot.handle)
        x, y, z = product(target - _camera(world, robot, gaze)[0], state.rotation[row]).tolist()
        return math.atan2(y, x), math.atan2(z, math.hypot(x, y))


def _zoom(simulation: Simulation) -> None:
    """Change fields of view by a step before each picture: all that know the camera's lens have to learn of each."""
    world, cycle = simulation.world, simulation.world.engine.cycle_time
    for (handle, name), zoom in list(world.zooms.items()):
        robot = world.robots[handle]
        camera = camera_of(simulation.sensing.mounted(robot), name)
        view, rate = view_of(camera), float(camera.parameters.get("rate_hz", CameraParameters.rate_hz))
        zoom.waited = 0.0 if view == zoom.goal else zoom.waited + cycle
        if view != zoom.goal and (math.isinf(zoom.speed) or zoom.waited >= 1.0 / rate - cycle / 2.0):
            step = zoom.speed * zoom.waited
            view = min(max(zoom.goal, view - step), view + step)
            changed = replace(camera, parameters={**camera.parameters, VIEW: view})
            simulation.sensing.adjust(world, robot, changed)
            zoom.waited = 0.0
        if view == zoom.goal == zoom.start:
            del world.zooms[handle, name]


def _turn_joints(world: World, robot: Robot, gaze: Gaze, pan: float, tilt: float) -> None:
    model, state = robot.description.model, world.engine.state
    first = state.joints_of(state.row(robot.handle)).start
    indices = [_index(model, gaze.pan), _index(model, gaze.tilt)]
    # A turn about +y is downward.
    signs = np.array(
        [math.copysign(1.0, model.joints[indices[0]].axis[2]), -math.copysign(1.0, model.joints[indices[1]].axis[1])]
    )
    joints = np.array(indices, np.int64) + first
    angles = np.clip(signs * (pan, tilt), state.joint_lower[joints], state.joint_upper[joints])
    world.motors.set_positions(joints, angles, state)


def _index(model: ArticulatedModel, joint: str) -> int:
    return [one.name for one in model.joints].index(joint)


def _place_of(world: World, thing: str) -> Array | None:
    """Centre (3,) of a thing, m; None if it is gone."""
    state = world.engine.state
    if thing == BALL:
        return state.ball_position if world.scene.ball is not None else None
    if robot := world.robot_named(thing):
        return np.array(state.position[state.row(robot.handle)])
    mark = world.marks.get(thing)
    return None if mark is None else np.array(mark)


def _camera(world: World, robot: Robot, gaze: Gaze) -> tuple[Array, Array]:
    """Place (3,) of the camera and its axes (3, 3) in the world: x forward, y left, z up."""
    model = robot.description.model
    link = model.joints[_index(model, gaze.tilt)].child if gaze.tilt else model.base.name
    positions, rotations = world.engine.link_poses(world.engine.select_links([(robot.handle, link)]))
    if gaze.tilt:
        return positions[0], rotations[0]
    pan, tilt = robot.pan_tilt
    forward = np.array([math.cos(pan) * math.cos(tilt), math.sin(pan) * math.cos(tilt), math.sin(tilt)])
    return positions[0], np.column_stack((product(rotations[0], forward), np.zeros((3, 2))))


def _sees(world: World, robot: Robot, gaze: Gaze, target: Array) -> bool:
    """Whether a place is in the camera's view and not hidden."""
    place, axes = _camera(world, robot, gaze)
    away = target - place
    distance = math.hypot(*away)
    if distance == 0.0 or product(away, axes[:, 0]) < distance * math.cos(gaze.view):
        return False
    hit = world.engine.cast_rays(place[None], away[None], distance, robot.handle)
    return bool(hit.distance[0] >= distance - _THICK)
