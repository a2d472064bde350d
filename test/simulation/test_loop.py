import subprocess
import sys
import threading
from collections import Counter

import numpy as np
import pytest

from simspark_ros.exchange import Action, Commands
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server import inspection
from simspark_ros.server.inspection import Inspector
from simspark_ros.simulation import agent_control, gazing
from simspark_ros.simulation.loop import ControlNode
from simspark_ros.simulation.player_plugins import host
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.simulation.velocity import locomotion
from simspark_ros.worlds.world import Gaze, VelocityCommand
from test.rigs.waiting import DEADLINE


class Recorder(ControlNode):
    def __init__(self) -> None:
        self.events: list[str] = []
        for name in ("init", "start_cycle", "act_agent", "end_cycle", "done"):
            setattr(self, name, lambda simulation, name=name: self.events.append(name))

    def send_percepts(self, percepts):
        self.events.append(f"send {percepts.cycle}")

    def sense_agent(self, simulation):
        self.events.append(f"sense {simulation.world.cycle}")


def test_events_come_in_the_measured_order_and_links_are_closed_at_the_end(play):
    played = play()
    recorder = Recorder()
    played.simulation.add_node(recorder)
    played.simulation.run(cycles=2)
    assert played.link.closed
    one = ["start_cycle", "act_agent", "sense 1", "end_cycle"]
    two = ["start_cycle", "act_agent", "send 1", "sense 2", "end_cycle"]
    assert recorder.events == ["init", *one, *two, "done"]


def test_what_is_unused_costs_no_call(play):
    played = play()
    handle = played.world.add_robot(load_robot("nao"), (0.0, 0.0, 0.4), 0.0).handle
    played.simulation.add_node(Inspector(played.simulation))
    played.run(2)
    calls: Counter[str] = Counter()

    def count(frame, event, _):
        calls[frame.f_globals.get("__name__")] += event == "call"

    def called():
        """Those of the modules of players, monitors, drives and gazes that a cycle calls."""
        calls.clear()
        sys.setprofile(count)
        played.simulation.run_cycle()
        sys.setprofile(None)
        assert calls[agent_control.__name__]
        return {module for module in (gazing, host, inspection, locomotion) if calls[module.__name__]}

    assert called() == set()
    played.world.gazes[handle] = Gaze("hj1", "hj2", 1.0, angles=(0.1, 0.0))
    played.world.velocity_commands[handle] = VelocityCommand(0.1, 0.0, 0.0)
    played.simulation.required(Inspector).looked_at.add(-1)
    assert called() == {gazing, locomotion, inspection}
    del played.world.velocity_commands[handle], played.world.gazes[handle]
    played.simulation.required(Inspector).looked_at.clear()
    played.run(1)
    # The robot stands for a while before it is let go.
    assert called() == {locomotion}
    played.run(100)
    assert called() == set()
    played.simulation.required(host.PlayerHost).start("goalkeeper")
    assert called() >= {host}


def test_a_command_that_answers_message_k_shows_in_message_k_plus_2(play):
    played = play()
    handle = played.join()
    played.run(1)

    def message():
        percepts = played.link.delivered[-1]
        slot = next(s for s in percepts.layout.robots[0].slots if s.name == "laj1")
        return np.degrees(percepts.values[slot.start])

    before = message()  # message k
    played.link.inbox.append(Commands(handles=np.array([handle]), joints=np.array([6]), velocities=np.array([1.0])))
    played.run(1)
    assert message() == pytest.approx(before, abs=0.01)  # k + 1
    played.run(1)
    # one cycle of 1 rad/s is 1.146 degrees
    assert message() - before == pytest.approx(1.146, abs=0.02)  # k + 2


def test_time_is_a_whole_number_of_quanta_and_a_cycle_of_none_serves_inputs(play):
    played = play()
    played.link.inbox.append(Commands(actions=(Action("a", "create", ("nao", 0)),)))
    played.simulation.run_cycle(quanta=0)
    assert len(played.world.robots) == 1
    assert played.simulation.time == 0 and played.simulation.percepts is None and not played.link.delivered
    played.simulation.run_cycle(quanta=3)
    played.simulation.run_cycle()
    assert played.simulation.time == pytest.approx(0.08, abs=1e-12) and played.world.cycle == 2


