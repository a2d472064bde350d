"""The monitor stream of the league since 2026, read by a reader that also reads rcssservermj."""

import math

import numpy as np
import pytest

from benchmarks.newer_league.rsmp import Screen
from simspark_ros.exchange import GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.rsmp import RSMP_COMMANDS, RSMP_PLAY_MODES, RsmpEncoder
from simspark_ros.protocol.monitor.trainer import parse
from simspark_ros.soccer.game_state import Foul, FoulKind, PlayMode
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.soccer.teams import Side

ENVIRONMENT = tuple(load_soccer_settings("fifa7vs7").environment.items())
GAME = GameSnapshot(4.4, "KickOff_Left", 1, 0, 1, "FCP", "")
TURNED = rotations_from_quaternions(np.array([[0.0, 0.0, math.sin(0.4), math.cos(0.4)]]))[0]


def nao(unum: int = 5, team: str = "FCP", side: str = "left") -> RobotLayout:
    return RobotLayout(unum, "c", "nao", 0, team, side, unum, 1, (), (), (), ("torso", "head"))


def layout(*robots: RobotLayout, revision: int = 1) -> Layout:
    return Layout(revision, robots, ("B",), ENVIRONMENT)


def percepts(robots: Layout, torso: tuple[float, float, float], game: GameSnapshot = GAME) -> Percepts:
    base = np.array([torso, (torso[0], torso[1], torso[2] + 0.2)])
    count = len(robots.robots)
    poses = Poses(np.tile(base, (count, 1)), np.tile(TURNED, (2 * count, 1, 1)), np.array([1.0, 2.0, 0.11]))
    return Percepts(1, 0.02, robots, game, np.zeros(0), np.zeros(0, np.bool_), poses=poses)


STILL = (1.0, -2.0, 0.4)


@pytest.fixture
def encoder() -> RsmpEncoder:
    return RsmpEncoder(load_look())


def shown(encoder: RsmpEncoder, seen: Percepts, screen: Screen | None = None) -> Screen:
    """A screen after the next frame: a full one on a new screen, else the changes."""
    new = screen is None
    frames = encoder.encode(seen, full=new, partial=not new)
    screen = screen or Screen()
    screen.show(frames.full or frames.partial or b"")
    return screen


def test_a_full_frame_has_time_game_environment_and_agents_whose_first_node_is_their_torso_with_x_forward(encoder):
    robots = layout(nao())
    assert encoder.adopt(robots)
    screen = shown(encoder, percepts(robots, (1.0, -2.0, 0.4)))
    assert (screen.time, screen.play_mode, screen.score) == (0.02, "KickOff_Left", (1, 0))
    assert (screen.game["team_left"], screen.game["team_right"]) == ("FCP", "<RIGHT>")
    assert screen.environment["FieldLength"] == ["55"] and screen.environment["PenaltyAreaWidth"] == ["16.5"]
    pose = screen.poses()["agent", "FCP", "5"]
    # Four decimals are sent.
    assert pose[:3, :3] == pytest.approx(TURNED, abs=1e-4)
    assert pose[:3, 3] == pytest.approx((1.0, -2.0, 0.4), abs=1e-4) and screen.scene is not None
    head = next(node for node in screen.scene.all() if "agent" in node.facts).children[0].children[-1]
    # The head is 0.2 m above the torso and turned as it is.
    assert head.matrix is not None and head.matrix[:3, :3] == pytest.approx(np.eye(3), abs=1e-4)
    assert head.matrix[:3, 3] == pytest.approx((0.0, 0.0, 0.2), abs=1e-4)


