"""ODE's library: a failed assertion costs a thread, and neither threads nor callbacks in C change a bit."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.engine import JointControl, PhysicsError
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import ArticulatedModel, BallModel, SceneModel
from simspark_ros.physics.ode.assertions import ExpendableThread, OdeFailedError
from simspark_ros.physics.ode.islands import WORTHWHILE, Islands
from simspark_ros.physics.ode.library import NearCallback, load_library
from simspark_ros.physics.ode.native import native_of
from simspark_ros.physics.ode.robot import OdeRobot
from simspark_ros.physics.ode.scene import OdeWorld
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings
from test.physics.engine_availability import skip_without
from test.physics.test_extreme_robots import JOINT, LINK, MODELS
from test.rigs.waiting import until


@pytest.fixture
def ode():
    skip_without("ode")
    engine = create_engine("ode")
    engine.load_scene(SceneModel(BallModel(0.04, 0.026)))
    yield engine
    engine.close()


def lose(space: Any) -> None:
    """Put shapes beyond the cells of a hash space, which takes no such places, also in release builds of ODE."""
    library = load_library()
    for x in (1e200, 2e200):
        library.dGeomSetPosition(library.dCreateSphere(space, 0.1), x, 0.0, 0.0)


def fail() -> None:
    library = load_library()
    library.prepare_thread()
    lose(space := library.dHashSpaceCreate(None))
    library.dSpaceCollide(space, None, NearCallback(lambda *_: None))


@pytest.fixture
def fail_next(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets the next step of ODE fail, that is called for it."""
    step, fails = OdeWorld.step, [False]

    def failing(world: OdeWorld) -> None:
        if fails[0]:
            fails[0] = False
            lose(world.space)
        step(world)

    monkeypatch.setattr(OdeWorld, "step", failing)
    return lambda: fails.__setitem__(0, True)


def pushed(engine, speed: float = 0.0, effort: float = 0.0) -> JointControl:
    """Every motor at a speed, rad/s, with an effort, N m."""
    count = len(engine.state.joint_position)
    return JointControl(np.full(count, speed), np.full(count, effort), np.full(count, effort))


def test_results_and_errors_come_back_from_the_thread_also_an_assertion_with_its_text(ode) -> None:
    thread = ExpendableThread()
    assert thread.run(threading.current_thread) is not threading.current_thread()
    with pytest.raises(ZeroDivisionError):
        thread.run(lambda: 1 // 0)
    assert thread.run(lambda: 7) == 7
    with pytest.raises(OdeFailedError, match="aabbBound >= dMinIntExact"):
        thread.run(fail)
    assert thread.run(lambda: 7) == 7
    thread.close()


def test_a_robot_goes_on_as_it_was_when_another_one_makes_a_step_fail(ode) -> None:
    good = ode.add_robot(ArticulatedModel("good", (LINK,), ()), (3.0, 0.0, 5.0))
    ode.set_velocity(good, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    links, joint = MODELS["inertia"]
    bad = ode.add_robot(ArticulatedModel("bad", links, (joint,)), (0.0, 0.0, 0.5))
    for _ in range(50):
        ode.step(pushed(ode, 1e4, 1e6))
        assert ode.recovered == [bad]
    position = ode.state.position.copy()
    assert position[0, 0] == pytest.approx(4.0, abs=0.1)
    assert position[1] == pytest.approx((0.0, 0.0, 0.5), abs=0.2)
    ode.remove_robot(bad)
    ode.step(pushed(ode))
    assert ode.recovered == []


def test_an_engine_that_robots_have_made_fail_too_often_is_worn(tmp_path, fail_next) -> None:
    (preset := tmp_path / "own.yaml").write_text("based_on: reference\nmax_failures: 2\n")
    engine = create_engine("ode", str(preset))
    engine.load_scene(SceneModel())
    for failures in range(2):
        assert not engine.worn
        bad = engine.add_robot(ArticulatedModel("bad", (LINK,), ()), (5.0 * failures, 0.0, 0.5))
        fail_next()
        engine.step(pushed(engine))
        assert bad in engine.recovered
    assert engine.worn
    engine.remove_robot(bad)
    assert engine.worn
    engine.close()


def test_ode_that_fails_without_a_robot_is_an_error(ode, fail_next) -> None:
    fail_next()
    with pytest.raises(PhysicsError, match="no robot can be the cause"):
        ode.step(pushed(ode))


def test_a_robot_that_ode_cannot_build_is_refused_and_leaves_nothing(ode, monkeypatch) -> None:
    ode.add_robot(ArticulatedModel("good", (LINK,), ()), (3.0, 0.0, 0.1))
    build = OdeRobot

    def failing(*arguments):
        if arguments[-1].name == "bad":
            fail()
        return build(*arguments)

    monkeypatch.setattr("simspark_ros.physics.ode.engine.OdeRobot", failing)
    with pytest.raises(PhysicsError, match="model 'bad': ODE: assertion"):
        ode.add_robot(ArticulatedModel("bad", (LINK, replace(LINK, name="b")), (JOINT,)), (0.0, 0.0, 0.1))
    assert len(ode.state.handles) == 1
    for _ in range(20):
        ode.step(pushed(ode))
    assert ode.recovered == []
    assert ode.state.position[0, 2] == pytest.approx(0.1, abs=0.01)


TASKS = Path("/proc/self/task")


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without("ode")
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1})


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Islands]:
    seen = []
    make = Islands.__init__

    def remember(self: Islands, *arguments: object) -> None:
        seen.append(self)
        make(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Islands, "__init__", remember)
    return seen


