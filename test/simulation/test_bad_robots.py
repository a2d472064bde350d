from dataclasses import replace

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import EffectorSpec, PerceptorSpec, RobotDescription
from simspark_ros.simulation.loading.robot_resources import SpawnError
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.worlds.errors import UnusableRobotError


def with_parts(*specs: PerceptorSpec | EffectorSpec) -> RobotDescription:
    """A Nao with these sensors or actuators alone."""
    parts = {"perceptors": (), "effectors": ()} | {f"{type(specs[0]).__name__[:-4].lower()}s": specs}
    return replace(load_robot("nao"), **parts)  # type: ignore[arg-type]


EYES = (PerceptorSpec("restricted_vision", "see", "head"), PerceptorSpec("restricted_vision", "look", "head"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (EYES, "more than one restricted_vision; one is supported"),
        (EffectorSpec("warp", "warp"), r"nao\.yaml: effector warp: there is no such kind"),
        (PerceptorSpec("radar", "front"), r"nao\.yaml: unknown perceptor 'radar'"),
        (PerceptorSpec("gyroscope", "torso", "torso", {"noise": "abc"}), "noise"),
        (PerceptorSpec("gyroscope", "torso", "torso", {"nois": 1.0}), "'nois'"),
        (PerceptorSpec("gyroscope", "nose", "nose"), "unknown link or frame 'nose'; use one of: torso, "),
        (PerceptorSpec("accelerometer", "head", "head", {"delay": 2}), "delay"),
        (PerceptorSpec("restricted_vision", "see", "head", {"interval": 0}), "interval"),
        (PerceptorSpec("force_resistance", "hand", "rlowerarm"), "'rlowerarm' is not a touch link"),
        (PerceptorSpec("hinge_joint", "head", "head"), r"needs a joint out of hj1, .*, not \['head'\]"),
        (PerceptorSpec("universal_joint", "neck", "", {}), r"needs two joints out of hj1, .*, not \[\]"),
        (PerceptorSpec("universal_joint", "neck", "", {"joints": ["hj1"]}), r"needs two joints .*, not \['hj1'\]"),
        (PerceptorSpec("universal_joint", "neck", "", {"joints": ["hj1", "x"]}), r"needs two joints .*'x'\]"),
        (PerceptorSpec("camera", "camera", "camera", {"width": -4}), "width"),
        # With these a cycle could not compute.
        (PerceptorSpec("gyroscope", "torso", "torso", {"noise": 1e308}), "noise must be"),
        (PerceptorSpec("restricted_vision", "see", "head", {"calibration_error": 1e308}), "must be"),
        (PerceptorSpec("restricted_vision", "see", "head", {"distance_noise": 1e308}), "must be"),
        (EffectorSpec("drive", "drive", "", {"max_force": 1e308}), "must be"),
        (EffectorSpec("drive", "drive", "", {"max_force": 1.0, "endurance": 1e-308}), "must be"),
        (EffectorSpec("kick", "kick", "", {"max_force": 1e308}), "must be"),
        (EffectorSpec("kick", "kick", "", {"max_force": 1.0, "max_angle_deg": 5e-324}), "must be"),
        (EffectorSpec("catch", "catch", "", {"move": 1e308}), "must be"),
    ],
)
def test_a_part_that_cannot_be_is_named_and_nothing_is_added(played, spec, message):
    with pytest.raises(UnusableRobotError, match=message):
        played.world.add_robot(with_parts(*(spec if isinstance(spec, tuple) else [spec])), (0, 0, 0.4), 0.0)
    played.run(2)
    assert not played.world.robots


def test_robots_from_files_are_refused_once_they_have_made_the_engine_fail_too_often(played, monkeypatch):
    monkeypatch.setattr(GuardedEngine, "worn", True)
    foreign = replace(load_robot("nao"), source="/somewhere/own.yaml")
    with pytest.raises(SpawnError, match=r"max_failures of its preset\); only robots of the package .*: .*nao"):
        spawn(played.world, foreign, LimitSettings())
    spawn(played.world, load_robot("nao"), LimitSettings())
    assert len(played.world.robots) == 1
