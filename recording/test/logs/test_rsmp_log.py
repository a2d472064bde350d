"""Logs of the league since 2026: our own, and one as rcssservermj writes it, with bodies below bodies and sites."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_recording.logs.rsmp_log import RsmpReader, classic_frames, simulated_time
from simspark_ros.configuration.league_models import MODELS_VARIABLE
from simspark_ros.configuration.resources import resource
from simspark_ros.exchange import GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.reader import FrameError, MonitorReader
from simspark_ros.protocol.monitor.rsmp import RsmpEncoder
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.game_state import Foul, FoulKind
from simspark_ros.soccer.teams import Side

MODELS = resource("test", "data", "league_models")
DIGITS = 1e-3
"""Four decimals are written of each link's frame in that of its base, at most a metre away."""


def transform(*inside: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> str:
    return f"(nd TRF(SLT 1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0 0.0 {at[0]} {at[1]} {at[2]} 1.0){''.join(inside)})"


def mesh(name: str) -> str:
    return transform(f"(nd SMN (setVisible 1)(load models/{name}.STL)(sMat matLeft))")


def toy(model: str = "toy", legs: int = 2) -> str:
    """A torso with a head and legs; sites are empty transforms, and a solid at its link's origin needs none."""
    head = transform(mesh(f"{model}/Head"), transform(), at=(0.0, 0.0, 0.3))
    leg = transform(mesh(f"{model}/Leg"), at=(0.0, 0.1, -0.05))
    coat = "(nd SMN (setVisible 1)(load StdUnitSphere)(sMat matLeft))"
    torso = transform(coat, mesh(f"{model}/Trunk"), transform(), head, *[leg] * legs, at=(1.0, 2.0, 0.5))
    return f"(nd DSC(agent A 7){torso})"


GOAL = transform(transform(mesh("post")), at=(27.5, 0.0, 0.0))
BALL = f"(nd DSC(ball){transform('(nd SMN (setVisible 1)(load StdUnitSphere)(sMat ball))', at=(3.0, -1.0, 0.11))})"
SIZES = "(FieldLength 55)(FieldWidth 36)(GoalWidth 1)(GoalDepth 3.66)(BallRadius 0.11)(play_modes BeforeKickOff PlayOn)"


def line(scene: str, time: float = 4.0, kind: str = "full", sizes: str = f"((ge 1 0){SIZES})") -> bytes:
    game = "(time 1.5)(half 1)(score_left 2)(score_right 0)(play_mode 1)(team_left A)(team_right <RIGHT>)"
    return f"((RSMP 1 0)((gt 1 0){time})((sg 1 0){kind}{scene})((gs 1 0){game}){sizes})".encode()


def percepts(*lines: bytes) -> tuple[Percepts, RsmpReader]:
    reader = RsmpReader()
    for one in lines:
        reader.show(one)
    return reader.percepts(), reader


def poses(seen: Percepts) -> Poses:
    assert seen.poses is not None
    return seen.poses


@pytest.fixture
def league(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))


def test_a_robot_of_the_league_has_the_links_of_its_file_at_their_centres_of_mass(league: None) -> None:
    seen, reader = percepts(line(transform(BALL, GOAL, toy())))
    (robot,) = seen.layout.robots
    links = load_robot("toy").model.links
    assert (robot.robot, robot.team, robot.side, robot.unum) == ("toy", "A", "left", 7)
    assert robot.links == tuple(link.name for link in links)
    origins = [(1.0, 2.0, 0.5), (1.0, 2.0, 0.8), (1.0, 2.1, 0.45), (1.0, 2.1, 0.45)]
    assert poses(seen).positions == pytest.approx(np.array(origins) + [link.centre for link in links])
    assert poses(seen).ball.tolist() == [3.0, -1.0, 0.11]
    assert reader.layout is seen.layout and reader.descriptions == (load_robot("toy"),)


@pytest.mark.parametrize(("model", "legs"), [("unknown", 2), ("toy", 3)])
def test_a_robot_without_a_fitting_file_has_a_body_for_each_link(league: None, model: str, legs: int) -> None:
    seen, reader = percepts(line(transform(BALL, toy(model, legs))))
    (robot,) = seen.layout.robots
    assert len(robot.links) == 2 + legs and robot.links[0] == "link_0"
    assert poses(seen).positions[0].tolist() == [1.0, 2.0, 0.5] and not reader.descriptions


