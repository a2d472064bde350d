"""What a proxy does for its agents: perception at once, the full cycle, and then their commands. No waiting here."""

from collections.abc import Callable
from typing import Any

import pytest

from simspark_ros.exchange import Commands
from simspark_ros.server.remote import codec
from simspark_ros.server.remote.proxy import ProxyCore, UpstreamError
from simspark_ros.server.settings import ProxySettings
from test.rigs.network.proxies import CYCLE, SCENE, Delays, ProxyRig, Simulator, play_direct, play_with_proxy
from test.rigs.stub_world import Client, Lines, ServerRig, StubWorld
from test.rigs.waiting import until

EARLY = 1e-4
"""Well before a deadline, s."""


class Game:
    """A proxy at which two agents have a robot each."""

    def __init__(self, proxy_rig: ProxyRig) -> None:
        self.proxy_rig, self.world = proxy_rig, StubWorld()
        self.agents: list[Client] = []
        self._revision = -1
        for _ in range(2):
            self.join()

    def join(self) -> None:
        client = self.proxy_rig.connect()
        self.agents.append(client)
        self.proxy_rig.tell(client, SCENE)
        until(self._created, self._pass)
        self.cycle()
        for client in self.agents:
            self.proxy_rig.tell(client, "(he1 0)")
        self.end()

    def _created(self) -> bool:
        return len(self.world.robots) == len(self.agents)

    def _pass(self) -> None:
        self.proxy_rig.clock.now += 1.0
        self.proxy_rig.step()
        self.taken()

    def percepts(self, waits: bool = True) -> None:
        percepts = self.world.percepts()
        layout = b""
        if percepts.layout.revision != self._revision:
            self._revision = percepts.layout.revision
            layout = codec.pack_layout(percepts.layout)
        message = codec.PerceptsMessage(percepts.cycle, waits, codec.pack_percepts(percepts), layout)
        self.proxy_rig.simulator.inbox.append(codec.encode(message))
        self.proxy_rig.step()

    def cycle(self) -> None:
        self.percepts()
        for client in self.agents:
            client.receive()

    def end(self) -> list[Commands]:
        self.proxy_rig.clock.now += CYCLE
        self.proxy_rig.step()
        return self.taken()

    def taken(self) -> list[Commands]:
        """What the proxy has sent since the last call."""
        commands = [codec.decode(payload, codec.CommandsMessage).commands for payload in self.proxy_rig.simulator.sent]
        self.proxy_rig.simulator.sent.clear()
        for each in commands:
            self.world.apply(each)
        return commands


@pytest.fixture
def proxy_rig(close_later: Callable[[ProxyRig], ProxyRig]) -> Callable[..., ProxyRig]:
    return lambda **settings: close_later(ProxyRig(**settings))


@pytest.fixture
def game(proxy_rig: Callable[..., ProxyRig]) -> Game:
    return Game(proxy_rig())


def test_agents_have_the_whole_cycle_from_the_moment_they_are_sent_perception(game: Game) -> None:
    game.cycle()
    game.proxy_rig.clock.now += CYCLE - EARLY
    for number, client in enumerate(game.agents):
        game.proxy_rig.tell(client, f"(he1 {number + 1})(syn)")
    assert game.taken() == []
    game.proxy_rig.clock.now += EARLY
    game.proxy_rig.step()
    (commands,) = game.taken()
    assert commands.answers == game.world.cycle
    assert commands.velocities.tolist() == [1.0, 2.0]
    assert commands.rejected == {}


def test_input_that_has_arrived_at_the_deadline_counts_read_or_not(game: Game) -> None:
    game.cycle()
    game.proxy_rig.clock.now += CYCLE
    for client in game.agents:
        client.send("(he1 1)(syn)")
    # The loopback delivers at once, so one look is enough.
    game.proxy_rig.step()
    (commands,) = game.taken()
    assert len(commands.velocities) == 2 and commands.rejected == {}


def test_the_proxy_does_not_wait_for_its_agents_and_names_the_late_ones(game: Game) -> None:
    first, second = game.agents
    game.cycle()
    game.proxy_rig.tell(first, "(he1 1)(syn)")
    game.proxy_rig.tell(second, "(he1 1)(syn)")
    game.end()
    for late in (1, 2):
        game.cycle()
        game.proxy_rig.tell(first, "(he1 2)(syn)")
        (commands,) = game.end()
        assert commands.velocities.tolist() == [2.0]
        assert commands.rejected == {"late for its cycle: agent-2": 1}
        assert game.proxy_rig.core.agents.late() == {"agent-2": late}
    assert len(game.proxy_rig.log.having("agent 2 (127.0.0.1:")) == 2, "one line of joining, one of being late"
    assert game.proxy_rig.log.having("did not answer within 20 ms")


