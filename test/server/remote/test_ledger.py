"""What a simulator accepts from remote sides, whom it waits for, and when their clients leave."""

from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.exchange import Action, Commands
from simspark_ros.server.remote.codec import CommandsMessage
from simspark_ros.server.remote.ledger import MAX_ACTIONS, MAX_PENDING, Ledger, RemoteSide
from test.rigs.messages.percepts import commands, layout


def shown(ledger: Ledger, cycle: int, *clients: str) -> None:
    """Percepts of these clients' robots, 10, 11 and so on, are delivered to all."""
    ledger.cycle = cycle
    ledger.adopt(layout(list(clients)), cycle)
    for remote in ledger.remotes.values():
        remote.delivered = cycle


@pytest.fixture
def remote() -> RemoteSide:
    return RemoteSide("b/", "bridge 'b'")


@pytest.fixture
def ledger(remote: RemoteSide) -> Ledger:
    """Knows one remote side with two robots, which has to answer cycle 1."""
    one = Ledger(64)
    one.add(remote)
    shown(one, 1, "b/agent-1", "b/agent-2", "other/agent-1")
    return one


def acting(*actions: Action, participants: int = 0) -> CommandsMessage:
    return CommandsMessage(Commands(actions=actions, participants=participants))


def answer(cycle: int, participants: int = 2) -> CommandsMessage:
    return CommandsMessage(Commands(answers=cycle, participants=participants))


def test_everything_arrives_in_the_order_of_remote_sides_and_clients(ledger: Ledger, remote: RemoteSide) -> None:
    first = RemoteSide("a/")
    ledger.add(first)
    ledger.accept(remote, acting(Action("agent-10", "say"), Action("agent-2", "say")))
    ledger.accept(remote, acting(Action("monitor-1", "ball"), Action("agent-2", "pass")))
    ledger.accept(first, acting(Action("agent-3", "say")))
    actions = [(action.client, action.kind) for action in ledger.take().actions]
    told = ("a/agent-3 say", "b/agent-2 say", "b/agent-2 pass", "b/agent-10 say", "b/monitor-1 ball")
    assert [" ".join(action) for action in actions] == [*told]
    assert ledger.take().actions == ()


def test_joint_commands_of_several_messages_are_joined(ledger: Ledger, remote: RemoteSide) -> None:
    shown(ledger, 2, "b/agent-1", "b/agent-2")
    for cycle in (1, 2):
        ledger.accept(remote, CommandsMessage(commands(["agent-1"], cycle)))
    taken = ledger.take()
    assert len(taken.handles) == len(taken.joints) == len(taken.velocities) == 24
    assert (taken.answers, taken.participants, taken.wants_poses) == (2, 1, True)
    assert taken.rejected == {"bridge 'b': no such effector": 6}
    assert ledger.is_ready


def test_time_waits_for_a_new_robot_and_no_more_clients_than_have_robots(ledger: Ledger, remote: RemoteSide) -> None:
    ledger.accept(remote, answer(1))
    assert ledger.is_ready
    shown(ledger, 5, "b/agent-1", "b/agent-2", "b/agent-3", "other/agent-1")
    assert ledger.participants == 3 and not ledger.is_ready
    ledger.accept(remote, CommandsMessage(Commands(answers=1, participants=2), received=5))
    assert ledger.participants == 2 and not ledger.is_ready
    ledger.accept(remote, answer(5, participants=0))
    assert ledger.participants == 0 and ledger.is_ready
    ledger.accept(remote, answer(5, participants=10**9))
    assert ledger.participants == 3


def joint(handle: int) -> CommandsMessage:
    return CommandsMessage(Commands(1, 2, np.array([handle]), np.array([0]), np.array([1.0])))


def test_clients_beyond_the_limit_are_left_out_and_the_others_play_on(ledger: Ledger, remote: RemoteSide) -> None:
    crowd = [Action(f"agent-{n}", "say") for n in range(66)]
    ledger.accept(remote, replace(joint(10), commands=replace(joint(10).commands, actions=tuple(crowd))))
    taken = ledger.take()
    assert taken.handles.tolist() == [10]
    assert [action.client for action in taken.actions] == [f"b/agent-{n}" for n in range(64)]
    assert taken.rejected == {"bridge 'b': more than 64 clients at a time": 2}
    # Who leaves makes room.
    ledger.accept(remote, acting(Action("agent-0", "leave"), Action("agent-65", "say"), Action("agent-66", "say")))
    assert [action.client for action in ledger.take().actions] == ["b/agent-0", "b/agent-65"]


def test_while_the_simulation_is_paused_only_leaving_is_kept(ledger: Ledger, remote: RemoteSide) -> None:
    ledger.accept(remote, acting(Action("agent-1", "create")))
    for _ in range(MAX_PENDING + 50):
        ledger.accept(remote, acting(Action("agent-1", "say"), Action("agent-9", "leave")))
    ledger.accept(remote, acting(Action("agent-1", "leave")))
    taken = ledger.take()
    assert len(taken.actions) < 2 * MAX_PENDING + 2
    assert Action("b/agent-1", "leave") in taken.actions
    assert taken.rejected["commands while the simulation is paused"] == 52


def test_actions_and_reasons_of_a_cycle_are_bounded_and_leaving_is_kept(ledger: Ledger, remote: RemoteSide) -> None:
    def take(number: int) -> Commands:
        ledger.accept(remote, acting(*[Action("agent-1", "say")] * number, Action("agent-1", "leave")))
        return ledger.take()

    for _ in range(2):
        taken = take(MAX_ACTIONS + 50)
        assert len(taken.actions) == MAX_ACTIONS + 1 and taken.actions[-1].kind == "leave"
        assert taken.rejected == {f"bridge 'b': more than {MAX_ACTIONS} actions in one cycle": 50}
    assert not take(MAX_ACTIONS).rejected
    for start in range(0, 2000, 100):
        reasons = {f"reason {start + n}": 1 for n in range(100)}
        ledger.accept(remote, CommandsMessage(Commands(rejected=reasons)))
    rejected = ledger.take().rejected
    assert len(rejected) < 600 and rejected["further reasons of remote clients"] > 1000


def test_robots_that_come_and_go_leave_nothing_behind(ledger: Ledger, remote: RemoteSide) -> None:
    for number in range(1100):
        # One robot goes, one comes: as if an agent connected again and again.
        structure = layout(["b/agent-1"])
        ledger.adopt(structure._replace(robots=(structure.robots[0]._replace(handle=number),)), number)
    assert len(remote.handles) == 1024
    assert 1099 in remote.handles and 1 not in remote.handles


def test_late_clients_are_counted_once_a_cycle(ledger: Ledger, remote: RemoteSide) -> None:
    assert ledger.count_late() == [remote]
    assert ledger.count_late() == []
    reasons = {f"late for its cycle: bridge 'b' agent-{unum} (Red {unum})": 1 for unum in (1, 2)}
    assert ledger.take().rejected == reasons
    ledger.accept(remote, answer(1))
    shown(ledger, 2, "b/agent-1", "b/agent-2")
    ledger.accept(remote, answer(2))
    assert ledger.count_late() == [] and ledger.take().rejected == {}