def test_the_game_its_fouls_and_the_sizes_of_the_field_are_told(league: None) -> None:
    seen, reader = percepts(line(transform(BALL)))
    assert seen.game == GameSnapshot(1.5, "PlayOn", 2, 0, 1, "A", "")
    # rcssservermj exchanges a goal's width and depth.
    sizes = dict(seen.layout.environment)
    assert (sizes["FieldLength"], sizes["GoalWidth"], sizes["GoalDepth"]) == (55.0, 3.66, 1.0)
    assert reader.simulated == 4.0
    assert (simulated_time(line("")), simulated_time(b"((time 3))")) == (4.0, None)
    encoder = RsmpEncoder(load_look())
    moment: Any = percepts(line(transform(BALL)))[0]
    encoder.adopt(moment.layout)
    fouls = (Foul(1, FoulKind.CHARGING, Side.RIGHT, 3),)
    frames = encoder.encode(replace(moment, game=moment.game._replace(fouls=fouls)), full=True, partial=False)
    assert percepts(frames.full or b"")[0].game.fouls == fouls


def test_changes_move_what_they_name_and_new_robots_make_a_new_full_frame(league: None) -> None:
    first = line(transform(BALL, toy()))
    ball = "(SLT 1 0 0 0 0 1 0 0 0 0 1 0 5 0 0.2 1)"
    nodes = first.decode().count("(nd")
    moved = "".join(f"(nd TRF{ball})" if number == 2 else "(nd)" for number in range(nodes))
    changed = line(f" {moved}", 4.04, "diff", "")
    more = line(transform(BALL, toy(), toy()), 4.08)
    log = RsmpReader()
    lines = [first, changed, line(transform(BALL, toy()), 4.06), more]
    told = [(log.simulated, frame) for frame in classic_frames(log, lines)]
    assert [time for time, _ in told] == [4.0, 4.04, 4.06, 4.08]
    assert [b"(RSG " in frame for _, frame in told] == [True, False, False, True]
    assert len(log.descriptions) == 2
    reader = MonitorReader()
    for _, frame in told[:2]:
        reader.show(frame)
    assert np.isclose(reader.world()[:, :3, 3], (5.0, 0.0, 0.2)).all(axis=1).any()


def test_our_own_logs_show_what_classic_ones_show() -> None:
    links = tuple(link.name for link in load_robot("nao").model.links)
    robots = tuple(RobotLayout(n, "c", "nao", 0, "A", "left", n, 1, (), (), (), links) for n in (1, 2))
    random = np.random.default_rng(3)
    places = random.uniform(0.2, 0.8, (2 * len(links), 3))
    turns = random.normal(size=(2 * len(links), 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    game = GameSnapshot(4.4, "PlayOn", 1, 0, 1, "A", "")
    shown = Poses(places, rotations_from_quaternions(turns), np.array([1.0, 2.0, 0.11]))
    moment = Percepts(1, 0.02, Layout(1, robots, ()), game, np.zeros(0), np.zeros(0, np.bool_), poses=shown)

    def full(encoder: MonitorEncoder) -> bytes:
        encoder.adopt(moment.layout)
        return encoder.encode(moment, full=True, partial=False).full or b""

    ours, classic = MonitorReader(), MonitorReader()
    (frame,) = classic_frames(RsmpReader(), [full(RsmpEncoder(load_look()))])
    ours.show(frame)
    classic.show(full(MonitorEncoder(load_look())))
    assert ours.nodes == classic.nodes and ours.world() == pytest.approx(classic.world(), abs=DIGITS)
    assert (ours.play_mode, ours.environment["team_left"]) == ("PlayOn", "A")


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        (b"((RSMP 1 0)((gt 1 0)4.0))", "without simulated time, scene or game"),
        (line("(nd"), "line 2"),
        (line(" (nd)", kind="diff"), "partial frame of 1 nodes"),
        (line(transform(BALL).replace("0.11", "x")), "cannot be read"),
    ],
)
def test_lines_that_cannot_be_read_are_named(frame: bytes, fault: str) -> None:
    with pytest.raises(FrameError, match=fault):
        list(classic_frames(RsmpReader(), [line(transform(BALL)), frame]))
