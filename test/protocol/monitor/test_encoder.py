"""Frames for monitors, read by a strict reader that also reads the recorded session."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.protocol.monitor.encoder import BALL_FRAMES, MonitorEncoder
from simspark_ros.protocol.monitor.look import Look, appearance, load_look
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.game_state import Foul, FoulKind
from simspark_ros.soccer.teams import Side
from test.rigs.messages.monitor_reader import Frame, Node, read

ARMS = ("shoulder", "upperarm", "elbow", "lowerarm")
LEGS = ("hip1", "hip2", "thigh", "shank", "ankle", "foot")
PARTS = ["torso", "neck", "head", *("r" + p for p in ARMS), *("l" + p for p in ARMS)]
PARTS += [*("r" + p for p in LEGS), *("l" + p for p in LEGS)]
BALL = 35
"""Child of the scene that is the ball, with the robots after it (protocol reference, section 6)."""


@pytest.fixture(scope="module")
def look() -> Look:
    return load_look()


def assert_same_scene(ours: Frame, theirs: Frame, number: int = 0) -> None:
    """All but the places of nodes, of which only those are there that theirs has."""
    assert ours.environment == theirs.environment, number
    assert ours.scene.shape() == theirs.scene.shape()
    for mine, other in zip(ours.scene.all(), theirs.scene.all(), strict=True):
        assert (mine.kind, mine.visible, mine.facts) == (other.kind, other.visible, other.facts)
        assert (mine.matrix is None) == (other.matrix is None)


def layout(*robots: RobotLayout, revision: int = 1) -> Layout:
    return Layout(revision, robots, ("B",))


def nao(variant: int = 2, unum: int = 5, side: str = "left", links: list[str] = PARTS) -> RobotLayout:
    team = {"left": "FCP", "right": "Them", "": ""}[side]
    return RobotLayout(1, "c-1", "nao", variant, team, side, unum, int(bool(unum)), (), (), (), tuple(links))


GAME = GameSnapshot(0.0, "BeforeKickOff", 0, 0, 1, "FCP", "")


def percepts(robots: Layout, poses: Poses | None, game: GameSnapshot = GAME) -> Percepts:
    return Percepts(1, 0.02, robots, game, np.zeros(0), np.zeros(0, np.bool_), poses=poses)


def standing(robots: Layout, x: float = 0.0) -> Poses:
    count = sum(len(robot.links) for robot in robots.robots)
    positions = np.zeros((count, 3))
    positions[:, 0] = x + 0.1 * np.arange(count)
    return Poses(positions, np.tile(np.eye(3), (count, 1, 1)), np.array([0.0, 0.0, 0.0418]))


def recorded_poses(scene: Node, links: list[str]) -> Poses:
    """The recorded parts as links: their axes are right, forward, up, a link's are forward, left, up."""
    parts = dict(zip(PARTS, scene.children[BALL + 1].children, strict=True))
    matrices = {link: np.array(parts[link].matrix).reshape(4, 4) for link in links}
    turns = np.array([np.stack([matrices[k][1, :3], -matrices[k][0, :3], matrices[k][2, :3]], 1) for k in links])
    positions = np.array([matrices[link][3, :3] for link in links])
    return Poses(positions, turns, np.array(scene.children[BALL].matrix).reshape(4, 4)[3, :3])


def started(look: Look, robots: Layout, poses: Poses | None = None) -> tuple[MonitorEncoder, str]:
    """An encoder, and its first full frame."""
    encoder = MonitorEncoder(look)
    encoder.adopt(robots)
    full = encoder.encode(percepts(robots, poses or standing(robots)), full=True, partial=False).full
    assert full is not None
    return encoder, full.decode()


def frame_of(encoder: MonitorEncoder, robots: Layout, game=GAME, full=False, poses: Poses | None = None) -> Frame:
    """One frame for a monitor that has the full ones before it."""
    made = encoder.encode(percepts(robots, poses or standing(robots), game), full=full, partial=not full)
    text = made.full if full else made.partial
    assert text is not None
    return read(text.decode())


def test_full_frame_is_that_of_the_recording(recorded, look):
    theirs = read(recorded[0].decode())
    links = PARTS[::-1]
    ours = read(started(look, layout(nao(links=links)), recorded_poses(theirs.scene, links))[1])
    assert_same_scene(ours, theirs)
    assert list(ours.environment) == list(theirs.environment)
    for mine, other in zip(ours.scene.all(), theirs.scene.all(), strict=True):
        if mine.matrix and other.matrix:
            # Half of the last decimal that is sent, and the rounding of the recording.
            assert mine.matrix == pytest.approx(other.matrix, abs=6e-5)