def test_a_late_command_goes_with_the_next_cycle_or_with_one_that_comes_before_the_time_is_over(game: Game) -> None:
    game.cycle()
    game.end()
    game.proxy_rig.tell(game.agents[0], "(he1 7)(syn)")
    assert game.taken() == [], "not between two cycles"
    game.cycle()
    game.proxy_rig.tell(game.agents[1], "(he1 8)(syn)")
    (commands,) = game.end()
    assert (commands.answers, commands.velocities.tolist()) == (game.world.cycle, [7.0, 8.0])
    game.cycle()
    game.proxy_rig.tell(game.agents[0], "(he1 3)(syn)")
    game.cycle()
    (commands,) = game.taken()
    assert (commands.answers, commands.velocities.tolist()) == (game.world.cycle - 1, [3.0])
    assert commands.rejected == {}, "no agent is to blame"
    assert game.proxy_rig.core.missed == 1
    assert game.proxy_rig.log.having("--proxy-limit")
    game.proxy_rig.clock.now += CYCLE - EARLY
    game.proxy_rig.step()
    assert game.taken() == [], "the new perception has its full cycle"


def test_agents_need_not_know_syn(game: Game) -> None:
    for _ in range(3):
        game.cycle()
        for client in game.agents:
            game.proxy_rig.tell(client, "(he1 1)")
        (commands,) = game.end()
        assert len(commands.velocities) == 2 and commands.rejected == {}


def test_all_agents_may_end_the_cycle_early_if_that_is_wanted(proxy_rig: Callable[..., ProxyRig]) -> None:
    game = Game(proxy_rig(early=True))
    game.cycle()
    game.proxy_rig.tell(game.agents[0], "(he1 1)(syn)")
    assert game.taken() == []
    game.proxy_rig.tell(game.agents[1], "(he1 2)(syn)")
    (commands,) = game.taken()
    assert commands.velocities.tolist() == [1.0, 2.0]


def test_in_real_time_a_simulator_does_not_wait_and_no_cycle_is_missed(game: Game) -> None:
    game.percepts(waits=False)
    game.percepts(waits=False)
    assert game.proxy_rig.core.missed == 0
    assert [commands.answers for commands in game.taken()] == [game.world.cycle - 1]


def test_nothing_is_sent_while_earlier_commands_are_on_their_way(game: Game) -> None:
    game.cycle()
    game.proxy_rig.tell(game.agents[0], "(he1 3)(say hi)(syn)")
    game.proxy_rig.simulator.idle = False
    assert game.end() == []
    game.cycle()
    game.proxy_rig.simulator.idle = True
    (commands,) = game.end()
    assert (commands.answers, commands.velocities.tolist()) == (game.world.cycle, [3.0])
    assert [action.kind for action in commands.actions] == ["say"]


def test_an_agent_that_leaves_is_reported_and_the_log_sums_up_that_it_was_late(game: Game) -> None:
    game.cycle()
    game.end()
    game.agents[1].socket.close()
    until(lambda: len(game.proxy_rig.core.agents.clients()) == 1, game.proxy_rig.step)
    assert game.proxy_rig.log.having("was late in 1 of 2")
    game.percepts()
    (commands,) = game.end()
    assert [(action.client, action.kind) for action in commands.actions] == [("agent-2", "leave")]


def test_while_time_stands_still_actions_pass_after_a_moment(game: Game) -> None:
    game.cycle()
    game.end()
    game.proxy_rig.tell(game.agents[0], "(say hi)")
    assert game.taken() == []
    game.proxy_rig.clock.now += 0.3
    game.proxy_rig.step()
    (commands,) = game.taken()
    assert [action.arguments for action in commands.actions] == [("hi",)]


def test_a_simulator_that_cannot_be_understood_ends_the_proxy(game: Game) -> None:
    # A second welcome means nothing.
    game.proxy_rig.simulator.inbox.append(codec.encode(codec.Welcome(1.0)))
    game.proxy_rig.step()
    for payload, why in ((b"(nonsense)", "same release"), (codec.encode(codec.Refusal("too many")), "too many")):
        game.proxy_rig.simulator.inbox.append(payload)
        with pytest.raises(UpstreamError, match=why):
            game.proxy_rig.step()


def test_with_jitter_no_agent_loses_thinking_time_behind_a_proxy_and_all_do_without(profile) -> None:
    """Up to 8 ms each way and agents that need 15 of their 20 ms, the same delays for both ways of playing."""
    direct = play_direct(profile, Delays(1, 0.008), 0.015, 100)
    proxied = play_with_proxy(Delays(1, 0.008), 0.015, 100)
    # Two agents in every cycle; the last cycle's commands are not taken any more.
    assert (proxied.in_time, proxied.late) == (2 * 99, 0)
    # A nanosecond for the rounding of sums of times.
    assert min(proxied.thinking) > CYCLE - 1e-9
    assert len(proxied.thinking) >= 2 * 99
    assert direct.late > 30 and direct.in_time > 30
    assert max(direct.thinking) < CYCLE and min(direct.thinking) < CYCLE / 2
    # Who thinks too long is late behind a proxy too.
    slow = play_with_proxy(Delays(1, 0.008), 0.021, 20)
    assert slow.in_time == 0 and slow.late > 30


def test_a_proxy_has_limits_on_agents_of_its_own(close_later: Callable[[Any], Any]) -> None:
    core = close_later(ProxyCore(ProxySettings(("", 0), agent_port=0, max_clients=1), log=Lines()))
    here = close_later(ServerRig(core.agents, lambda: core.step(Simulator(), 0.0)))
    first = here.connect()
    here.tell(first, SCENE)
    late = here.knock()
    until(lambda: late.is_closed, here.poll)
    assert not first.is_closed
