"""Perceptors and effectors of SimSpark's scenes; joints' devices are in `joints`."""

from __future__ import annotations

from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly
from simspark_ros.robots.formats.rsg.bodies import BodyReader
from simspark_ros.robots.formats.rsg.nodes import Node, pose_in_scene

_PLAIN = {
    "TimePerceptor": "time",
    "GameStatePerceptor": "game_state",
    "AgentState": "agent_state",
    "HearPerceptor": "hear",
}
_EFFECTORS = {"BeamEffector": "beam", "SayEffector": "say", "AgentSyncEffector": "syn", "PassEffector": "pass"}
_VISION = {
    "setSenseMyPos": "own_position",
    "setSenseMyOrien": "own_orientation",
    "setSenseBallPos": "ball_position",
    "setSenseLine": "lines",
    "setStaticSenseAxis": "static_axes",
}
_ALL_AROUND = 360.0


class DeviceReader:
    """Adds the devices of a scene to its assembly."""

    def __init__(self, bodies: BodyReader, assembly: RobotAssembly) -> None:
        self._bodies = bodies
        self._assembly = assembly

    def add(self, node: Node) -> None:
        """Add one device; one without a counterpart is dropped with a note."""
        body, devices = self._bodies.carrier(node), self._assembly.devices
        what, place = f"{node.kind} '{node.name}'", (node.file.name, node.line)
        link = "" if body is None else body.name
        if node.kind in _PLAIN:
            devices.perceptor(_PLAIN[node.kind], "")
        elif node.kind in _EFFECTORS:
            devices.effectors.append(_EFFECTORS[node.kind])
        elif node.kind in ("CreateEffector", "StaticMeshInitEffector", "SingleMatInitEffector"):
            pass
        elif not link:
            self._assembly.report.dropped(what, "it belongs to no body", *place)
            return
        elif not self._add_to_link(node, link):
            self._assembly.report.dropped(what, "it is not supported", *place)
            return
        self._assembly.report.understood(what, "", *place)

    def _add_to_link(self, node: Node, link: str) -> bool:
        """Add a device that a link carries; returns whether it has a counterpart."""
        devices = self._assembly.devices
        if node.kind == "GyroRatePerceptor":
            devices.perceptor("gyroscope", node.name, link)
        elif node.kind == "Accelerometer":
            # This accelerometer reports the change of velocity in the cycle before.
            devices.perceptor("accelerometer", node.name, link, delay=1)
        elif node.kind in ("ForceResistancePerceptor", "TouchPerceptor"):
            devices.touch(link)
            devices.perceptor("touch" if node.kind == "TouchPerceptor" else "force_resistance", node.name, link)
        elif node.kind in ("VisionPerceptor", "RestrictedVisionPerceptor"):
            self._add_vision(node, link)
        elif node.kind == "ImagePerceptor":
            self._add_camera(node, link)
        elif node.kind == "ObjectState":
            self._add_part(node, link)
        else:
            return False
        return True

    def _add_vision(self, node: Node, link: str) -> None:
        restricted = node.kind == "RestrictedVisionPerceptor"
        cones = node.numbers("setViewCones", 2) if restricted else None
        across, high = cones or (_ALL_AROUND, _ALL_AROUND)
        every = node.numbers("setInterval", 1) or (3.0 if restricted else 1.0,)
        flags: dict[str, float] = {key: _flag(node, method) for method, key in _VISION.items() if node.call(method)}
        if node.call("addNoise") and not _flag(node, "addNoise"):
            flags |= dict.fromkeys(_NOISES, 0.0)
        parameters = {"horizontal_fov_deg": across, "vertical_fov_deg": high, "interval": max(1, round(every[0]))}
        self._assembly.devices.perceptor("restricted_vision", "vision", link, **parameters, **flags)

    def _add_camera(self, node: Node, link: str) -> None:
        width, height = node.numbers("setResolution", 2) or (320.0, 240.0)
        (across,) = node.numbers("setFOV", 1) or (60.0,)
        pose = self._assembly.bodies[link].pose.inverse() @ pose_in_scene(node)
        size = (max(round(width), 1), max(round(height), 1))
        self._assembly.camera(node.name, link, pose, size, across)

    def _add_part(self, node: Node, link: str) -> None:
        """Add a part that other robots see by its name."""
        call = node.call("setID") or node.call("setPerceptName")
        if call and call.arguments:
            self._assembly.devices.visible_parts[str(call.arguments[0])] = link


_NOISES = ("calibration_error", "distance_noise", "horizontal_noise_deg", "vertical_noise_deg")


def is_device(node: Node) -> bool:
    """Whether a node is a perceptor or effector that does not belong to a joint."""
    if node.parent is not None and node.parent.kind.endswith("Joint"):
        return False
    return node.kind.endswith(("Perceptor", "Effector")) or node.kind in ("Accelerometer", "AgentState", "ObjectState")


def _flag(node: Node, method: str) -> bool:
    call = node.call(method)
    return call is not None and bool(call.arguments) and str(call.arguments[0]).lower() in ("true", "1")
