"""Meanings of names in the files of the 3D league's robots, see the documents of rcssservermj.

* `NAME_tau`, `NAME_pos` and `NAME_vel` are three actuators of one joint: a motor that agents command by `NAME`.
* `LABEL-vismarker` is a site that other robots see as part LABEL, `camera` the site from which a robot sees.
* `hear_a-micro` is a microphone, `say_a-speaker` a loudspeaker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.robots.formats.mjcf.compiled import Compiled
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly

_PARTS = ("_tau", "_pos", "_vel")
_MARKER, _MICROPHONE, _SPEAKER = "-vismarker", "hear_a-micro", "say_a-speaker"

_VISION = {
    "interval": 2,
    "calibration_error": 0.0,
    "distance_noise": 0.0,
    "horizontal_noise_deg": 0.0,
    "vertical_noise_deg": 0.0,
    "lines": False,
    "markers": True,
}


def add_league_devices(compiled: Compiled, assembly: RobotAssembly, frame: Callable[[Any], str]) -> None:
    """Add what the names mean; `frame` marks a site, and returns the name of its frame."""
    _add_motors(compiled, assembly)
    kept = set(compiled.tree)
    sites = {s.name: s for s in compiled.spec.sites if int(compiled.model.site_bodyid[s.id]) in kept}
    markers = {name.removesuffix(_MARKER): site for name, site in sites.items() if name.endswith(_MARKER)}
    if not markers:
        return
    devices = assembly.devices
    devices.visible_parts |= {label: frame(site) for label, site in markers.items()}
    devices.first = [{"kind": "time"}, {"kind": "game_state"}]
    if _MICROPHONE in sites:
        devices.last.append({"kind": "hear", "name": "hear"})
    if "camera" in sites:
        devices.last.append({"kind": "restricted_vision", "link": frame(sites["camera"]), "parameters": _VISION})
    devices.effectors += ["init", "syn", *(["say"] if _SPEAKER in sites else [])]
    height = float(compiled.model.body_pos[compiled.tree[0], 2])
    devices.drives.append(
        {"kind": "beam", "parameters": {"origin": "frame", "joints": "home", "side": "own", "height": height}}
    )


def _add_motors(compiled: Compiled, assembly: RobotAssembly) -> None:
    model, spec = compiled.model, compiled.spec
    actuators = {actuator.name: actuator.id for actuator in spec.actuators}
    joints = {name: int(model.actuator_trnid[number, 0]) for name, number in actuators.items()}
    for name, joint in joints.items():
        word = name.removesuffix(_PARTS[0])
        if word != name and all(joints.get(word + part) == joint for part in _PARTS):
            assembly.devices.words[compiled.joints[joint]] = word
            gains = {p: float(model.actuator_gainprm[actuators[word + p], 0]) for p in _PARTS}
            given = {"stiffness": gains["_pos"], "damping": gains["_vel"]}
            assembly.devices.servos[compiled.joints[joint]] = given
