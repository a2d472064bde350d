"""Every shipped world can be played on: its marks, its teams, and what happens when the ball leaves the field."""

import math

import pytest

from simspark_ros.exchange import Action
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.settings import WORLDS, load_soccer_settings, read_world
from simspark_ros.soccer.teams import Side

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
    loaded = {name: load_soccer_settings(name) for name in NAMES}
    found = {
        name: (s.field.length, s.field.width, s.field.goal_width, s.teams.size, len(s.field.lines()))
        for name, s in loaded.items()
    }
    assert found == SIZES


@pytest.mark.parametrize("name", NAMES)
def test_marks_lines_and_start_places_lie_on_the_field(name):
    settings = load_soccer_settings(name)
    field = settings.field
    x, y = field.length / 2, field.width / 2
    marks = field.landmarks()
    assert marks["F1L"] == (-x, y, 0.0)
    assert marks["G2R"] == (x, -field.goal_width / 2, field.goal_height)
    ends = [end for line in field.lines() for end in line]
    assert all(abs(a) <= x and abs(b) <= y for a, b, _ in ends)
    assert all(math.dist(*line) > 0 for line in field.lines())
    for side in Side:
        places = [settings.start.position(index, side) for index in range(settings.teams.size)]
        beside = y + 3.0 if settings.start.faces_field else 0.0
        assert all(0 < -side.sign * a < x and (b == beside or abs(b) < y) for a, b, _ in places)


def test_penalty_marks_are_crosses_before_the_goals():
    crosses = load_soccer_settings("spl").field.lines()[17:21]
    middles = [tuple((a + b) / 2 for a, b in zip(*line, strict=True)) for line in crosses]
    assert middles == [(3.2, 0, 0)] * 2 + [(-3.2, 0, 0)] * 2
    assert [math.dist(*line) for line in crosses] == pytest.approx([0.1] * 4)


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
    assert settings.rules.game.half_time == 60
    assert settings.rules.ball.out_reset == "put_back"


def test_players_of_the_newer_league_start_beside_the_field_and_face_it(play):
    played = play(world="fifa7vs7")
    for client, team, place in (("a", "A", (-3.0, 21.0)), ("b", "B", (3.0, 21.0))):
        played.join(client, team)
        state = played.world.engine.state
        row = state.row(played.world.robot_of(client).handle)
        # A cycle of falling into place.
        assert state.position[row, :2] == pytest.approx(place, abs=0.01)
        assert state.rotation[row, :2, 0] == pytest.approx((0.0, -1.0), abs=0.02)
