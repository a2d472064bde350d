import contextlib
import random
import time
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action, Commands
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.registry import engine_names
from simspark_ros.simulation.agent_control import AgentControl
from simspark_ros.simulation.assembly import REFUSED_SINCE_START, build_simulation
from simspark_ros.simulation.loading.addresses import AddressError
from simspark_ros.simulation.loading.robot_resources import find_resource
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_stress.fuzz.doors.worlds import draw_world
from test.physics.engine_availability import skip_without
from test.simulation.loading.conftest import built, load

SEEDS = 12


def refused_agent(simulation: Simulation, control: AgentControl) -> str:
    """Why an agent gets no robot, empty if it gets one."""
    control.carry_out(Commands(actions=(Action("a", "create", ("nao", 0)),)), simulation)
    simulation.run_cycle()
    assert simulation.percepts is not None
    return "".join(notice.text for notice in simulation.percepts.notices)


@pytest.mark.parametrize("engine", engine_names())
def test_worlds_replace_each_other_and_time_goes_on_by_their_cycles(engine: str) -> None:
    skip_without(engine)
    # The profile has a preset for its own cycles alone.
    simulation = built(engine, profile="measured")
    limits = simulation.scheduler.settings
    spawn(simulation.world, find_resource("nao").load(limits), limits, "one")
    simulation.world.game.set_play_mode(PlayMode.PLAY_ON)
    simulation.run(3)
    for name, robot, length, cycle, time_then in (
        ("msl", "nao", 18.0, 0.02, 0.06 + 0.4),
        ("spl_12ms", "nao_lola", 9.0, 0.012, 0.06 + 0.4 + 0.24),
    ):
        revision, cycles = simulation.world.revision, simulation.world.cycle
        load(simulation, name)
        world = simulation.world
        assert (world.settings.field.length, world.game.play_mode) == (length, PlayMode.BEFORE_KICK_OFF)
        assert not world.robots and simulation.scheduler.paused and world.revision > revision
        assert (world.engine.cycle_time, simulation.scheduler.cycle_time) == (cycle, cycle)
        spawn(world, find_resource(robot).load(limits), limits, "one")
        for _ in range(20):
            simulation.run_cycle()
        assert (world.cycle, simulation.time) == (cycles + 20, pytest.approx(time_then))
        assert world.engine.state.position[0, 2] == pytest.approx(0.38, abs=0.02)
        assert simulation.percepts is not None
        assert simulation.percepts.layout.environment[0] == ("FieldLength", length)


def test_agents_get_robots_in_worlds_with_their_cycles_alone_and_none_once_they_were_refused_at_the_start() -> None:
    other_cycles = "classic agents are refused: they count on cycles of 0.02 s"
    for settings, refusals in (
        (SimulationSettings(profile="measured"), {"spl_12ms": other_cycles, "soccer": ""}),
        (SimulationSettings(world="spl_12ms"), {"soccer": REFUSED_SINCE_START}),
    ):
        simulation, control = build_simulation(settings, (), time.monotonic, time.sleep)
        for world, refusal in refusals.items():
            load(simulation, world)
            told = refused_agent(simulation, control)
            assert refusal in told and bool(told) == bool(refusal)


def test_what_the_start_changed_is_changed_in_every_world_and_a_book_beside_one_is_read(tmp_path: Path) -> None:
    simulation = built(changes=("rules.game.half_time=77",))
    load(simulation, "", "based_on: spl\nteams: {size: 3}")
    assert simulation.world.settings.rules.game.half_time == 77.0
    assert simulation.world.settings.teams.size == 3
    (tmp_path / "own.yaml").write_text("based_on: rcssserver3d\ngame: {half_time: 5}", encoding="utf-8")
    (tmp_path / "world.yaml").write_text("based_on: soccer\nrules: own.yaml", encoding="utf-8")
    simulation = built()
    load(simulation, str(tmp_path / "world.yaml"))
    assert simulation.world.settings.rules.game.half_time == 5.0


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("field: {length: -1}", "is missing"),
        ("based_on: soccer\nnothing: 1", "unknown key 'nothing'"),
        ("based_on: soccer\nfield: {length: 1.0e+300}", "length"),
        ("based_on: soccer\nrules: {book: nowhere}", "unknown rule book"),
        ("a: &a [*a, *a]", "."),
        ("[" * 100_000, "."),
        ("x" * 2_000_000, "robot_file_size"),
        ("based_on: soccer\ntime: {cycle: 0.015}", "no preset for cycles of 0.015 s"),
    ],
)
def test_a_world_that_cannot_be_used_leaves_the_old_one(text: str, named: str) -> None:
    simulation = built()
    before = simulation.world.settings
    with pytest.raises((ConfigurationError, CommandRejectedError, PhysicsError), match=named):
        load(simulation, "", text)
    assert simulation.world.settings is before and simulation.has_world and not simulation.scheduler.paused
    simulation.run_cycle()


def test_addresses_of_no_world_are_refused_and_worlds_stay_while_agents_play(tmp_path: Path) -> None:
    simulation = built()
    for uri, unsupported in (("", False), ("nowhere", False), ("/etc/passwd", True), ("http://x/y.yaml", True)):
        with pytest.raises(AddressError) as caught:
            load(simulation, uri)
        assert caught.value.unsupported is unsupported
    limits = simulation.scheduler.settings
    spawn(simulation.world, find_resource("nao").load(limits), limits, "one").client = "agent 1"
    for change in (lambda: load(simulation, "msl"), lambda: simulation.worlds.unload(simulation)):
        with pytest.raises(CommandRejectedError, match=r"agents play in this world \(1, e.g. agent 1\)"):
            change()
    assert simulation.world.robots and simulation.has_world


def test_without_a_world_no_cycle_starts() -> None:
    simulation = built()
    simulation.worlds.unload(simulation)
    simulation.scheduler.resume()
    simulation.scheduler.step(5)
    assert not simulation.has_world and simulation.scheduler.quanta_due() is None
    load(simulation, "spl")
    assert simulation.has_world and simulation.scheduler.paused


@pytest.mark.slow
@pytest.mark.parametrize("engine", engine_names())
def test_drawn_worlds_are_loaded_and_play_or_are_refused_and_leave_the_old_one(engine: str) -> None:
    skip_without(engine)
    simulation = built(engine)
    limits = simulation.scheduler.settings
    refused = 0
    for seed in range(SEEDS):
        before = simulation.world
        try:
            load(simulation, "", draw_world(random.Random(f"{engine} {seed}")))
        except (UserError, CommandRejectedError):
            refused += 1
            assert simulation.world is before
        simulation.scheduler.resume()
        # As services do it: what has no room is refused in words.
        with contextlib.suppress(UserError):
            spawn(simulation.world, find_resource("nao").load(limits), limits, f"robot_{seed}")
        for _ in range(5):
            simulation.run_cycle()
        assert np.isfinite(simulation.world.engine.state.position).all(), seed
    assert 2 < refused < SEEDS - 2
