"""What monitors are told about the inside of robots, and what they do to them by hand, over a real socket."""

from collections.abc import Callable
from contextlib import ExitStack

import numpy as np
import pytest

from simspark_ros.protocol.monitor.inspection import OPENING, Readings, Roster, TrainerNote, WorldShown, read
from simspark_ros.rendering.scene_models import models_of_lines
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server.inspection import Inspector
from simspark_ros.simulation.loading.world_saving import WorldSaving
from simspark_ros.soccer.settings import world_of_text
from test.server.test_time_control import Served, Watcher


class Curious(Watcher):
    def __init__(self, port: int) -> None:
        super().__init__(port, self._take)
        self.rosters: list[Roster] = []
        self.readings: list[Readings] = []
        self.worlds: list[str] = []
        self.notes: list[str] = []

    def until(self, condition: Callable[[], bool], *texts: str) -> None:
        for text in texts:
            self.send(text)
        super().until(condition)

    def _take(self, payload: bytes) -> None:
        if not payload.startswith(OPENING):
            self.reader.show(payload)
            return
        message = read(payload)
        if isinstance(message, Roster):
            self.rosters.append(message)
        elif isinstance(message, WorldShown):
            self.worlds.append(message.text)
        elif isinstance(message, TrainerNote):
            self.notes.append(message.text)
        elif isinstance(message, Readings):
            self.readings.append(message)


@pytest.fixture
def served(close_later: Callable[[Served], Served]) -> Served:
    made = close_later(Served())
    made.monitors.inspector = Inspector(made.simulation)
    made.simulation.add_node(made.monitors.inspector)
    made.start()
    return made


def test_who_asks_is_told_what_robots_there_are_and_who_does_not_gets_frames_only(served):
    curious, usual = Curious(served.monitors.port), Curious(served.monitors.port)
    curious.until(lambda: bool(curious.rosters) and bool(curious.reader.nodes), "(inspect)")
    (robot,), (kind,) = curious.rosters[0].robots, curious.rosters[0].kinds
    nao = load_robot("nao", 0)
    (drawn,) = models_of_lines(kind.body).values()
    assert [link.visuals for link in drawn.model.links] == [link.visuals for link in nao.model.links]
    assert [joint.name for joint in kind.joints] == [joint.name for joint in nao.model.joints]
    assert (robot.side, robot.unum) == ("", 0)
    usual.until(lambda: usual.reader.time > 1.0)
    assert not usual.rosters and not usual.readings and not curious.readings


def test_readings_are_those_of_the_robot_and_those_of_a_pause_are_of_now(served):
    curious = Curious(served.monitors.port)
    curious.until(lambda: bool(curious.rosters), "(inspect)")
    robot = curious.rosters[0].robots[0]
    curious.until(lambda: served.simulation.scheduler.paused, "(pause)")
    ask = f"(inspect (robot {robot.handle}))"
    curious.until(lambda: any(one.time == served.simulation.time for one in curious.readings), ask)
    # The world is told once.
    assert [world_of_text(text) for text in curious.worlds] == [served.simulation.world.settings]
    last, state = curious.readings[-1], served.simulation.world.engine.state
    assert np.array_equal(last.positions, state.joint_position)
    kind = curious.rosters[-1].kinds[0]
    sensed = dict(zip(kind.sensors, last.sensors, strict=True))
    percepts = served.simulation.percepts
    (gyroscope,) = [slot for slot in percepts.layout.robots[0].slots if slot.kind == "gyroscope"]
    assert sensed["gyroscope torso x"] == percepts.values[gyroscope.start]


def test_a_joint_is_turned_and_a_robot_pushed(served):
    curious = Curious(served.monitors.port)
    curious.until(lambda: bool(curious.rosters), "(inspect)")
    handle, kind = curious.rosters[0].robots[0].handle, curious.rosters[0].kinds[0]
    head = [joint.name for joint in kind.joints].index("hj1")
    turn = f"(turnJoint (robot {handle})(joint hj1)(position 0.5))"
    # The motor of the head takes out all but a few hundredths of a radian.
    near = lambda: bool(curious.readings) and abs(curious.readings[-1].positions[head] - 0.5) < 0.05  # noqa: E731
    curious.until(near, turn, f"(inspect (robot {handle}))")
    state = served.simulation.world.engine.state
    before = state.position[0, 1]
    curious.until(lambda: state.position[0, 1] > before + 0.1, f"(push (robot {handle})(impulse 0 8 0))")