def test_a_link_with_a_frame_of_its_own_is_where_that_is(encoder):
    robots = layout(nao()._replace(robot="T1", links=("torso", "H1")))
    encoder.adopt(robots)
    screen = shown(encoder, percepts(robots, (1.0, -2.0, 0.4)))
    (x, y, z) = screen.poses()["agent", "FCP", "5"][:3, 3]
    # The trunk's centre of mass is 0.055 m before and 0.105 m above the origin of its frame.
    assert (x, y) == pytest.approx((1.0 - 0.0551 * TURNED[0, 0], -2.0 - 0.0551 * TURNED[1, 0]), abs=1e-3)
    assert z == pytest.approx(0.4 - 0.1051, abs=1e-3) and screen.scene is not None
    trunk = next(node for node in screen.scene.all() if node.facts.get("load") == ["models/T1/Trunk.STL"])
    # RoboViz would draw it grey in a node of another kind.
    assert trunk.kind == "SMN" and trunk.facts["resetMaterials"] == ["matLeft", "matNum5"]


def test_changes_move_what_has_moved_and_leave_out_the_rest(encoder):
    robots = layout(nao(), nao(6))
    encoder.adopt(robots)
    screen = shown(encoder, percepts(robots, (1.0, -2.0, 0.4)))
    assert b"SLT" not in encoder.encode(percepts(robots, (1.0, -2.0, 0.4)), full=False, partial=True).partial
    shown(encoder, percepts(robots, (1.5, -2.0, 0.4)), screen)
    assert not screen.full and screen.poses()["agent", "FCP", "6"][0, 3] == pytest.approx(1.5, abs=1e-4)
    assert screen.poses()["ball",][:3, 3] == pytest.approx((1.0, 2.0, 0.11), abs=1e-4)


def test_a_foul_is_told_once_and_a_robot_without_team_is_no_agent(encoder):
    robots = layout(nao(0, "", ""))
    encoder.adopt(robots)
    game = GAME._replace(fouls=(Foul(1, FoulKind.INCAPABLE, Side.RIGHT, 3),))
    screen = shown(encoder, percepts(robots, STILL, game))
    shown(encoder, percepts(robots, STILL, game), screen)
    assert screen.fouls == [(4, 2, 3)] and ("robot", "nao") in screen.poses()


def test_every_play_mode_has_an_index_after_those_of_the_original():
    assert set(RSMP_PLAY_MODES) >= {mode.value for mode in PlayMode}
    assert RSMP_PLAY_MODES[:4] == ("BeforeKickOff", "KickOff_Left", "KickOff_Right", "PlayOn")
    penalties = [f"penalty_{kind}_{side}" for kind in ("kick", "shoot") for side in ("left", "right")]
    assert [*RSMP_PLAY_MODES[19:23]] == penalties


@pytest.mark.parametrize(
    ("text", "kind", "arguments"),
    [
        ("(kickOff L)", "kick_off", ("left",)),
        ("(kickOff)", "kick_off", ("",)),
        ("(dropBall)", "drop_ball", ()),
        ("(ball (pos 1 2 3))", "ball", (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)),
        ("(ball (pos 1 2 3)(vel 4 5 6))", "ball", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
        ("(agent (unum 3)(team R)(move3d 1 2 3 2 0 0 0))", "agent_place", ("right", 3, 1.0, 2.0, 3.0, 0, 0, 0, 1.0)),
        ("(playMode PlayOn)", "play_mode", ("PlayOn",)),
    ],
)
def test_commands_of_trainers_are_read(text, kind, arguments):
    trained = parse("m", text.encode(), None, RSMP_COMMANDS)
    assert trained.rejected == []
    assert [(action.kind, action.arguments) for action in trained.actions] == [(kind, arguments)]


WRONG_OF_AGENTS = ["(team Left)(pos 0 0 1)", "(unum 1)(team Left)", "(unum 1)(team Left)(move3d 0 0 1 0 0 0 0)"]
WRONG_OF_AGENTS += ["(unum 1e9)(team Left)(pos 0 0 1)", "(unum 1)(team ())(pos 0 0 1)"]
WRONG = ("kickOff Up", "kickOff (Left)", "ball (vel 1 2 3)", "ball (pos 1 nan 3)", "jump")


@pytest.mark.parametrize("text", [*WRONG, *map("agent {}".format, WRONG_OF_AGENTS)])
def test_wrong_commands_are_refused(text):
    trained = parse("m", f"({text})".encode(), None, RSMP_COMMANDS)
    assert trained.actions == [] and len(trained.rejected) == 1
