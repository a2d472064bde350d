"""What the grammars of ROS draw fits its services and messages, and much of it is taken."""

from __future__ import annotations

import contextlib
import random

import pytest

from simspark_ros.clients.stress.fuzz.robot_files import robot_file
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.ros.stress_door import SERVICES, draw_files, draw_ros, fill
from simspark_ros.ros.topics.publisher import message_type


@pytest.mark.parametrize("draw", [draw_ros, draw_files])
def test_drawn_requests_and_messages_have_fields_of_the_right_types(draw):
    seen = set()
    for seed in range(200):
        for verb, *arguments in draw(random.Random(seed), False):
            seen.add(verb)
            if verb == "call":
                fill(SERVICES[arguments[0]].Request(), arguments[1])
            elif verb == "publish":
                fill(message_type(arguments[1])(), arguments[2])
    assert {"call", "publish"} <= seen


def test_a_fair_part_of_the_drawn_robot_files_is_valid(tmp_path):
    good = 0
    for seed in range(60):
        files = robot_file(random.Random(seed), f"r{seed}")
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        with contextlib.suppress(RobotError):
            load_robot(str(tmp_path / next(iter(files))))
            good += 1
    assert 10 < good < 50
