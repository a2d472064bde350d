from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.arena import Arena, ArenaError, PlugIns
from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.registry import engine_names
from simspark_ros.plugins import ControlNode, Match, Rule, Simulation
from test.rendering.conftest import skip_without_opengl
from test.rigs.built_in_parts import Altimeter


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with Arena("nao", seed=3) as made:
        yield made


@pytest.fixture(autouse=True)
def begin(request: pytest.FixtureRequest) -> None:
    """Every test has the arena as it was made."""
    if "arena" in request.fixturenames:
        shared = request.getfixturevalue("arena")
        for robot in shared.robots:
            if robot.name != "nao":
                shared.remove(robot.name)
        shared.reset(3)


def test_joints_follow_commands_and_are_read_as_arrays(arena: Arena) -> None:
    nao = arena["nao"]
    nao.set_velocities({"hj1": 0.5})
    arena.step(50)
    assert nao.joint_positions.shape == nao.joint_velocities.shape == (len(nao.joints),) == (22,)
    # A velocity motor of 0.5 rad/s needs a cycle or two to get there.
    assert nao.joint_positions[nao.joints.index("hj1")] == pytest.approx(0.5, abs=0.02)
    nao.set_positions({"hj1": -0.3})
    arena.step(50)
    angle = nao.read("hinge_joint", "hj1")
    assert angle is not None and angle == pytest.approx(-0.3, abs=0.01)
    nao.set_positions(np.zeros(22))
    nao.set_efforts({"hj2": 1.0})
    arena.step(20)
    assert nao.joint_positions[1] > 0.1 and (nao.joint_limits[:, 0] <= nao.joint_positions + 0.01).all()


def test_inertial_unit_contacts_vision_and_truth_are_read(arena: Arena) -> None:
    nao = arena["nao"]
    looks = []
    for _ in range(30):
        arena.step()
        looks.append(nao.vision)
    gyroscope, acceleration = nao.read("gyroscope"), nao.read("accelerometer", "torso")
    assert gyroscope is not None and np.abs(gyroscope).max() < 0.5
    # It stands.
    assert acceleration is not None and acceleration[2] == pytest.approx(9.81, abs=0.5)
    assert set(nao.contacts) == {"lfoot", "rfoot"}
    weight = sum(contact.force[2] for contact in nao.contacts.values())
    assert weight == pytest.approx(nao.description.model.mass * 9.81, rel=0.1)
    seen = [look for look in looks if look is not None]
    # It looks every third cycle.
    assert len(seen) == 10 and "B" in seen[0].objects and seen[0].lines.shape[1:] == (2, 3)
    assert nao.position[2] == pytest.approx(0.385, abs=0.01) and nao.rotation[2, 2] > 0.99
    assert np.abs(nao.linear_velocity).max() < 0.1 and np.abs(nao.angular_velocity).max() < 0.5
    feet = [nao.link_pose(foot)[0] for foot in ("lfoot", "rfoot")]
    # Both hips are 0.055 m from the middle.
    assert np.linalg.norm(feet[0] - feet[1]) == pytest.approx(0.11, abs=0.005)
    assert arena.time == pytest.approx(0.6) and arena.cycle_time == 0.02


@pytest.mark.parametrize("engine", engine_names())
def test_a_reset_gives_the_same_bits_again_and_another_seed_others(engine: str) -> None:
    robot = "omni" if engine == "planar" else "nao"
    with Arena(robot, engine=engine, seed=5, world="empty") as arena:
        joints = len(arena[robot].joints)

        def run() -> tuple[list[str], list[bytes]]:
            hashes, read = [], []
            for cycle in range(15):
                arena[robot].set_velocities(np.sin(cycle + np.arange(joints)))
                arena.step()
                hashes.append(arena.state_hash())
                read.append(arena.percepts.values.tobytes())
            return hashes, read

        first = run()
        arena.reset()
        assert run() == first
        arena.reset(6)
        # Motions have no randomness.
        assert run()[0] == first[0] and arena.seed == 6


def test_noise_of_sensors_follows_the_seed(arena: Arena) -> None:
    def seen() -> bytes:
        # It looks in the first cycle, and in every third one.
        arena.step(4)
        sight = arena.percepts.sight
        assert sight is not None
        return bytes(sight.object_polar.tobytes())

    first = seen()
    arena.reset()
    assert seen() == first
    arena.reset(4)
    assert seen() != first


