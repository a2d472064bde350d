"""Two threads step the islands of a world, with the results of one."""

import threading
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import ArticulatedModel, SceneModel
from simspark_ros.physics.ode.islands import WORTHWHILE, Islands
from simspark_ros.physics.ode.scene import OdeWorld
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings
from test.physics.engine_availability import skip_without
from test.physics.extremes.extreme_robots import LINK
from test.physics.ode.test_assertions import fail_in_step

TASKS = Path("/proc/self/task")


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without("ode")
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1})


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Islands]:
    """All pools of threads that are made."""
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


def readings(engine: GuardedEngine) -> bytes:
    """Naos flail, fall, and two of them get hold of each other, while robots come and go."""
    engine.load_scene(load_soccer_settings().scene)
    nao = load_robot("nao").model
    numbers, read = np.random.default_rng(0), []
    handles: list[int] = []
    for cycle in range(120):
        if cycle % 10 == 0 and len(handles) < 7:
            handles.append(engine.add_robot(nao, (0.3 * len(handles), 0.8 * (len(handles) % 3), 0.45)))
        if cycle in (75, 100):
            engine.remove_robot(handles.pop(2))
        count = engine.state.joint_lower.size
        engine.step(
            JointControl(numbers.normal(0.0, 2.0, count), engine.state.joint_max_effort.copy(), np.zeros(count))
        )
        state = engine.state
        read += [state.position.tobytes(), state.joint_position.tobytes(), state.touch_force.tobytes()]
    engine.close()
    return b"".join(read)


def test_two_threads_give_the_results_of_one_to_the_bit(tmp_path: Path, made: list[Islands]) -> None:
    one = readings(engine_with(1, tmp_path))
    assert not made
    assert readings(engine_with(2, tmp_path)) == one
    assert len(made) == 1


def test_a_world_that_ode_has_failed_in_takes_its_threads_with_it(
    made: list[Islands], monkeypatch: pytest.MonkeyPatch
) -> None:
    step, fails = OdeWorld.step, [True]

    def failing(world: OdeWorld) -> None:
        if fails:
            fails.clear()
            fail_in_step(world, step)
        step(world)

    engine = create_engine("ode")
    engine.load_scene(SceneModel())
    for row in range(WORTHWHILE):
        engine.add_robot(ArticulatedModel("good", (LINK,), ()), (3.0 * row, 0.0, 1.0))
    before = len(list(TASKS.iterdir()))
    monkeypatch.setattr(OdeWorld, "step", failing)
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
    assert len(list(TASKS.iterdir())) - before == threading.active_count() - python