@pytest.mark.parametrize("robot", ["K1", "T1", "kidsize", "nao", "nao_lola", "nao_v6", "sphere"])
def test_one_mesh_of_every_robot_has_its_number_and_side(look, robot):
    assert set(look.robots) == {"K1", "T1", "kidsize", "nao", "nao_lola", "nao_v6", "sphere"}
    robots = layout(nao(unum=5, side="right", links=["torso", "body"])._replace(robot=robot))
    materials = re.findall(r"\(resetMaterials ([^)]*)\)", started(look, robots)[1])
    assert sum({"matNum5", "matRight"} <= set(each.split()) for each in materials) == 1


@pytest.mark.parametrize("robot", ["kidsize", "nao_v6"])
def test_boxes_of_monitors_are_as_large_as_those_that_are_seen(look, robot):
    links = {link.name: link for link in load_robot(robot).model.links}
    boxes = {
        part.moves: part.shape
        for part in appearance(look.robots[robot]).parts
        if part.shape and "Box" in part.shape.kind
    }
    assert set(links) >= set(boxes) > set()
    for name, box in boxes.items():
        # A monitor's axes are right, forward, up.
        width, length, height = box.scale
        assert links[name].visuals[0].size == (length, width, height)


def test_partial_frames_are_those_of_the_recording(recorded, look):
    frames = [read(text.decode()) for text in recorded]
    robots = layout(nao())
    poses = recorded_poses(frames[0].scene, PARTS)
    encoder, _ = started(look, robots, poses)
    for number, theirs in enumerate(frames[1:], 1):
        # The head moves to where the recording says; the rest stays.
        for part, node in zip(PARTS, theirs.scene.children[BALL + 1].children, strict=True):
            if node.matrix:
                row = PARTS.index(part)
                matrix = np.array(node.matrix).reshape(4, 4)
                turn = np.stack([matrix[1, :3], -matrix[0, :3], matrix[2, :3]], 1)
                poses.positions[row], poses.rotations[row] = matrix[3, :3], turn
        partial = encoder.encode(percepts(robots, poses), full=False, partial=True).partial
        assert partial is not None
        assert_same_scene(read(partial.decode()), theirs, number)
        assert without_numbers(partial.decode()) == without_numbers(recorded[number].decode())


def without_numbers(text: str) -> str:
    return re.sub(r"\(SLT [^)]*\)", "(SLT)", text)


def test_link_frames_become_part_frames_and_a_drawn_robot_looks_like_its_type(look):
    robots = layout(nao(links=["torso"]))
    half = math.sqrt(0.5)
    # Turned by 90 degrees to the left: forward is world +y, left is world -x.
    turned = rotations_from_quaternions(np.array([[0.0, 0.0, half, half]]))
    poses = Poses(np.array([[1.0, 2.0, 3.0]]), turned, np.zeros(3))
    torso = read(started(look, robots, poses)[1]).scene.children[BALL + 1].children[0]
    assert torso.matrix == pytest.approx([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1])
    drawn = nao(variant=7)._replace(body=4)
    assert started(look, layout(drawn))[1] == started(look, layout(nao(variant=4)))[1]


@pytest.mark.parametrize("variant", range(5))
def test_parts_and_names_of_every_type(look, variant):
    links = [*PARTS, "rtoe", "ltoe"] if variant == 4 else PARTS
    robot = read(started(look, layout(nao(variant, 11, "right", links)))[1]).scene.children[BALL + 1]
    assert len(robot.children) == (25 if variant == 4 else 23)
    names = [node.facts["load"][0] for node in robot.all() if node.kind == "StaticMesh"]
    assert names[0] == f"models/naobody{variant}.obj"
    assert f"models/rshank{variant}.obj" in names and f"models/lupperarm{variant}.obj" in names
    materials = [node.facts["resetMaterials"] for node in robot.all() if node.kind == "StaticMesh"]
    typed = [f"matType{variant}"] if variant != 4 else []
    assert materials[0] == ["matNum11", "matRight", *typed, "naowhite"]
    assert all("matRight" in names for names in materials)