def engine_with(threads: int, folder: Path) -> GuardedEngine:
    (preset := folder / f"{threads}.yaml").write_text(f"based_on: reference\nthreads: {threads}\n")
    return create_engine("ode", str(preset))


# The first two pass through each other.
PLACES = ((0.0, 0.0), (0.05, 0.0), (0.3, 0.0), (0.6, 0.0), (1.2, 0.8), (1.5, 1.6), (0.9, 0.8))


def readings(engine: GuardedEngine) -> tuple[bytes, int, int]:
    """Naos flail, fall, and two of them get hold of each other, while robots come and go and the ball flies into them.

    Returns:
        all readings, and how often robots touched the ball and each other.
    """
    engine.load_scene(load_soccer_settings().scene)
    nao = load_robot("nao").model
    numbers, read, ball, robots = np.random.default_rng(0), [], 0, 0
    handles: list[int] = []
    for cycle in range(90):
        if cycle % 10 == 0 and len(handles) < 7:
            x, y = PLACES[len(handles)]
            handles.append(engine.add_robot(nao, (x, y, 0.45)))
        if cycle in (65, 75):
            engine.remove_robot(handles.pop(2))
        if cycle % 25 == 0:
            engine.place_ball((-0.5, 0.05, 0.2), (5.0, 0.0, 0.0))
        count = engine.state.joint_lower.size
        engine.step(
            JointControl(numbers.normal(0.0, 2.0, count), engine.state.joint_max_effort.copy(), np.zeros(count))
        )
        state = engine.state
        ball, robots = ball + len(state.ball_contacts), robots + len(state.robot_contacts)
        for name in ("position", "rotation", "joint_position", "touch_force", "touch_point", "ball_velocity"):
            read.append(getattr(state, name).tobytes())
    engine.close()
    return b"".join(read), ball, robots


def test_threads_and_c_change_no_bit(tmp_path: Path, made: list[Islands], monkeypatch: pytest.MonkeyPatch) -> None:
    assert native_of(load_library()) is not None, "native.c is not compiled: run make setup"
    one = readings(engine_with(1, tmp_path))
    assert not made and min(one[1:]) > 0
    assert readings(engine_with(2, tmp_path)) == one
    assert len(made) == 1
    monkeypatch.setattr("simspark_ros.physics.ode.scene.native_of", lambda library: None)
    assert readings(engine_with(1, tmp_path)) == one


def test_a_world_that_ode_has_failed_in_takes_its_threads_with_it(made: list[Islands], fail_next) -> None:
    engine = create_engine("ode")
    engine.load_scene(SceneModel())
    for row in range(WORTHWHILE):
        engine.add_robot(ArticulatedModel("good", (LINK,), ()), (3.0 * row, 0.0, 1.0))
    before = len(list(TASKS.iterdir()))
    fail_next()
    engine.step(JointControl(*np.zeros((3, 0))))
    assert len(made) == 2
    assert len(list(TASKS.iterdir())) == before
    engine.close()


def test_threads_begin_with_the_robots_that_need_them_and_end_with_the_engine(made: list[Islands]) -> None:
    engine = create_engine("ode")
    engine.load_scene(SceneModel())
    before, python = len(list(TASKS.iterdir())), threading.active_count()
    for row in range(WORTHWHILE):
        assert not made
        engine.add_robot(ArticulatedModel("good", (LINK,), ()), (3.0 * row, 0.0, 1.0))
    assert len(list(TASKS.iterdir())) - before == 2 + threading.active_count() - python
    engine.close()
    # The kernel lists a thread for a moment after it has ended.
    until(lambda: len(list(TASKS.iterdir())) - before == threading.active_count() - python)
