"""Lock-step waits for agents within limits, with real sockets; those that hold up the others are dropped by name."""

from dataclasses import replace

import pytest

SCENE = "(scene rsg/agent/nao/nao_hetero.rsg 0)"


@pytest.fixture
def here(serve_agents):
    return serve_agents(silent_timeout=10.0)


def test_a_participant_that_falls_silent_is_dropped_by_name(here):
    good, silent = here.join(1), here.join(2)
    _settled(here, good, silent)
    _all_answer(here, good)
    here.passes(9.0)
    assert not here.server.ready
    here.passes(2.0)
    assert here.server.ready and silent.is_closed and not good.is_closed
    (line,) = here.log.having("has not answered")
    assert line.startswith("agent 2 (127.0.0.1:") and "--silent-timeout" in line and "real time" not in line
    assert here.ready_cycle().actions[-1].kind == "leave"


def _settled(here, *agents):
    for _ in range(6):
        _all_answer(here, *agents)
        here.ready_cycle()


def _all_answer(here, *agents):
    heard = here.received
    for agent in agents:
        agent.send("(syn)")
    here.heard(heard + len(agents))


@pytest.mark.parametrize("late", [("(syn)",), ("(he1 0)" * 586, "(he1 0)")], ids=["answers", "floods"])
def test_an_agent_that_always_answers_just_before_the_limit_is_dropped_for_all_that_it_has_held_up(here, late):
    good, slow, third = here.join(1), here.join(2), here.join(3)
    _settled(here, good, slow, third)
    cycles = 0
    while not slow.is_closed and cycles < 20:
        _all_answer(here, good, third)
        here.passes(9.0)
        if not slow.is_closed:
            slow.send(*late)
            here.ready_cycle()
            cycles += 1
    # 60 s may be owed. Each time it holds up two others by 9 s, of which 0.5 s are free: 7 * 8.5 + 9 s are more.
    assert cycles == 7 and not good.is_closed and not third.is_closed
    (line,) = here.log.having("delayed the others by 60 s")
    assert line.startswith("agent 2 (127.0.0.1:") and "--silent-timeout" in line


def test_an_agent_repays_what_it_has_held_up_by_answering_fast(here):
    good, slow = here.join(1), here.join(2)
    for cycle in range(300):
        _all_answer(here, good)
        if cycle % 20 == 19:
            here.passes(9.0)
        slow.send("(syn)")
        here.ready_cycle()
    assert not slow.is_closed and not here.log.having("held up")


def test_an_agent_alone_may_think_as_long_as_it_likes(here):
    learner = here.join(1)
    for cycle in range(36):
        # After a while it is slow again and again, and at last for ten minutes.
        here.passes(0.0 if cycle < 6 else 600.0 if cycle == 35 else 9.0)
        assert not learner.is_closed
        learner.send("(syn)")
        here.ready_cycle()


def test_agents_that_all_think_are_dropped_only_after_one_has_waited_for_the_others(here):
    first, second = here.join(1), here.join(2)
    _settled(here, first, second)
    here.passes(600.0)
    _all_answer(here, first)
    here.passes(9.0)
    assert not second.is_closed
    here.passes(2.0)
    assert second.is_closed and not first.is_closed


def test_an_agent_alone_on_its_port_is_dropped_when_agents_of_another_port_wait_but_only_in_lock_step(here):
    silent = here.join(1)
    _settled(here, silent)
    here.server.awaited.others_wait = lambda: True
    here.server.lockstep = False
    here.passes(100.0)
    assert here.server.participants == 1
    here.server.lockstep = True
    here.passes(11.0)
    assert silent.is_closed and here.log.having("has not answered")


def test_an_agent_for_real_time_that_lock_step_drops_is_called_so(here):
    agent = here.connect()
    here.tell(agent, SCENE, "(init (unum 1)(teamname A))", "(he1 0)")
    for _ in range(7):
        here.cycle()
    here.passes(11.0)
    assert agent.is_closed
    (line,) = here.log.having("has never sent (syn)")
    assert "--pacing realtime" in line


def test_where_each_message_is_an_answer_nobody_is_told_to_send_syn(here):
    here.server._rules = replace(here.server._rules, every_message=True)
    agent = here.connect()
    here.tell(agent, SCENE, "(init (unum 1)(teamname A))", "(he1 0)")
    here.server.awaited.others_wait = lambda: True
    for _ in range(7):
        here.cycle()
    here.passes(11.0)
    assert agent.is_closed
    (line,) = here.log.having("has not answered for 10 s")
    assert "(syn)" not in line


def test_a_client_without_a_robot_blocks_no_other_and_is_dropped_by_name(serve_agents):
    here = serve_agents(scene_timeout=30.0)
    good = here.join(1)
    idle = here.connect()
    idle.send("(syn)(he1 1)")
    here.heard(3)
    good.send("(syn)")
    here.ready_cycle()
    assert idle.arrived() == []
    here.passes(31.0)
    assert idle.is_closed and not good.is_closed
    assert here.log.having("agent 2 (127.0.0.1:")[-1].endswith("it must send (scene ...) after connecting")
    # The simulator never heard of it.
    assert here.cycle().actions == ()


def test_a_robot_that_the_simulator_removed_is_no_longer_waited_for(serve_agents):
    here = serve_agents()
    client = here.join(1)
    here.world.robots = []
    here.world.revision += 1
    client.send("(syn)")
    here.ready_cycle()
    assert here.server.participants == 0 and here.server.ready
    client.send("(he1 1)", SCENE)
    here.heard(5)
    commands = here.cycle()
    assert len(commands.handles) == 0 and [action.kind for action in commands.actions] == ["create"]
    assert here.server.participants == 1
    here.clock.now += 1e6
    here.server.lockstep = False
    here.poll()
    assert not client.is_closed
