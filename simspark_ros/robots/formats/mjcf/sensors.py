"""Sensors and cameras of MJCF."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.formats.mjcf.compiled import Compiled
from simspark_ros.robots.formats.mjcf.league import add_league_devices
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly

_ALONG_Z = Transform(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))
"""A frame whose x axis is the z axis of its carrier: MuJoCo's rangefinders measure along z, ours along x."""

_LOOKING = Transform(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]))
"""A frame whose x axis is its carrier's -z, and whose z axis is its carrier's y: so a camera of MuJoCo looks."""

_FRAMES = {"framepos": "frame_position", "framequat": "frame_orientation"}
_INERTIAL = {"gyro": "gyroscope", "accelerometer": "accelerometer", "magnetometer": "magnetometer"}
_JOINTS = ("jointpos", "jointvel", "ballquat", "ballangvel", "actuatorpos", "actuatorvel")
_WIDTH = 320


def add_sensors(compiled: Compiled, assembly: RobotAssembly) -> None:
    """Add perceptors; sensors that have no counterpart are dropped with a note."""
    sensors = _Sensors(compiled, assembly)
    for element in compiled.spec.sensors:
        sensors.add(element)
    for element in compiled.spec.cameras:
        sensors.add_camera(element)
    sensors.name_joints()
    add_league_devices(compiled, assembly, sensors.frame)


class _Sensors:
    def __init__(self, compiled: Compiled, assembly: RobotAssembly) -> None:
        self._compiled = compiled
        self._assembly = assembly
        self._kept = set(compiled.tree)
        self._sites = {site.name: site for site in compiled.spec.sites}
        self._frames: dict[tuple[int, bool], str] = {}

    def add(self, element: Any) -> None:
        """Add one sensor."""
        kind = element.type.name.removeprefix("mjSENS_").lower()
        name, place = element.name.strip() or f"{kind}_{element.objname.strip()}", self._compiled.place(element)
        what, report, devices = f"sensor '{name}'", self._assembly.report, self._assembly.devices
        if kind in _JOINTS:
            report.understood(what, "all joints are sensed", *place)
            return
        site = self._sites.get(element.objname)
        if site is None or site.id < 0 or self._body(site) not in self._kept:
            report.dropped(what, f"a {kind} sensor of {element.objname or 'nothing'} is not supported", *place)
            return
        link = self._compiled.bodies[self._body(site)]
        if kind in _INERTIAL:
            devices.perceptor(_INERTIAL[kind], name, self.frame(site))
        elif kind in _FRAMES and not element.refname:
            devices.perceptor(_FRAMES[kind], name, self.frame(site))
        elif kind == "touch" and self._has_mass(link):
            devices.touch(link)
            devices.perceptor("force_resistance", name, link)
            report.approximated(what, f"it feels contacts of all of link '{link}', not only of its site", *place)
            return
        elif kind == "rangefinder":
            most = float(self._compiled.model.sensor_cutoff[element.id]) or 10.0
            parameters = {"field_of_view_deg": 0.0, "rings": 0, "range_max": min(most, 1000.0)}
            devices.perceptor("range", name, self.frame(site, turned=True), **parameters)
        elif kind in ("force", "torque") and self._is_carried(link):
            self._force_torque(link)
            report.approximated(what, f"it joins one force-torque sensor at the joint of '{link}'", *place)
            return
        else:
            report.dropped(what, f"a {kind} sensor is not supported at this place", *place)
            return
        report.understood(what, "", *place)

    def name_joints(self) -> None:
        """Name joints that have a sensor of position and one of velocity by the first one."""
        sensed: dict[str, dict[str, str]] = {"jointpos": {}, "jointvel": {}}
        for element in self._compiled.spec.sensors:
            kind = element.type.name.removeprefix("mjSENS_").lower()
            if kind in sensed and element.name:
                sensed[kind][element.objname.strip()] = element.name.strip()
        both = sensed["jointpos"].keys() & sensed["jointvel"].keys()
        self._assembly.devices.readings |= {j: name for j, name in sensed["jointpos"].items() if j in both}

    def add_camera(self, element: Any) -> None:
        """Add a camera that is fixed to the robot; other cameras show the scene to viewers."""
        model, i, place = self._compiled.model, element.id, self._compiled.place(element)
        body, what = int(model.cam_bodyid[i]), f"camera '{element.name or element.id}'"
        if body not in self._kept or model.cam_mode[i] != self._compiled.mujoco.mjtCamLight.mjCAMLIGHT_FIXED:
            self._assembly.report.dropped(what, "it follows the robot or belongs to the world", *place)
            return
        pose = self._compiled.pose(model.cam_pos[i], model.cam_quat[i]) @ _LOOKING
        width, height = map(int, model.cam_resolution[i])
        if width <= 1 or height <= 1:
            width, height = _WIDTH, _WIDTH * 3 // 4
        vertical = math.radians(float(model.cam_fovy[i]))
        across = 2.0 * math.degrees(math.atan(math.tan(vertical / 2.0) * width / height))
        name, size = element.name.strip() or f"camera{i}", (width, height)
        self._assembly.camera(name, self._compiled.bodies[body], pose, size, across)
        self._assembly.report.understood(what, "", *place)

    def _body(self, site: Any) -> int:
        return int(self._compiled.model.site_bodyid[site.id])

    def _has_mass(self, link: str) -> bool:
        return self._assembly.bodies[link].mass > 0.0

    def _is_carried(self, link: str) -> bool:
        return self._has_mass(link) and any(joint.child == link for joint in self._assembly.joints)

    def _force_torque(self, link: str) -> None:
        if not self._assembly.devices.has("force_torque", link):
            self._assembly.devices.perceptor("force_torque", link, link)

    def frame(self, site: Any, turned: bool = False) -> str:
        """The frame of a site, or the frame whose x axis is the site's z axis."""
        if (site.id, turned) not in self._frames:
            model = self._compiled.model
            pose = self._compiled.pose(model.site_pos[site.id], model.site_quat[site.id])
            name = f"{site.name.strip()}_ray" if turned else site.name.strip()
            body = self._compiled.bodies[self._body(site)]
            self._frames[site.id, turned] = self._assembly.mark(name, body, pose @ _ALONG_Z if turned else pose)
        return self._frames[site.id, turned]