def test_work_of_other_threads_is_done_between_cycles(play):
    simulation = play().simulation
    future = simulation.requests.submit(lambda: threading.current_thread().name)
    failing = simulation.requests.submit(lambda: 1 // 0)
    simulation.run(cycles=1)
    assert future.result(0) == threading.current_thread().name
    with pytest.raises(ZeroDivisionError):
        failing.result(0)


def test_requests_that_bring_forth_requests_leave_time_for_cycles(play, monkeypatch):
    simulation = play().simulation
    now = [0.0]
    served: Counter[int] = Counter()
    monkeypatch.setattr(simulation.scheduler, "clock", lambda: now[0])

    def spawn_another():
        """As `spawn_entities` does: each of its robots is asked for when the one before has come."""
        now[0] += 0.02
        served[simulation.world.cycle] += 1
        if served.total() < 100:
            simulation.requests.submit(spawn_another)

    simulation.requests.submit(spawn_another)
    simulation.run_cycle()
    simulation.run(cycles=4)
    # `request_time` is 0.05 s: the third ends beyond it.
    assert [served[cycle] for cycle in (1, 2, 3, 4)] == [3] * 4


def test_poses_are_computed_only_for_monitors_and_every_second_cycle(play):
    played = play()
    played.join()
    assert played.run(2).poses is None
    with_poses = []
    for _ in range(4):
        played.link.inbox.append(Commands(wants_poses=True))
        with_poses.append(played.run(1).poses is not None)
    assert with_poses in ([True, False, True, False], [False, True, False, True])
    poses = next(p.poses for p in reversed(played.link.delivered) if p.poses is not None)
    assert poses.positions.shape == (23, 3) and poses.rotations.shape == (23, 3, 3)


def scripted_match(play, **settings):
    played = play(**settings)
    hashes = []
    a = played.join("a", "A", 1, 0)
    b = played.join("b", "B", 1, 4)
    played.act(Action("a", "beam", (-1.0, 0.0, 0.0)))
    for cycle in range(60):
        joints = np.array([0, 6, 15, 3])
        speeds = np.sin(cycle * 0.3 + np.arange(4)) * 3
        played.link.inbox.append(Commands(handles=np.array([a, a, b, b]), joints=joints, velocities=speeds))
        percepts = played.run(1)
        sights = 0.0 if percepts.sight is None else float(percepts.sight.object_polar.sum())
        hashes.append((state_hash(played.world), sights, percepts.values.tobytes()))
    return hashes


def test_equal_seeds_and_inputs_give_equal_worlds_and_percepts_whatever_the_threads_and_others_another_one(play):
    first = scripted_match(play, seed=1, threads=1)
    assert scripted_match(play, seed=1, threads=2) == first and scripted_match(play, seed=2)[-1] != first[-1]


def test_what_is_being_sent_goes_out_before_a_failing_step_ends_the_simulation(play, monkeypatch):
    played = play(threads=2)
    failed, done = threading.Event(), threading.Event()
    step = played.world.step
    sent: list[bool] = []

    def fail_later(quanta):
        if played.simulation.percepts is not None:
            failed.set()
            raise RuntimeError("the engine has failed")
        step(quanta)

    class Slow(ControlNode):
        def send_percepts(self, percepts):
            assert failed.wait(DEADLINE)
            sent.append(not done.wait(0.05))

        def done(self, simulation):
            done.set()

    monkeypatch.setattr(played.world, "step", fail_later)
    played.simulation.add_node(Slow())
    with pytest.raises(RuntimeError, match="has failed"):
        played.simulation.run(cycles=2)
    assert sent == [True] and done.is_set()


def test_time_starts_when_enough_clients_have_a_robot(play):
    played = play(wait_for_robots=1)
    played.link.inbox += [Commands(), Commands(actions=(Action("a", "create", ("nao", 0)),))]
    played.simulation.run(cycles=2)
    assert played.simulation.time == pytest.approx(0.04) and not played.link.inbox
    assert played.link.delivered[0].layout.robots[0].client == "a"


SCRIPT = """
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.robots.catalogue import load_robot

simulation, _ = build_simulation(load_simulation_settings(), [], lambda: 0.0, lambda s: None)
world = simulation.world
for variant in range(5):
    world.add_robot(load_robot("nao", variant), (0.4 * variant, 0.0, 0.5), variant)
world.place_ball((0.2, 1.0), (0.0, -3.0, 0.0))
for cycle in range(60):
    world.motors.target[:] = (cycle % 7) - 3.0
    simulation.run_cycle()
    print(state_hash(world))
"""


def test_fresh_processes_agree_on_every_cycle():
    command, environments = [sys.executable, "-c", SCRIPT], [{"PYTHONHASHSEED": seed, "PATH": ""} for seed in "12"]
    runs = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for environment in environments]
    first, second = (run.communicate(timeout=60)[0] for run in runs)
    assert len(first.split()) >= 60 and first == second