def test_all_sensors_are_sensed_of_a_robot_that_a_monitor_looks_into(played):
    description = load_robot("nao_lola")
    robot = played.world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0)
    inspector = Inspector(played.simulation)
    played.simulation.add_node(inspector)
    kinds = [slot.kind for slot in played.run(1).layout.robots[0].slots]
    assert not played.run(2).present[kinds.index("lola")]
    inspector.looked_at.add(robot.handle)
    assert played.run(2).present[kinds.index("lola")]
    inspector.looked_at.clear()
    assert not played.run(1).present[kinds.index("lola")]


def test_a_list_of_robots_that_no_monitor_may_read_is_told_empty(served, monkeypatch):
    monkeypatch.setattr("simspark_ros.server.monitor_server.LARGEST_MESSAGE", 1000)
    curious = Curious(served.monitors.port)
    curious.until(lambda: bool(curious.rosters) and bool(curious.reader.nodes), "(inspect)")
    assert curious.rosters[0] == Roster()


def test_who_asks_is_told_why_a_command_is_refused_by_the_port_and_by_the_simulation(served):
    curious, usual = Curious(served.monitors.port), Curious(served.monitors.port)
    curious.until(lambda: bool(curious.rosters), "(inspect)")
    curious.until(lambda: any("playMode" in note for note in curious.notes), "(playMode nonsense)")
    curious.until(lambda: any("robot 99" in note for note in curious.notes), "(push (robot 99)(impulse 1 0 0))")
    usual.until(lambda: usual.reader.time > 0.5, "(playMode nonsense)")
    assert not usual.notes


def test_a_paused_scene_is_edited_and_shown_without_a_step_and_refusals_come_at_once(served):
    curious, usual = Curious(served.monitors.port), Curious(served.monitors.port)
    curious.until(lambda: bool(curious.rosters), "(inspect)")
    usual.until(lambda: served.simulation.scheduler.paused and bool(usual.reader.nodes), "(pause)")
    cycle, nodes = served.simulation.world.cycle, len(usual.reader.nodes)

    def names() -> set[str]:
        return {robot.name for robot in curious.rosters[-1].robots}

    def ball() -> float:
        return float(served.simulation.world.engine.state.ball_position[0])

    curious.until(lambda: "crate" in names(), "(addObject crate=box/0.4,0.4,0.2@1,2)")
    usual.until(lambda: len(usual.reader.nodes) > nodes)
    crate = next(robot.handle for robot in curious.rosters[-1].robots if robot.name == "crate")
    curious.until(lambda: bool(curious.readings), f"(inspect (robot {crate}))")
    curious.until(lambda: any("robot 99" in note for note in curious.notes), "(removeRobot (robot 99))")
    before = usual.reader.world()
    curious.until(lambda: ball() == 3.0, "(ball (pos 3 1 0.1))")
    usual.until(lambda: bool((usual.reader.world() != before).any()))
    # More than a monitor may send in a cycle.
    curious.until(lambda: ball() == 99.0, *(f"(ball (pos {number} 1 0.1))" for number in range(100)))
    curious.until(lambda: "crate" not in names(), "(undo)")
    usual.until(lambda: len(usual.reader.nodes) == nodes)
    assert served.simulation.world.cycle == cycle
    curious.until(lambda: served.simulation.world.cycle == cycle + 1, "(step 1)")


def test_who_saves_a_world_is_told_the_file_and_who_may_not_what_to_do(served, tmp_path):
    curious = Curious(served.monitors.port)
    curious.until(lambda: bool(curious.rosters), "(inspect)")
    curious.until(lambda: any("start it with --saved-worlds" in note for note in curious.notes), "(saveWorld mine)")
    WorldSaving(tmp_path, 1).attach(served.simulation, ExitStack())
    told = f"the world is saved in {tmp_path / 'mine.yaml'}"
    curious.until(lambda: told in curious.notes, "(saveWorld mine)")
    curious.until(lambda: curious.notes.count(told) == 2, "(pause)", "(saveWorld mine)")


def test_nothing_is_kept_when_nobody_asks_and_a_match_has_no_other_times_to_go_to(served):
    curious = Curious(served.monitors.port)
    rejected = lambda: served.monitors.clients()[0].rejected == {"seek": 1}  # noqa: E731
    curious.until(lambda: bool(curious.reader.nodes))
    curious.until(rejected, "(seek 1)")
    curious.until(lambda: bool(curious.rosters), "(inspect)")
    assert served.monitors.inspector.looked_at
    curious.connection.leave()
    other = Curious(served.monitors.port)
    other.until(lambda: not served.monitors.inspector.looked_at)
    other.until(lambda: bool(other.reader.nodes))
