import math
from dataclasses import replace

from simspark_ros.soccer.settings import load_soccer_settings

FIELD = load_soccer_settings().field


def test_marks_are_landmarks_goals_and_spots_that_the_field_has():
    marks, in_vision = FIELD.marks(), ["G1L", "G2L", "G2R", "G1R", "F1L", "F2L", "F1R", "F2R"]
    assert list(FIELD.landmarks()) == in_vision
    assert list(marks) == ["centre", "left_goal", "right_goal", *in_vision]
    assert marks["right_goal"] == (15, 0, 0.4)
    assert load_soccer_settings("kidsize").field.marks()["left_penalty_mark"] == (-3, 0, 0)
    assert not replace(FIELD, is_there=False).marks()


def test_there_are_21_lines_and_the_circle_closes():
    lines = FIELD.lines()
    assert len(lines) == 21
    circle = lines[11:]
    following = circle[1:] + circle[:1]
    assert all(math.dist(line[1], after[0]) < 1e-12 for line, after in zip(circle, following, strict=True))
    assert all(math.isclose(math.hypot(*start[:2]), 2.0) for start, _ in circle)


def test_lines_run_in_the_recorded_direction():
    lines = FIELD.lines()
    assert lines[0] == ((0, -10, 0), (0, 10, 0))
    assert lines[3] == ((15, 10, 0), (-15, 10, 0))
    assert lines[5] == ((13.2, 3, 0), (13.2, -3, 0))


def test_goals_and_walls_stand_where_they_were_measured():
    boxes = {box.name: box for box in FIELD.boxes()}
    assert len(boxes) == 12
    net = boxes["right_goal_net"]
    assert math.isclose(net.centre[0], 15.58)
    assert math.isclose(boxes["left_goal_bar"].centre[2], 0.82)
    wall = boxes["wall_right"]
    assert math.isclose(wall.centre[0] - wall.size[0] / 2, 24.49)
    assert math.isclose(boxes["wall_top"].centre[1] - boxes["wall_top"].size[1] / 2, 24.5)