def test_robots_come_again_after_a_reset_where_they_came_in_until_they_are_removed(arena: Arena) -> None:
    mate = arena.add("nao/4", name="mate", position=(2.0, 1.0), heading=np.pi / 2)
    player = arena.add("nao", team="Red", unum=7)
    assert player.name == "left_7" and player.position[0] < 0.0
    assert mate.position[:2] == pytest.approx([2.0, 1.0], abs=0.05) and mate.rotation[1, 0] == pytest.approx(1.0)
    mate.place(-3.0, 0.0)
    assert mate.position[0] == pytest.approx(-3.0, abs=0.05)
    arena.reset()
    assert mate.position[0] == pytest.approx(2.0, abs=0.05)
    assert [robot.name for robot in arena.robots] == ["nao", "mate", "left_7"]
    arena.remove("mate")
    arena.reset()
    assert [robot.name for robot in arena.robots] == ["nao", "left_7"]
    with pytest.raises(ArenaError, match="unknown robot 'mate'; the arena has: nao, left_7"):
        _ = mate.position


def test_robots_have_bodies_by_parameters() -> None:
    with Arena("nao?thigh_z=-0.045", "tall=nao?thigh_z=-0.048&ankle_z=-0.063", world="empty") as arena:
        assert [robot.name for robot in arena.robots] == ["nao", "tall"]
        assert arena["tall"].position[2] > arena["nao"].position[2]


def test_robots_are_commanded_by_their_effectors_and_the_ball_is_placed_and_rolls(arena: Arena) -> None:
    arena.place_ball(2.0, 5.0, (1.0, 0.0, 0.0))
    before = arena["nao"].position[0]
    for cycle in range(100):
        arena["nao"].act("walk", 0.3, 0.0, 0.0)
        arena.step()
        if cycle == 9:
            assert arena.ball.position[0] > 2.1 and arena.ball.velocity[0] > 0.5 and arena.ball.spin[1] > 0.0
    assert np.hypot(*(arena["nao"].position - [before, 0.0, 0.0])[:2]) > 0.1
    with pytest.raises(ArenaError, match=r"^robot 'nao' has no effector 'wheels'; it has: .*walk"):
        arena["nao"].act("wheels", 0.3, 0.0, 0.0)
    with pytest.raises(ArenaError, match=r"^robot 'nao': there is no joint 99 on this robot$"):
        arena["nao"].act("hinge", 99, 0.1)


def test_pictures_show_the_world_from_anywhere_and_from_a_robots_camera() -> None:
    with Arena("nao_sensors", world="spl") as arena:
        arena.step()
        picture = arena.render((0.0, -4.0, 2.0), width=96, height=64)
        assert picture.shape == (64, 96, 3) and picture.dtype == np.uint8
        # Grass.
        assert picture[-1].mean(axis=0).argmax() == 1
        own = arena["nao_sensors"].picture()
        assert own.ndim == 3
        arena["nao_sensors"].set_velocities({"hj1": 3.0})
        arena.step(20)
        assert (arena["nao_sensors"].picture() != own).any()
        read = arena["nao_sensors"].read("camera")
        assert read is not None and (read == arena["nao_sensors"].picture()).all()
        with pytest.raises(ArenaError, match=r"no fixed number of values: use `sensors.get.* F among .*ball_distance"):
            arena["nao_sensors"].read("detections")
        with pytest.raises(ArenaError, match="has no camera 'back'; it has: "):
            arena["nao_sensors"].picture("back")
        with pytest.raises(ArenaError, match="the line between them is vertical"):
            arena.render((0.0, 0.0, 3.0), (0.0, 0.0, 0.0))


def test_both_renderers_show_the_same_in_the_same_colours_and_light() -> None:
    skip_without_opengl()
    pictures = []
    for renderer in ("software", "egl"):
        with Arena("nao_sensors", world="spl", engine="planar", renderer=renderer) as arena:
            arena.step()
            pictures += [arena.render((1.0, 0.6, 0.8), width=96, height=64), arena["nao_sensors"].picture()]
    for one, other in zip(pictures[:2], pictures[2:], strict=True):
        # Rims may differ.
        apart = np.abs(one.astype(int) - other).max(axis=2)
        assert one.std() > 10.0 and np.median(apart) <= 1 and (apart > 8).mean() < 0.02


