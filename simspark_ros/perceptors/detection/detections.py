"""Detections as by vision software in the pictures of a camera, made from true poses with settable errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.perceptors.base import Mount, MountKey, Perceptor, origin_of, parameters, reading_random
from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.perceptors.detection.detectable import Detectable
from simspark_ros.perceptors.detection.detecting import DetectionParameters, Viewpoint, detect, hide, view_from
from simspark_ros.perceptors.detection.features import DETECTION_FEATURES
from simspark_ros.perceptors.detection.imaging import Imager, imager_of
from simspark_ros.perceptors.detection.markings import FieldMarkings, find_markings
from simspark_ros.perceptors.readings import Detections
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.sensors.feature import Feature
from simspark_ros.soccer.world import soccer_world
from simspark_ros.worlds.world import World


class _Detector(NamedTuple):
    """One mount: its picture, the places of its camera and of its frame on the robot, and the base frame.

    Attributes:
        optical: (3, 3) optical axes in the link or frame that carries the camera.
        offsets: (2, 3) origins of the camera and of the detector's frame from the points of `link_poses`, m.
        base: (3, 4) rotation and position of the base frame from the base link's centre of mass.
    """

    mount: Mount
    options: DetectionParameters
    imager: Imager
    optical: Array
    offsets: Array
    base: Array


class DetectionPerceptor(Perceptor):
    """Finds ball, goal posts, robots and lines in the pictures of robots' cameras, for detectors on demand.

    Attributes:
        detections: detections of this cycle, by detector.
    """

    options = DetectionParameters
    on_frames = True

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        self._seed = int(random.integers(2**63))
        self.detections: dict[MountKey, Detections] = {}

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """Ball, goal posts, robots and lines on all levels."""
        return DETECTION_FEATURES

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse wrong parameters, and a place or camera that the robot does not have."""
        super().check(spec, description)
        _camera_of(spec, description)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Prepare cameras, and the things that can be detected."""
        self.detections = {}
        self._detectors = []
        self._flags = np.array([mount.flag for mount in mounts], np.int64)
        places = []
        for mount in mounts:
            robot, description = mount.robot, replace(mount.robot.description, perceptors=mount.robot.carried)
            camera, lens = _camera_of(mount.spec, description)
            names = (lens.optical_frame or camera.link or description.model.base.name, mount.spec.link)
            places += [(robot.handle, name or description.model.base.name) for name in names]
            base = base_frame(description.model)[1]
            self._detectors.append(
                _Detector(
                    mount,
                    parameters(DetectionParameters, mount),
                    imager_of(lens),
                    np.eye(3) if lens.optical_frame else lens.optical,
                    np.array([origin_of(description.model, name) for _, name in places[-2:]]),
                    np.column_stack((base.rotation, base.position)),
                )
            )
        self._places = world.engine.select_links(places)
        if mounts:
            self._things = Detectable(world)
            self._markings = FieldMarkings.of(soccer_world(world).settings.field)

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Detect with the mounts that are demanded and due."""
        self.detections = {}
        due = [
            index
            for index, one in enumerate(self._detectors)
            if one.mount.key in self.demanded and (world.cycle + one.mount.robot.handle) % one.options.interval == 0
        ]
        present[self._flags] = False
        if not due:
            return
        present[self._flags[due]] = True
        boxes, places = self._things.now(world), self._viewpoints(world, due)
        pictures = [
            (
                self._detectors[index],
                place,
                view_from(place, self._things, boxes, self._detectors[index].options.range_max),
            )
            for index, place in zip(due, places, strict=True)
        ]
        hide(world, boxes, [(place, view) for one, place, view in pictures if one.options.occlusion])
        for one, place, view in pictures:
            random = reading_random(self._seed, one.mount, world.cycle)
            found = detect(world, self._things, boxes, place, view, one.options, random)
            markings = find_markings(self._markings, place, one.options, random)
            self.detections[one.mount.key] = found._replace(markings=markings)

    def _viewpoints(self, world: World, due: Sequence[int]) -> list[Viewpoint]:
        positions, rotations = world.engine.link_poses(self._places)
        state, made = world.engine.state, []
        for index in due:
            one, pair = self._detectors[index], slice(2 * index, 2 * index + 2)
            origins = positions[pair] + np.einsum("pij,pj->pi", rotations[pair], one.offsets)
            base = state.rotation[one.mount.row] @ one.base
            base[:, 3] += state.position[one.mount.row]
            camera = np.column_stack((rotations[2 * index] @ one.optical, origins[0]))
            frame = np.column_stack((rotations[2 * index + 1], origins[1]))
            made.append(Viewpoint(one.mount.robot, one.mount.row, one.imager, camera, frame, base))
        return made


def camera_frame(spec: PerceptorSpec, description: RobotDescription) -> str:
    """Frame of the pictures of a detector's camera, as in their headers."""
    camera, lens = _camera_of(spec, description)
    return lens.optical_frame or f"{camera.link or description.model.base.name}_optical"


def _camera_of(spec: PerceptorSpec, description: RobotDescription) -> tuple[PerceptorSpec, CameraParameters]:
    """The camera of a detector, and its parameters.

    Raises:
        ConfigurationError: the robot has no camera of that name.
    """
    cameras = [one for one in description.perceptors if one.kind == "camera"]
    name = build(DetectionParameters, dict(spec.parameters), description.place(spec)).camera
    for camera in cameras:
        if name in ("", camera.name):
            return camera, build(CameraParameters, dict(camera.parameters), description.place(camera))
    there = ", ".join(camera.name for camera in cameras) or "none"
    raise ConfigurationError(f"{description.place(spec)}: unknown camera '{name}'; the robot has: {there}")
