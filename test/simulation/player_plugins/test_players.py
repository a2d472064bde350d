import math

import numpy as np
import pytest

from simspark_ros.cli import main
from simspark_ros.configuration.errors import UserError
from simspark_ros.motion.models.gaussian import GaussianMotionModel
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.simulation.player_plugins.host import PlayerHost

AHEAD = (0.0, 0.0, 0.0, 1.0)
SMALL = ("field.length=6.0", "field.width=4.0", "walls.distance_x=3.7", "walls.distance_y=2.6", "walls.thickness=0.1")


@pytest.fixture
def pitch(play):
    """Players on a small field of the planar engine."""

    def make(*players, changes=SMALL, **settings):
        played = play(engine="planar", world="msl", referee=False, players=players, changes=changes, **settings)
        played.players = [one.player for one in played.simulation.node(PlayerHost).running.values()]
        return played

    return make


# Sonars do not look back: two robots that both have nothing else may touch.
@pytest.mark.parametrize(("sensors", "starts"), [("laser", (-1.5, 1.5)), ("range", (-1.5,))])
def test_an_avoider_drives_about_by_scanner_or_sonars_alone_and_hits_nothing(pitch, sensors, starts):
    played = pitch(*(f"avoider?sensors={sensors}&speed=0.8&x={x}&y=1.2" for x in starts))
    played.world.place_ball((0.0, -1.0))
    places = []
    for _ in range(150):
        played.run(1)
        state = played.world.engine.state
        assert not len(state.robot_contacts)
        places.append(state.position[:, :2].copy())
    # Each is a robot's length away from where it was 1.5 s before, most of the time.
    gone = np.linalg.norm(np.array(places)[75:] - np.array(places)[:-75], axis=2)
    assert (np.median(gone, axis=0) > 0.4).all() and np.abs(np.array(places)).max() < 3.4


def shoot(played, *shots):
    """How many of some shots (from x, y to a y on the goal line, m/s) a goalkeeper saves."""
    saves = 0
    keeper = played.world.robots[0]
    for x, y, goal, speed in shots:
        played.world.engine.place_robot(keeper.handle, (-2.6, 0.0, keeper.description.spawn_height), AHEAD)
        away = np.array([-3.0 - x, goal - y, 0.0])
        played.world.place_ball((x, y), tuple(speed * away / np.linalg.norm(away)))
        for _ in range(130):
            played.run(1)
            bx, by, _ = played.world.engine.state.ball_position.tolist()
            if bx < -3.1 or played.world.engine.state.ball_velocity[0] > -0.05:
                break
        saves += not (bx < -3.1 and abs(by) < 1.0)
    return saves


SHOTS = [(0.5, -1.2, 0.75, 3.0), (0.5, 1.2, -0.75, 3.0), (0.0, 0.0, 0.6, 3.0), (0.5, 0.5, 0.8, 3.0)]


def test_a_goalkeeper_that_intercepts_saves_what_one_that_hardly_moves_does_not(pitch):
    quick, slow = (shoot(pitch(f"k=goalkeeper?policy=intercept&speed={v}&x=-2.6"), *SHOTS) for v in (2.5, 0.01))
    assert (quick, slow) == (len(SHOTS), 0)


@pytest.mark.parametrize("policy", ["random", "block", "mixed"])
def test_every_policy_stays_between_the_posts_and_looks_at_the_field(pitch, policy):
    played = pitch(f"k=goalkeeper?policy={policy}&side=right&x=2.6&heading_deg=180")
    played.world.place_ball((0.0, 1.5))
    moved = []
    for _ in range(80):
        played.run(1)
        state = played.world.engine.state
        moved.append(state.position[0, 1])
        assert state.position[0, 0] == pytest.approx(2.6, abs=0.1) and state.rotation[0, 0, 0] < -0.95
    assert np.ptp(moved) > 0.1 and np.abs(moved).max() < 1.1


def test_a_command_writes_what_a_mapper_learns_and_localizers_begin_with_it(pitch, tmp_path):
    path = tmp_path / "field.npz"
    words = [word for change in SMALL for word in ("--set", change)]
    mapper = "mapper?step=2.0&headings=2&features=scan,goal_distance"
    assert main(["map", mapper, *words, "-o", str(path)]) == 0
    (localizer,) = pitch("localizer", expectations=str(path)).players
    learned = localizer.body.models["goal_distance"].expected(np.array([[0.5, -0.5, 0.0]]))[0]
    assert learned == pytest.approx([math.hypot(3.5, 0.5), math.hypot(2.5, 0.5)], abs=0.01)
    with pytest.raises(UserError, match=r"missing\.npz: cannot be read"):
        pitch("localizer", expectations="missing.npz")
    assert main(["map", "avoider", *words, "-o", str(path)]) == 2


def test_a_localizer_moves_its_poses_as_its_robots_drive_knows_and_learns(pitch, monkeypatch):
    brought = GaussianMotionModel()
    monkeypatch.setattr(WheelDrive, "motion_model", brought)
    (player,) = pitch("localizer").players
    assert player.cloud.motion is brought
    # Ten per cent farther than odometry tells.
    moves = np.linspace(0.01, 0.1, 50)[:, None] * (1.0, 0.0, 0.0)
    player.body.drive.learn(np.zeros((50, 3)), moves, 1.1 * moves)
    player.learn({})
    player.cloud.poses[:] = 0.0
    player.cloud.move(0.1, 0.0, 0.0)
    assert player.cloud.poses[:, 0] == pytest.approx(0.11, abs=1e-4)
    other = GaussianMotionModel()
    player.learn({}, other)
    assert player.cloud.motion is other


def test_what_a_mapper_learns_lets_a_localizer_find_itself(pitch):
    played = pitch("m=mapper?step=1.0&headings=6&beyond=0.0")
    mapper = played.players[0]
    while not mapper.finished:
        played.run(1)
    assert played.world.robot_named("m") is None
    assert not any(np.isnan(model.expectations).any() for model in mapper.models.values())
    goal = mapper.models["goal_distance"].expected(np.array([[1.0, 1.0, 2.0]]))[0]
    assert goal == pytest.approx([math.hypot(4.0, 1.0), math.hypot(2.0, 1.0)], abs=0.01)

    # Players of the same simulation share what was learned.
    played.world.place_ball((2.5, 1.8))
    host = played.simulation.node(PlayerHost)
    host.start("l=localizer?x=-1&y=-0.5&heading_deg=50&poses=1000&sensors=laser")
    localizer = host.running["l"].player
    played.run(200)
    assert not played.simulation.drawings.since(0), "nobody watches"
    played.simulation.drawings.is_wanted = True
    played.run(100)
    ((_, name, drawing),) = played.simulation.drawings.since(0)
    assert (name, len(drawing.segments)) == ("l/particles", 1000)
    assert np.hypot(*(localizer.cloud.estimate().pose[:2] - played.world.engine.state.position[0, :2])) < 0.15
