"""A failed assertion inside ODE costs a thread, not the process."""

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.physics.engine import JointControl, PhysicsError
from simspark_ros.physics.model import ArticulatedModel, BallModel, SceneModel
from simspark_ros.physics.ode.assertions import ExpendableThread, OdeFailedError
from simspark_ros.physics.ode.library import NearCallback, load_library
from simspark_ros.physics.ode.robot import OdeRobot
from simspark_ros.physics.ode.scene import OdeWorld
from simspark_ros.physics.registry import create_engine
from test.physics.engine_availability import skip_without
from test.physics.extremes.extreme_robots import JOINT, LINK, MODELS


@pytest.fixture
def ode():
    skip_without("ode")
    engine = create_engine("ode")
    engine.load_scene(SceneModel(BallModel(0.04, 0.026)))
    yield engine
    engine.close()


def fail() -> None:
    """A hash space takes no places beyond those of its cells; release builds of ODE, too, check that."""
    library = load_library()
    library.prepare_thread()
    space = library.dHashSpaceCreate(None)
    for x in (1e200, 2e200):
        library.dGeomSetPosition(library.dCreateSphere(space, 0.1), x, 0.0, 0.0)
    library.dSpaceCollide(space, None, NearCallback(lambda *_: None))


def fail_in_step(world: OdeWorld, step: Callable[[OdeWorld], None] = OdeWorld.step) -> None:
    """Step a world with shapes that its hash space does not take."""
    library = load_library()
    for x in (1e200, 2e200):
        library.dGeomSetPosition(library.dCreateSphere(world.space, 0.1), x, 0.0, 0.0)
    step(world)


def idle(engine) -> JointControl:
    return pushed(engine, 0.0, 0.0)


def pushed(engine, speed: float = 1e4, effort: float = 1e6) -> JointControl:
    """Every motor at a speed, rad/s, with an effort, N m."""
    count = len(engine.state.joint_position)
    return JointControl(np.full(count, speed), np.full(count, effort), np.full(count, effort))


def test_results_and_errors_come_back_from_the_thread() -> None:
    thread = ExpendableThread()
    assert thread.run(threading.current_thread) is not threading.current_thread()
    with pytest.raises(ZeroDivisionError):
        thread.run(lambda: 1 // 0)
    assert thread.run(lambda: 7) == 7
    thread.close()


def test_an_assertion_becomes_an_error_with_its_text(ode) -> None:
    thread = ExpendableThread()
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
        ode.step(pushed(ode))
        assert ode.recovered == [bad]
    position = ode.state.position.copy()
    assert position[0, 0] == pytest.approx(4.0, abs=0.1)
    assert position[1] == pytest.approx((0.0, 0.0, 0.5), abs=0.2)
    ode.remove_robot(bad)
    ode.step(idle(ode))
    assert ode.recovered == []


def test_an_engine_that_robots_have_made_fail_too_often_is_worn(tmp_path, monkeypatch) -> None:
    skip_without("ode")
    step, fails = OdeWorld.step, [False]

    def failing(world: OdeWorld) -> None:
        if fails[0]:
            fails[0] = False
            fail_in_step(world, step)
        step(world)

    monkeypatch.setattr(OdeWorld, "step", failing)
    (preset := tmp_path / "own.yaml").write_text("based_on: reference\nmax_failures: 2\n")
    engine = create_engine("ode", str(preset))
    engine.load_scene(SceneModel())
    for failures in range(2):
        assert not engine.worn
        bad = engine.add_robot(ArticulatedModel("bad", (LINK,), ()), (5.0 * failures, 0.0, 0.5))
        fails[0] = True
        engine.step(idle(engine))
        assert bad in engine.recovered
    assert engine.worn
    engine.remove_robot(bad)
    assert engine.worn
    engine.close()


def test_ode_that_fails_without_a_robot_is_an_error(ode, monkeypatch) -> None:
    monkeypatch.setattr(OdeWorld, "step", fail_in_step)
    with pytest.raises(PhysicsError, match="no robot can be the cause"):
        ode.step(idle(ode))


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
        ode.step(idle(ode))
    assert ode.recovered == []
    assert ode.state.position[0, 2] == pytest.approx(0.1, abs=0.01)
