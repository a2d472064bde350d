"""The effectors of this package."""

from __future__ import annotations

from typing import Any

from simspark_ros.effectors.ball.handling import ball_handling, catch
from simspark_ros.effectors.ball.kick import kick, kicker
from simspark_ros.effectors.ball.press import press
from simspark_ros.effectors.base import Effector
from simspark_ros.effectors.beam import beam
from simspark_ros.effectors.create import create, join
from simspark_ros.effectors.gaze import look_at, pantilt, search_for, turn_camera
from simspark_ros.effectors.hinge import hinge, stiffness, universal
from simspark_ros.effectors.init import init
from simspark_ros.effectors.manipulator import manipulator
from simspark_ros.effectors.motor import motor
from simspark_ros.effectors.omnidrive import drive
from simspark_ros.effectors.say import request_pass, say
from simspark_ros.effectors.walk import walk
from simspark_ros.effectors.zoom import zoom

_OF_PLAYERS: tuple[Effector[Any], ...] = (create, join, init, beam, say, request_pass, pantilt)
_OF_BODIES: tuple[Effector[Any], ...] = (
    *(hinge, universal, motor, stiffness, press, drive, walk),
    *(turn_camera, look_at, search_for, zoom),
)
_WITH_BALL: tuple[Effector[Any], ...] = (kick, catch, ball_handling, kicker, manipulator)

EFFECTORS = {effector.kind: effector for effector in _OF_PLAYERS + _OF_BODIES + _WITH_BALL}
"""All effectors of this package, by kind."""