class Whistle(Rule):
    name = "whistle"

    def apply(self, match: Match) -> None:
        if match.world.cycle == 3:
            match.decide("whistle", "A whistle.")


class Counter(ControlNode):
    def __init__(self) -> None:
        self.cycles = self.resets = 0

    def end_cycle(self, simulation: Simulation) -> None:
        self.cycles += 1

    def reset(self) -> None:
        self.resets += 1


def test_a_program_brings_its_own_sensor_rule_and_control_node(tmp_path: Path) -> None:
    (tmp_path / "tall.yaml").write_text("based_on: nao\nmore_perceptors: [{kind: altitude}]\n")
    own = PlugIns(perceptors={"altitude": Altimeter}, rules={"whistle": Whistle})
    with Arena(f"tall={tmp_path}/tall.yaml", plug_ins=own, changes=("rules.order.whistle=true",)) as arena:
        counter = Counter()
        arena.add_node(counter)
        arena.step(4)
        height = arena["tall"].read("altitude")
        assert height is not None and height[0] == arena["tall"].position[2]
        assert [decision.kind for decision in arena.decisions] == ["whistle"]
        arena.reset()
        arena.step()
        assert (counter.cycles, counter.resets) == (5, 1)


def test_worlds_without_soccer_have_their_things_and_neither_ball_nor_teams() -> None:
    with Arena(world="obstacles", engine="bullet") as arena:
        assert len(arena.robots) == 6
        arena.step()
        assert arena["scout"].read("laser") is not None
        with pytest.raises(ArenaError, match="this world has no ball"):
            _ = arena.ball
        with pytest.raises(ArenaError, match="this world has no soccer"):
            arena.add("nao", team="Red")
        assert len(arena.robots) == 6


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda arena: arena["noa"], "unknown robot 'noa'; the arena has: nao"),
        (lambda arena: arena["nao"].set_velocities({"knee": 1.0}), "no joint 'knee'; it has: hj1, "),
        (lambda arena: arena["nao"].set_velocities([1.0]), r"22 joints; .* not an array of shape \(1,\)"),
        (lambda arena: arena["nao"].set_positions({"hj1": np.nan}), "is not finite"),
        (lambda arena: arena["nao"].read("gyroscope"), r"call step\(\) first"),
        (lambda arena: arena["nao"].act("fly"), "robot 'nao' has no effector 'fly'; it has: beam, hinge, "),
        (lambda arena: arena["nao"].link_pose("tail"), "no link or frame 'tail'; it has: torso"),
        (lambda arena: arena["nao"].place(np.inf, 0.0), "give finite numbers"),
        (lambda arena: arena.place_ball(np.nan, 0.0), "give finite numbers"),
        (lambda arena: arena.add("nao", name="nao"), "the name 'nao' is taken"),
        (lambda arena: arena.add("nao", name="a b"), "'a b' is no ROS name"),
        (lambda arena: arena.add("noa"), "there is no robot 'noa'"),
        (lambda arena: arena.set_play_mode("Play"), "unknown play mode 'Play'; use one of: BeforeKickOff"),
    ],
)
def test_wrong_requests_say_what_there_is_and_change_nothing(arena: Arena, wrong, message: str) -> None:
    before = arena.state_hash()
    with pytest.raises(UserError, match=message):
        wrong(arena)
    assert arena.state_hash() == before and len(arena.robots) == 1


def test_notebooks_show_what_an_arena_is_and_a_picture(arena: Arena) -> None:
    assert repr(arena) == "<Arena on bullet, world soccer, t = 0.00 s: nao>"
    assert (arena._repr_png_() or b"").startswith(b"\x89PNG")
    other = Arena(world="empty")
    other.close()
    assert repr(other) == "<Arena, closed>" and other._repr_png_() is None


def test_wrong_settings_and_a_closed_arena_are_refused() -> None:
    with pytest.raises(UserError, match=r"unknown key 'engin'; .*did you mean 'engine'"):
        Arena(engin="ode")
    with pytest.raises(UserError, match="unknown physics engine 'od'"):
        Arena(engine="od")
    arena = Arena(world="empty")
    arena.close()
    arena.close()
    with pytest.raises(ArenaError, match="the arena is closed"):
        arena.step()
