import math
from dataclasses import replace
from typing import Any

import pytest
import yaml

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.settings import WORLDS, field_of, field_text, load_soccer_settings, read_world
from simspark_ros.soccer.teams import Side

IMPOSSIBLE: dict[str, list[tuple[str, Any]]] = {
    "field": [("circle_chords", 0), ("length", -30.0), ("width", 1e9)],
    "goal": [("height", 0.0)],
    "walls": [("thickness", -1.0)],
    "ball": [("radius", 0.0), ("mass", -1.0)],
    "start": [("step_y", 0.0), ("clearance", -0.1), ("first", [0.0, 1e308, 0.4]), ("step_x", -1e9)],
    "create": [("clearance", -0.1), ("position", [0.0, 0.0, 1e9]), ("heading_deg", 1e9)],
    "beam": [("noise_xy", -0.1), ("min_x", 1.0), ("min_x", -1e308)],
    "speech": [("interval", 0)],
    "teams": [("size", 0)],
}
CASES = [(section, key, value) for section, wrong in IMPOSSIBLE.items() for key, value in wrong]


@pytest.mark.parametrize(("section", "key", "value"), CASES)
def test_impossible_sizes_are_named_with_file_section_and_key(tmp_path, section, key, value):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"based_on": "soccer", section: {key: value}}))
    with pytest.raises(ConfigurationError, match=f"mine.yaml: {section}: .*{key}"):
        load_soccer_settings(path)


def test_unknown_sections_are_answered_by_all_that_exist_and_a_field_that_was_told_is_the_same():
    with pytest.raises(ConfigurationError, match=r"unknown key 'referee'; use one of: .*, rules"):
        load_soccer_settings(None, {"referee": {"half_time": 60}})
    changed = load_soccer_settings("spl", {"field": {"length": 8.3 / 3.0}}).field
    assert field_of(field_text(changed)) == changed
    assert field_of("spl") != changed and field_of("") == load_soccer_settings().field


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{", "this is no JSON"), ('{"length": 9}', "key 'width' is missing"), ('{"size": 1}', "unknown")],
)
def test_a_field_that_cannot_be_is_refused(text, problem):
    with pytest.raises(ConfigurationError, match=problem):
        field_of(text)


NAMES = [name for name in WORLDS.names if read_world(name).plays_soccer]
CLASSIC = [name for name in NAMES if name != "spl_12ms"]
"""Worlds that classic agents can play in."""

SIZES = {
    "fifa": (105.0, 68.0, 7.32, 11, 51),
    "fifa7vs7": (55.0, 36.0, 3.66, 7, 51),
    "kidsize": (9.0, 6.0, 2.6, 4, 31),
    "league_2004": (105.0, 68.0, 7.32, 11, 51),
    "league_2009": (12.0, 8.0, 1.4, 11, 21),
    "league_2010": (18.0, 12.0, 2.1, 11, 21),
    "league_2011": (21.0, 14.0, 2.1, 9, 21),
    "msl": (18.0, 12.0, 2.0, 6, 37),
    "soccer": (30.0, 20.0, 2.1, 11, 21),
    "spl": (9.0, 6.0, 1.5, 7, 31),
    "spl_12ms": (9.0, 6.0, 1.5, 7, 31),
}
"""Length, width, width of the goals, players of a team, lines."""


def test_the_shipped_worlds_have_the_sizes_of_their_documents():
    found = {}
    for name in NAMES:
        field, size = load_soccer_settings(name).field, load_soccer_settings(name).teams.size
        found[name] = field.length, field.width, field.goal_width, size, len(field.lines())
    assert found == SIZES


@pytest.mark.parametrize("name", NAMES)
def test_marks_lines_and_start_places_lie_on_the_field(name):
    settings = load_soccer_settings(name)
    field = settings.field
    x, y = field.length / 2, field.width / 2
    marks = field.landmarks()
    assert marks["F1L"] == (-x, y, 0.0) and marks["G2R"] == (x, -field.goal_width / 2, field.goal_height)
    ends = [end for line in field.lines() for end in line]
    assert all(abs(a) <= x and abs(b) <= y for a, b, _ in ends)
    assert all(math.dist(*line) > 0 for line in field.lines())
    for side in Side:
        places = [settings.start.position(index, side) for index in range(settings.teams.size)]
        beside = y + 3.0 if settings.start.faces_field else 0.0
        assert all(0 < -side.sign * a < x and (b == beside or abs(b) < y) for a, b, _ in places)


QUICKLY = ("rules.game.goal_pause=0.4", "rules.league_flow.ready_time=0.2", "rules.league_flow.set_time=0.2")


