"""What is recorded of a run, and what repeating it makes of that; whole servers: test/server/test_continuation.py."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.exchange import Action, Commands
from simspark_ros.simulation.logs.command_log import MOST_ENTERED, CommandLog, Continuation, ContinuationError, Start
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.time_control import SimulationTime
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.simulation.state_hash import state_hash
from test.conftest import Played

SETTINGS = replace(load_simulation_settings(), pacing="fast")


def recording(played: Played, path: Path) -> CommandLog:
    played.simulation.recorder = log = CommandLog(path, Start(SETTINGS, "BeforeKickOff"), print)
    played.simulation.add_node(log)
    return log


def repeated(play: Callable[..., Played], path: Path) -> Simulation:
    simulation = play().simulation
    Continuation(path).attach(simulation, print, None)
    simulation.run()
    return simulation


@pytest.fixture
def recorded(play, tmp_path) -> tuple[Path, str]:
    """A record and its last state hash."""
    played, path = play(), tmp_path / "run"
    log = recording(played, path)
    played.join("a", "Reds", 1)
    played.simulation.run_cycle(3)
    played.act(Action("a", "beam", (-2.0, 1.0, 0.5)), cycles=60)
    log.done(played.simulation)
    return path, state_hash(played.world)


def test_a_repetition_has_the_same_hash_and_an_input_that_is_missing_is_noticed(play, recorded):
    path, last = recorded
    assert state_hash(repeated(play, path).world) == last
    path.write_bytes(path.read_bytes().replace(b'"beam"', b'"say"'))
    with pytest.raises(ContinuationError, match="cycle 51 is not as it was recorded"):
        repeated(play, path)


def test_a_reset_in_a_match_is_repeated_as_it_was(play, tmp_path):
    played, path = play(), tmp_path / "run"
    log = recording(played, path)
    played.join("a", "Reds", 1)
    played.act(Action("m", "add_robot", ("sphere@1,2",)), cycles=10)
    played.act(Action("m", "reset"), cycles=60)
    log.done(played.simulation)
    assert len(played.world.robots) == 1 and played.simulation.time == pytest.approx(60 * 0.02)
    assert state_hash(repeated(play, path).world) == state_hash(played.world)


def test_what_trainers_do_while_time_stands_still_is_repeated_as_it_was(play, tmp_path):
    played, path = play(), tmp_path / "run"
    log, time = recording(played, path), SimulationTime(played.simulation)
    played.join("a", "Reds", 1)
    assert time.carry_out((Action("m", "add_robot", ("nao@1,2",)), Action("m", "undo"))) == []
    (refusal,) = time.carry_out((Action("m", "add_robot", ("sphere@1,2",)), Action("m", "remove_robot", (99,))))
    assert "no robot 99" in refusal.text
    # Watching draws no noise.
    time.snapshot_while_paused()
    assert not played.run(60).notices
    log.done(played.simulation)
    again = repeated(play, path)
    assert state_hash(again.world) == state_hash(played.world)
    assert again.percepts and played.simulation.percepts
    assert np.array_equal(again.percepts.values, played.simulation.percepts.values)


def test_what_is_entered_while_time_stands_still_is_not_kept_in_memory(play, tmp_path):
    played, path = play(), tmp_path / "run"
    log = recording(played, path)
    for number in range(MOST_ENTERED + 10):
        played.link.inbox.append(Commands(actions=(Action("a", ("create", "leave")[number % 2], ("nao",)),)))
        played.simulation.run_cycle(0)
    played.run(2)
    log.done(played.simulation)
    lines = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert [len(line.get("in", ())) for line in lines] == [MOST_ENTERED, 10, 0]
    assert [line.get("cycle") for line in lines] == [None, 1, 2]
    assert state_hash(repeated(play, path).world) == state_hash(played.world)


def test_a_vacant_robot_is_taken_over_by_its_number_and_type(played):
    played.world.settings = replace(played.world.settings, max_robots=3)
    handle = played.join("a", "Reds", 3)
    played.join("b", "Reds", 4)
    assert played.world.vacate() == 2
    (refusal,) = played.refusals(Action("c", "create", ("nao", 4)), Action("c", "init", ("Reds", 3)))
    assert "number 3 of 'Reds' must be nao type 0" in refusal and played.join("d", "Reds", 3) == handle
    assert played.join("e", "Reds", 0) != handle
    assert [robot.client for robot in played.world.robots.values()] == ["d", "e", "c"]
    assert sorted(played.world.teams.left.players) == [3, 4]


def test_a_record_that_was_cut_off_is_read_up_to_its_last_whole_line(play, recorded, tmp_path):
    path, _ = recorded
    (packed := tmp_path / "run.gz").write_bytes(gzip.compress(path.read_bytes())[:-30])
    lines = path.read_bytes().splitlines()
    (cut := tmp_path / "cut").write_bytes(b"\n".join(lines[:20]))
    assert repeated(play, cut).world.cycle == json.loads(lines[18])["cycle"]
    assert repeated(play, packed).world.cycle > 0