def test_a_robot_without_a_team_has_neither_number_nor_side_and_one_without_a_look_is_shown_by_its_links(look):
    full = started(look, layout(nao(0, 0, "")._replace(robot="wheels", links=("base", "wheel"))))[1]
    robot = read(full).scene.children[BALL + 1]
    assert [node.children[0].facts["load"] for node in robot.children] == [["StdUnitSphere"]] * 2
    full += started(look, layout(nao(0, 0, "")))[1]
    assert not [word for word in ("matNum", "matLeft", "matRight", "{") if word in full]


def test_small_changes_add_up_until_they_are_sent_to_new_and_old_monitors(look):
    robots = layout(nao())
    encoder, _ = started(look, robots)
    sent = []
    for millimetres in (2, 4, 6, 8):
        frame = frame_of(encoder, robots, poses=standing(robots, millimetres / 1000))
        sent.append(sum(node.matrix is not None for node in frame.scene.all()))
    assert sent == [0, 0, 23, 0]
    robots = layout(nao())
    encoder, _ = started(look, robots)
    frames = encoder.encode(percepts(robots, standing(robots, 0.004)), full=True, partial=True)
    full, partial = read((frames.full or b"").decode()), read((frames.partial or b"").decode())
    # Both stay at 0 and learn of the next frame's 6 mm, which differ from what the old one knows by enough.
    assert not any(node.matrix for node in partial.scene.all())
    assert (full.scene.children[BALL + 1].children[0].matrix or [])[12] == 0.0
    torso = frame_of(encoder, robots, poses=standing(robots, 0.006)).scene.children[BALL + 1].children[0]
    assert (torso.matrix or [])[12] == 0.006


def test_only_news_of_the_game_is_sent_and_the_worlds_numbers_take_the_place_of_the_looks(look):
    robots = layout(nao())
    encoder, first = started(look, robots)
    assert "team_right" not in read(first).environment
    scored = GAME._replace(time=12.345678, play_mode="Goal_Left", score_left=1, team_right="Them")
    games = (scored, scored, scored._replace(play_mode="a mode of another rule book"))
    environments = [frame_of(encoder, robots, game).environment for game in games]
    time = {"time": ["12.3457"]}
    assert environments == [{**time, "team_right": ["Them"], "score_left": ["1"], "play_mode": ["13"]}, time, time]
    encoder = MonitorEncoder(look, {"BallMass": 0.05, "Surface": "grass"})
    robots = layout()._replace(environment=(("FieldLength", 9.0), ("BallMass", 0.03)))
    encoder.adopt(robots)
    environment = frame_of(encoder, robots, GAME, full=True).environment
    assert environment["FieldLength"] == ["9"] and environment["FieldWidth"] == ["20"]
    assert environment["BallMass"] == ["0.05"] and environment["Surface"] == ["grass"]


def test_numbers_are_finite_and_not_absurd_and_wrong_percepts_are_refused(look):
    robots = layout(nao())
    encoder, _ = started(look, robots)
    poses = standing(robots, 0.5)
    poses.positions[0] = math.nan, math.inf, 1e12
    poses.rotations[1] = math.nan
    frames = encoder.encode(percepts(robots, poses), full=True, partial=True)
    full = (frames.full or b"").decode()
    read((frames.partial or b"").decode())
    torso = read(full).scene.children[BALL + 1].children[0].matrix or []
    assert torso[12] == 0.0 and torso[14] == pytest.approx(1e4, abs=1e-3)
    assert "nan" not in full and "inf" not in full and "e+" not in full
    robots = layout(nao())
    encoder = MonitorEncoder(look)
    encoder.adopt(robots)
    with pytest.raises(ValueError, match="wants_poses"):
        encoder.encode(percepts(robots, None), full=True, partial=False)
    with pytest.raises(ValueError, match="poses of 0 links"):
        encoder.encode(percepts(robots, standing(layout())), full=True, partial=False)


def test_a_look_with_a_mistake_names_file_and_key(tmp_path):
    (tmp_path / "robots").mkdir()
    (tmp_path / "field.yaml").write_text("environment: {}\nscene: []\nunknown_link: {}\n")
    assert load_look(tmp_path).robots == {}
    (tmp_path / "robots" / "x.yaml").write_text("parts: [{moves: a, mesg: {}}]\n")
    with pytest.raises(ConfigurationError, match=r"x\.yaml.*mesg"):
        appearance(load_look(tmp_path).robots["x"])


