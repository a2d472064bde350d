import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action, Commands, Percepts
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loading.spawning import spawn_text
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.state_hash import state_hash

ROBOTS = Path(__file__).parents[1] / "data" / "robots"


def profile(folder: Path, robot: Path, types: int = 1) -> str:
    path = folder / "own.yaml"
    scene = f"scenes: {{mine.rsg: {{robot: {robot}, variants: {types}}}}}"
    path.write_text(f"based_on: measured\n{scene}\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["rover.sdf", "rsg/crawler/crawler.rsg"])
def test_a_scene_creates_the_robot_of_a_foreign_file(play, tmp_path: Path, name: str) -> None:
    played = play(profile=profile(tmp_path, ROBOTS / name))
    played.act(Action("a", "create", (str(ROBOTS / name), 0)))
    robot = played.world.robot_of("a")
    assert robot is not None and robot.description.name in ("rover", "crawler")


def test_files_that_no_profile_names_are_not_read_and_those_that_cannot_be_used_are_refused_at_the_start(
    play, tmp_path: Path
) -> None:
    (refusal,) = play().refusals(Action("a", "create", (str(ROBOTS / "wheel.sdf"), 0)))
    assert "no robot was loaded from" in refusal
    broken = tmp_path / "robot.sdf"
    broken.write_text("<sdf version='1.9'><model name='m'><static>1</static></model></sdf>", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"own\.yaml: scenes: mine\.rsg: .*robot\.sdf: the file has no body"):
        play(profile=profile(tmp_path, broken))


def test_agents_and_services_get_the_drawn_types_and_limits_count_them_by_their_numbers(play: Any) -> None:
    played = play(random_types=1, profile="measured", changes=("teams.max_of_one_type=1",))
    drawn, handle = played.world.types.of("nao"), played.join("a", "Left", 1, variant=2)
    robot = played.world.robots[handle].description
    assert robot.variant == 2 and robot.parameters == dict(drawn[2].parameters)
    assert spawn_text(played.world, "nao/2", played.simulation.scheduler.settings).description is robot
    layout = played.run(1).layout
    assert layout.robot_types == drawn
    assert (layout.robots[0].variant, layout.robots[0].look) == (2, drawn[2].body)
    (refusal,) = played.refusals(Action("b", "create", ("nao", 5)))
    assert "unknown type 5 of 'nao'; the types of this match are 0 to 4" in refusal
    played.act(Action("b", "create", ("nao", 2)))
    (refusal,) = played.refusals(Action("b", "init", ("Left", 2)))
    assert "has 1 robots of type 2 already" in refusal


def test_bodies_are_part_of_the_state_hash_and_fewer_types_than_a_team_needs_are_refused(play: Any) -> None:
    hashes = []
    for settings in ({"random_types": 1}, {"random_types": 1}, {"random_types": 2}, {}):
        played = play(profile="measured", **settings)
        played.join("a", "Left", 1, variant=2)
        hashes.append(state_hash(played.world))
    assert hashes[0] == hashes[1] and len(set(hashes)) == 3
    with pytest.raises(ConfigurationError, match=r"random_type_count 2: a team needs 3 types \(min_types\)"):
        play(random_types=1, random_type_count=2)
    assert not play(random_types=1, random_type_count=1, changes=("teams.min_types=1",)).world.types.of("sphere")


class Link:
    """A link of agents that take no part in lock-step, or do."""

    participants, ready = 0, True

    def __init__(self) -> None:
        self.lockstep = False
        self.actions: tuple[Action, ...] = ()

    def take(self) -> Commands:
        actions, self.actions = self.actions, ()
        return Commands(actions=actions)

    def wait(self, timeout: float) -> None: ...

    def deliver(self, percepts: Percepts) -> None: ...

    def close(self) -> None: ...


def test_robots_come_when_the_engine_is_ready_and_in_lock_step_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    link, told = Link(), list[tuple[int, Future[object]]]()
    simulation, _ = build_simulation(SimulationSettings(engine="planar"), [link], time.monotonic, time.sleep)
    world = simulation.world

    def prepare(models: tuple[ArticulatedModel, ...]) -> Future[object]:
        told.append((len(models), Future()))
        return told[-1][1]

    def after(*actions: Action) -> list[str]:
        link.actions = actions
        simulation.run_cycle()
        return [robot.client for robot in world.robots.values()]

    monkeypatch.setattr(world.engine, "prepare", prepare)
    link.lockstep = True
    assert after(Action("a", "create", ("nao", 0))) == ["a"]
    link.lockstep = False
    told.clear()
    assert after(Action("b", "create", ("nao", 0)), Action("a", "init", ("A", 1))) == ["a"]
    # Others' actions are carried out, those of the clients who wait are not.
    assert world.robots[0].team == "A" and told[0][0] == 2
    assert after(Action("b", "init", ("B", 3)), Action("a", "leave")) == ["a"]
    assert len(told) == 2, "the loop has the engine made ready once, for the cycle's own changes"
    told[0][1].set_result(None)
    assert after() == ["a", "b"]
    assert [robot.team for robot in world.robots.values()] == ["A", "B"]
    # The engine gets ready once more for those who have come or gone meanwhile.
    assert after() == ["a", "b"] and told[-1][0] == 1
    told[-1][1].set_result(None)
    assert after() == ["b"]
    simulation.world.engine.close()