@pytest.mark.parametrize("name", CLASSIC)
def test_the_ball_comes_back_as_the_rules_say_and_goals_count_between_the_posts(name, play):
    played = play(world=name, changes=QUICKLY)
    world, field = played.world, played.world.settings.field
    played.join("a", "Left")
    played.join("b", "Right")
    played.act(Action("a", "beam", (-field.length / 4, 1.0, 0.0)), cycles=3)
    row = world.engine.state.row(world.robot_of("a").handle)
    # Noise of the beam is 0.05 m along either axis.
    assert world.engine.state.position[row, :2] == pytest.approx((-field.length / 4, 1.0), abs=0.06)
    world.game.set_play_mode(PlayMode.PLAY_ON)
    world.place_ball((field.length / 2 - 0.1, field.goal_width), (3.0, 0.0, 0.0))
    while not played.referee.match.log.since(0):
        assert played.run(1).cycle < 40
    assert world.game.play_mode is (PlayMode.PLAY_ON if name == "msl" else PlayMode.GOAL_KICK_RIGHT)
    if name == "msl":
        played.run(1)
        # It was put back on the line and has not rolled since, but for a cycle's settling.
        line = (field.length / 2 - world.settings.ball.radius, field.goal_width)
        assert world.engine.state.ball_position[:2] == pytest.approx(line, abs=1e-3)
    world.game.set_play_mode(PlayMode.PLAY_ON)
    world.place_ball((field.length / 2 - 0.1, 0.4 * field.goal_width), (3.0, 0.0, 0.0))
    played.run(10)
    assert (world.game.score_left, world.game.score_right) == (1, 0)
    assert world.game.play_mode is PlayMode.GOAL_LEFT
    played.run(round(world.settings.rules.game.goal_pause / 0.02) + 2)
    assert world.game.play_mode is PlayMode.KICK_OFF_RIGHT
    assert math.hypot(*world.engine.state.ball_position[:2]) < 0.01


def test_a_world_of_ones_own_names_only_what_differs(tmp_path):
    path = tmp_path / "hall.yaml"
    path.write_text("based_on: msl\nfield: {length: 14.0}\nrules: {game: {half_time: 60}}\nteams: {size: 4}\n")
    settings = load_soccer_settings(path)
    assert (settings.field.length, settings.field.width, settings.teams.size) == (14.0, 12.0, 4)
    assert settings.rules.game.half_time == 60 and settings.rules.ball.out_reset == "put_back"


def test_players_of_the_newer_league_start_beside_the_field_and_face_it(play):
    played = play(world="fifa7vs7")
    for client, team, place in (("a", "A", (-3.0, 21.0)), ("b", "B", (3.0, 21.0))):
        played.join(client, team)
        state = played.world.engine.state
        row = state.row(played.world.robot_of(client).handle)
        # A cycle of falling into place.
        assert state.position[row, :2] == pytest.approx(place, abs=0.01)
        assert state.rotation[row, :2, 0] == pytest.approx((0.0, -1.0), abs=0.02)


FIELD = load_soccer_settings().field


def test_marks_goals_and_walls_stand_where_they_were_measured():
    marks, in_vision = FIELD.marks(), ["G1L", "G2L", "G2R", "G1R", "F1L", "F2L", "F1R", "F2R"]
    assert list(FIELD.landmarks()) == in_vision
    assert list(marks) == ["centre", "left_goal", "right_goal", *in_vision]
    assert marks["right_goal"] == (15, 0, 0.4)
    assert load_soccer_settings("kidsize").field.marks()["left_penalty_mark"] == (-3, 0, 0)
    assert not replace(FIELD, is_there=False).marks()
    boxes = {box.name: box for box in FIELD.boxes()}
    right, top = boxes["wall_right"], boxes["wall_top"]
    assert (len(boxes), boxes["right_goal_net"].centre[0]) == (12, pytest.approx(15.58))
    assert boxes["left_goal_bar"].centre[2] == pytest.approx(0.82)
    assert right.centre[0] - right.size[0] / 2 == pytest.approx(24.49)
    assert top.centre[1] - top.size[1] / 2 == pytest.approx(24.5)


def test_21_lines_run_in_the_recorded_direction_and_penalty_marks_are_crosses():
    lines = FIELD.lines()
    assert len(lines) == 21
    assert lines[0] == ((0, -10, 0), (0, 10, 0)) and lines[3] == ((15, 10, 0), (-15, 10, 0))
    assert lines[5] == ((13.2, 3, 0), (13.2, -3, 0))
    circle = lines[11:]
    following = circle[1:] + circle[:1]
    assert all(math.dist(line[1], after[0]) < 1e-12 for line, after in zip(circle, following, strict=True))
    assert all(math.isclose(math.hypot(*start[:2]), 2.0) for start, _ in circle)
    crosses = load_soccer_settings("spl").field.lines()[17:21]
    middles = [tuple((a + b) / 2 for a, b in zip(*line, strict=True)) for line in crosses]
    assert middles == [(3.2, 0, 0)] * 2 + [(-3.2, 0, 0)] * 2
    assert [math.dist(*line) for line in crosses] == pytest.approx([0.1] * 4)