def test_each_foul_is_sent_once_and_the_time_until_a_team_may_score_while_it_lasts(look):
    encoder, robots = MonitorEncoder(look), layout(nao())
    fouls = (Foul(1, FoulKind.CHARGING, Side.LEFT, 5), Foul(2, FoulKind.TOUCHING, Side.RIGHT, 11))
    encoder.adopt(robots)
    assert "foul" not in frame_of(encoder, robots, GAME._replace(fouls=fouls[:1]), full=True).environment
    assert frame_of(encoder, robots, GAME._replace(fouls=fouls[:1])).environment["foul"] == ["1", "6", "1", "5"]
    assert frame_of(encoder, robots, GAME._replace(fouls=fouls)).environment["foul"] == ["2", "1", "2", "11"]
    assert "foul" not in frame_of(encoder, robots, GAME._replace(fouls=fouls)).environment
    # Another game begins, and counts from 1 again.
    assert frame_of(encoder, robots, GAME._replace(fouls=fouls[:1])).environment["foul"] == ["1", "6", "1", "5"]
    robots = layout()
    encoder, _ = started(look, robots)
    waiting = frame_of(encoder, robots, GAME._replace(score_wait_left=9.98)).environment
    assert waiting["pass_mode_score_wait_left"] == ["9.98"] and "pass_mode_score_wait_right" not in waiting
    assert "pass_mode_score_wait_left" not in frame_of(encoder, robots, GAME).environment


def test_the_selected_robot_has_a_marker_without_a_full_frame(look):
    encoder = MonitorEncoder(look)
    robots = layout(nao(), nao(unum=6)._replace(handle=2))
    encoder.adopt(robots)
    shape = frame_of(encoder, robots, GAME, full=True).scene.shape()

    def marked(frame) -> list[bool | None]:
        assert frame.scene.shape() == shape
        return [robot.children[0].children[1].children[0].visible for robot in frame.scene.children[BALL + 1 :]]

    assert marked(frame_of(encoder, robots, GAME)) == [False, False]
    selected = GAME._replace(selected=2)
    assert marked(frame_of(encoder, robots, selected)) == [False, True]
    assert marked(frame_of(encoder, robots, selected)) == [None, None]
    assert marked(frame_of(encoder, robots, selected, full=True)) == [False, True]
    assert marked(frame_of(encoder, robots, GAME._replace(selected=1))) == [True, False]
    assert marked(frame_of(encoder, robots, GAME)) == [False, False]


def test_lights_are_sent_when_they_change_and_when_they_go_off(look):
    robots = layout(nao())
    first = percepts(robots, standing(robots))
    encoder, _ = started(look, robots)

    def sent(*lights):
        game = first.game._replace(lights=tuple(lights))
        frame = encoder.encode(replace(first, game=game), full=False, partial=True).partial
        assert frame is not None
        return re.findall(r"\(lights ([^()]*)\)", frame.decode())

    handle, place = robots.robots[0].handle, sum(node.count for node in look.scene)
    assert sent() == [] and sent((handle, "ab")) == [f"{place} ab"]
    assert sent((handle, "ab")) == [] and sent((handle, "cd")) == [f"{place} cd"]
    # A robot that was reset, or that left.
    assert sent() == [""] and sent((99, "ab")) == []


def test_a_placed_ball_stands_in_the_next_frames_too_and_in_no_other(look):
    robots = layout(nao())
    resting = standing(robots)
    encoder, _ = started(look, robots)

    def shows_ball(poses: Poses) -> bool:
        return frame_of(encoder, robots, poses=poses).scene.children[BALL].matrix is not None

    placed = replace(resting, ball=np.array([-3.0, 0.5, 0.0418]))
    # The first partial frame of a monitor has the marks of visibility, too.
    assert [shows_ball(resting) for _ in range(2)] == [False] * 2
    assert [shows_ball(placed) for _ in range(BALL_FRAMES + 3)] == [True] * (BALL_FRAMES + 1) + [False] * 2


@pytest.mark.parametrize("joins", [False, True])
def test_a_ball_placed_just_before_a_full_frame_stands_in_the_next_frames_too(look, joins):
    robots = layout(nao())
    encoder, _ = started(look, robots)
    if joins:
        robots = layout(nao(), nao(unum=6), revision=2)
        assert encoder.adopt(robots)
    placed = replace(standing(robots), ball=np.array([-3.0, 0.5, 0.0418]))
    encoder.encode(percepts(robots, placed), full=True, partial=False)
    frames = [frame_of(encoder, robots, poses=placed) for _ in range(BALL_FRAMES + 2)]
    shown = [frame.scene.children[BALL].matrix is not None for frame in frames]
    assert shown == [True] * BALL_FRAMES + [False] * 2
