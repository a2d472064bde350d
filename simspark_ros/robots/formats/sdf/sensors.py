"""Sensors of SDF models."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from functools import partial
from typing import Any

from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly
from simspark_ros.robots.formats.parts.sensor_frames import OPTICAL, Find, Frame, named_frame, note_frame_of_link
from simspark_ros.robots.formats.parts.sensor_tags import INERTIAL, SensorTags
from simspark_ros.robots.formats.sdf.scope import Scope
from simspark_ros.robots.formats.sdf.values import Values
from simspark_ros.robots.formats.urdf.document import line_of

_CAMERAS = ("camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "wideanglecamera", "segmentation")
_DEPTH = ("depth", "depth_camera", "rgbd", "rgbd_camera")
_LASERS = ("ray", "lidar", "gpu_ray", "gpu_lidar")
_MOST_BEAMS = 4096


class SensorReader:
    """Adds the sensors of a robot to its assembly."""

    def __init__(self, assembly: RobotAssembly) -> None:
        self._assembly = assembly

    def add(self, scope: Scope, element: ET.Element, carrier: ET.Element) -> None:
        """Add one sensor of a link or joint; one without a counterpart is dropped with a note."""
        values, kind = scope.values, element.get("type", "")
        name, link = scope.prefix + values.name(element), scope.body_of(values.name(carrier), carrier)
        what, place = f"sensor '{name}'", (values.file.name, line_of(element))
        pose = self._assembly.bodies[link].pose.inverse() @ scope.in_robot()
        pose = pose @ scope.placed(element, values.name(carrier))
        tags = SensorTags(element, name, partial(values.number, element), self._assembly.report, values.file.name)
        how = self._added(values, tags, kind, link, pose, partial(self._find, scope, element, link))
        if how is not None:
            tags.note_other_noise()
        if how is None:
            how = f"type '{kind[:40]}' is not supported at this place"
            self._assembly.report.dropped(what, how, *place)
        elif how:
            self._assembly.report.approximated(what, how, *place)
        else:
            self._assembly.report.understood(what, "", *place)

    def _added(self, values: Values, tags: SensorTags, kind: str, link: str, pose: Transform, find: Find) -> str | None:
        """Add a sensor; returns the approximation, empty if exact, None if there is no such sensor."""
        assembly, devices = self._assembly, self._assembly.devices
        name = tags.name
        if kind == "imu":
            frame, interval = self._frame(tags, link, pose, find), tags.interval()
            for one in INERTIAL:
                devices.perceptor(one, name, frame, interval=interval, noise=tags.inertial_noise(one))
        elif kind == "magnetometer":
            frame, noise = self._frame(tags, link, pose, find), tags.axes_noise("magnetometer")
            devices.perceptor("magnetometer", name, frame, interval=tags.interval(), noise=noise)
        elif kind == "contact" and assembly.bodies[link].mass > 0.0:
            devices.touch(link)
            note_frame_of_link(tags, link)
            devices.perceptor("touch", name, link, interval=tags.interval())
            colliding = sum(solid.collides for solid in assembly.bodies[link].solids)
            return f"it feels contacts of all of link '{link}', not of one solid alone" if colliding > 1 else ""
        elif kind == "force_torque" and any(joint.child == link for joint in assembly.joints):
            note_frame_of_link(tags, link)
            devices.perceptor("force_torque", name, link, interval=tags.interval(), **tags.wrench_noise())
        elif kind == "sonar":
            return self._sonar(values, tags, self._frame(tags, link, pose, find))
        elif kind in _LASERS:
            return self._laser(values, tags, self._frame(tags, link, pose, find))
        elif kind in _CAMERAS:
            return self._camera(values, tags, kind, link, pose, find)
        else:
            return None
        return ""

    def _sonar(self, values: Values, tags: SensorTags, frame: str) -> str:
        sonar = tags.element.find("sonar")
        near, far, radius = (values.number(sonar, key, value) for key, value in _SONAR.items())
        angle = 2.0 * math.degrees(math.atan2(radius, max(far, 1e-3)))
        parameters: dict[str, Any] = {"field_of_view_deg": min(angle, 170.0), "interval": tags.interval()}
        self._assembly.devices.perceptor("range", tags.name, frame, **parameters, **_ranges(near, far))
        return "" if values.text(sonar, "geometry", "cone") == "cone" else "its sphere becomes a cone"

    def _laser(self, values: Values, tags: SensorTags, frame: str) -> str:
        laser = next((found for tag in ("lidar", "ray") if (found := tags.element.find(tag)) is not None), None)
        across = None if laser is None else laser.find("scan/horizontal")
        beams = round(values.number(across, "samples", 640.0))
        first, last = (math.degrees(values.number(across, key, 0.0)) for key in ("min_angle", "max_angle"))
        near, far = (values.number(laser, f"range/{key}", value) for key, value in (("min", 0.0), ("max", 10.0)))
        noise = 0.0 if laser is None else tags.noise(f"{laser.tag}/noise", 100.0)
        used = min(max(beams, 2), _MOST_BEAMS)
        self._assembly.devices.perceptor(
            "laser",
            tags.name,
            frame,
            beams=used,
            angle_min_deg=max(first, -360.0),
            angle_max_deg=min(max(last, first + 0.01), 360.0),
            interval=tags.interval(),
            noise=noise,
            **_ranges(near, far),
        )
        layers = values.number(laser, "scan/vertical/samples", 1.0)
        changes = [f"it gets {used} beams"] * (used != beams) + ["only one of its layers is used"] * (layers > 1.0)
        return ", ".join(changes)

    def _find(self, scope: Scope, element: ET.Element, link: str, name: str) -> Frame | None:
        """A body, or a frame of the model, which becomes one, with its pose in the frame of a link."""
        assembly = self._assembly
        found = assembly.find(link, scope.prefix + name) or assembly.find(link, name)
        if found is not None or not scope.has_frame(name):
            return found
        carrier = scope.body_of(name, element)
        pose = assembly.bodies[carrier].pose.inverse() @ scope.in_robot() @ scope.pose_of(name)
        return assembly.find(link, assembly.mark(scope.prefix + name, carrier, pose))

    def _frame(self, tags: SensorTags, link: str, pose: Transform, find: Find) -> str:
        """The frame of a sensor: that of its tags, or a new one."""
        named = named_frame(tags, pose, find, tags.name)
        return named if named in self._assembly.bodies else self._assembly.mark(named or tags.name, link, pose)

    def _camera(self, values: Values, tags: SensorTags, kind: str, link: str, pose: Transform, find: Find) -> str:
        camera = tags.element.find("camera")
        if camera is not None:
            pose = pose @ values.pose(camera.find("pose"))
        width, height = (round(values.number(camera, f"image/{key}", value)) for key, value in _PICTURE.items())
        parameters: dict[str, Any] = {"rate_hz": tags.picture_rate(), "noise": tags.picture_noise()}
        if kind in _DEPTH:
            far = min(max(values.number(camera, "clip/far", 100.0), 0.1), 100.0)
            near = min(max(values.number(camera, "clip/near", 0.1), 0.0), far)
            parameters |= {"depth": True, "depth_min": near, "depth_max": far}
        parameters |= {"segmentation": True} if kind == "segmentation" else {}
        across = math.degrees(values.number(camera, "horizontal_fov", 1.047))
        optical = named_frame(tags, pose @ OPTICAL, find, f"{tags.name}_optical", is_camera=True)
        self._assembly.camera(tags.name, link, pose, (max(width, 1), max(height, 1)), across, optical, **parameters)
        return "it becomes a camera with a plane picture" if kind == "wideanglecamera" else ""


_SONAR = {"min": 0.0, "max": 1.0, "radius": 0.5}
_PICTURE = {"width": 320.0, "height": 240.0}


def _ranges(near: float, far: float) -> dict[str, float]:
    """Limits of a range finder, cut to the supported ones."""
    most = min(max(far, 0.01), 1000.0)
    return {"range_min": min(max(near, 0.0), most / 2.0), "range_max": most}
