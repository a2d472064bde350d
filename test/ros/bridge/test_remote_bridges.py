"""What a simulator accepts from bridges, and that nothing else gets through or raises."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from simspark_ros.exchange import Action, Commands
from simspark_ros.ros.bridge.frames import write_commands
from simspark_ros.ros.bridge.remote_bridges import MAX_PENDING, BridgeRegister
from test.rigs.percepts import commands, layout

SESSION = 5


@pytest.fixture
def register(lines: Any) -> BridgeRegister:
    """Knows bridge `b` with the robots 10 and 11 of its clients."""
    one = BridgeRegister(SESSION, 2, lines)
    assert one.accept(frame(Commands()), 0.0)
    one.own(layout(["b/agent-1", "b/agent-2", "other/agent-1"]), 0)
    return one


def frame(sent: Commands, name: str = "b", session: int = SESSION, **state: Any) -> Any:
    return write_commands(sent, name, session, **state)


def test_everything_arrives_in_the_order_of_bridges_and_clients(register: BridgeRegister) -> None:
    register.accept(frame(Commands(actions=(Action("b/agent-10", "say"), Action("b/agent-2", "say")))), 0.0)
    register.accept(frame(Commands(actions=(Action("b/monitor-1", "ball"), Action("b/agent-2", "pass")))), 0.0)
    register.accept(frame(Commands(actions=(Action("a/agent-3", "say"),)), "a"), 0.0)
    actions = [(action.client, action.kind) for action in register.take().actions]
    assert actions == [
        ("a/agent-3", "say"),
        ("b/agent-2", "say"),
        ("b/agent-2", "pass"),
        ("b/agent-10", "say"),
        ("b/monitor-1", "ball"),
    ]
    assert register.take().actions == ()


def test_joint_commands_of_several_frames_are_joined(register: BridgeRegister) -> None:
    for cycle in (1, 2):
        register.accept(frame(commands(["b/agent-1"], cycle)), 0.0)
    taken = register.take()
    assert len(taken.handles) == len(taken.joints) == len(taken.velocities) == 24
    assert (taken.answers, taken.participants, taken.wants_poses) == (2, 1, True)
    assert taken.rejected == {"no such effector": 6}
    assert register.ready(2) and not register.ready(3)


def test_time_waits_for_a_new_robot_before_its_bridge_has_said_a_word(register: BridgeRegister) -> None:
    register.accept(frame(Commands(answers=4, participants=1), received=4), 0.0)
    register.own(layout(["b/agent-1", "b/agent-2", "b/agent-3", "other/agent-1"]), 5)
    assert register.participants == 3 and not register.ready(5)
    register.accept(frame(Commands(answers=4, participants=2), received=5), 0.0)
    assert register.participants == 2 and not register.ready(5)
    register.accept(frame(Commands(answers=5, participants=0), received=5), 0.0)
    assert register.participants == 0 and register.ready(5)


HOSTILE = {
    "no name": frame(Commands(), ""),
    "long name": frame(Commands(), "x" * 65),
    "slash": frame(Commands(), "b/"),
    "control": frame(Commands(), "b\n"),
    "foreign robot": frame(Commands(handles=array("q", [12]), joints=array("i", [0]), velocities=array("d", [1.0]))),  # type: ignore[arg-type]
    "foreign client": frame(Commands(actions=(Action("other/agent-1", "leave"),))),
    "no client": frame(Commands(actions=(Action("", "play_mode", ("PlayOn",)),))),
    "not a number": frame(
        Commands(handles=array("q", [10]), joints=array("i", [0]), velocities=array("d", [float("nan")]))  # type: ignore[arg-type]
    ),
    "too many clients": frame(Commands(actions=tuple(Action(f"b/{n}", "say") for n in range(2000)))),
    "negative": frame(Commands(participants=-1)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_frames_are_refused_whole_and_counted(register: BridgeRegister, lines: Any, name: str) -> None:
    register.accept(frame(commands(["b/agent-1"], 3)), 0.0)
    for _ in range(5):
        assert not register.accept(HOSTILE[name], 0.0)
    taken = register.take()
    assert len(taken.handles) == 12 and taken.participants == 1
    assert sum(count for reason, count in taken.rejected.items() if reason.startswith("frame of a bridge")) == 5
    assert len(lines.having("was refused")) == 1


def test_what_is_no_frame_at_all_raises_nothing(register: BridgeRegister) -> None:
    assert not register.accept(type("Odd", (), {"bridge": "b", "closing": False, "session": SESSION})(), 0.0)
    assert sum(register.take().rejected.values()) == 1


def test_there_is_a_limit_to_bridges(register: BridgeRegister) -> None:
    assert register.accept(frame(Commands(), "c"), 0.0)
    assert not register.accept(frame(Commands(), "d"), 0.0)
    assert list(register.bridges) == ["b", "c"]


def test_commands_meant_for_another_simulator_are_ignored_and_answered(register: BridgeRegister) -> None:
    assert register.accept(frame(commands(["b/agent-1"], 1), session=SESSION + 1), 0.0)
    assert len(register.take().handles) == 0


def test_a_silent_bridge_is_given_up_by_name_with_all_its_clients(register: BridgeRegister, lines: Any) -> None:
    actions = (Action("b/agent-1", "create"), Action("b/agent-2", "create"), Action("b/agent-1", "leave"))
    register.accept(frame(Commands(participants=1, actions=actions)), 1.0)
    register.take()
    register.give_up(1.0, "was not heard of")
    assert register.participants == 1
    register.give_up(1.5, "was not heard of")
    assert register.participants == 0 and register.ready(99)
    assert register.take().actions == (Action("b/agent-2", "leave"),)
    assert lines.having("bridge 'b' was not heard of; its 1 clients leave")
    before = 1
    assert register.accept(frame(Commands()), 2.0)
    assert register.welcomes["b"] > before


def test_a_bridge_that_ends_is_forgotten_at_once(register: BridgeRegister) -> None:
    register.accept(frame(Commands(participants=1, actions=(Action("b/agent-1", "create"),))), 0.0)
    assert not register.accept(frame(Commands(), closing=True), 0.0)
    assert not register.accept(frame(Commands(), closing=True), 0.0)
    assert [action.kind for action in register.take().actions] == ["leave"]
    assert not register.bridges


def test_while_nobody_takes_only_leaving_is_kept(register: BridgeRegister) -> None:
    register.accept(frame(Commands(actions=(Action("b/agent-1", "create"),))), 0.0)
    for _ in range(MAX_PENDING + 50):
        register.accept(frame(Commands(actions=(Action("b/agent-1", "say"), Action("b/agent-9", "leave")))), 0.0)
    register.accept(frame(Commands(actions=(Action("b/agent-1", "leave"),))), 0.0)
    taken = register.take()
    assert len(taken.actions) < 2 * MAX_PENDING + 2
    assert taken.actions[-1] == Action("b/agent-9", "leave") and Action("b/agent-1", "leave") in taken.actions
    assert taken.rejected["commands while the simulation is paused"] == 52
