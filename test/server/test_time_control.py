"""Pause, steps and speed by the monitor port, in a served match."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings, RsmpServerSettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.time_control import SimulationTime
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.soccer.game_state import PlayMode
from test.rigs.stub_world import Clock
from test.rigs.waiting import until

DEADLINE = 20.0


class Watcher:
    """A monitor over a real socket; `show` takes its messages, without it `reader` does."""

    def __init__(self, port: int, show: Callable[[bytes], object] | None = None) -> None:
        self.reader = MonitorReader()
        self.connection = ClassicClient("127.0.0.1", port)
        self._show = show or self.reader.show

    def send(self, text: str) -> None:
        self.connection.send(text)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f"game time is {self.reader.time}"
            for message in self.connection.receive_some(0.05):
                self._show(message)


class Served:
    """A simulation with a robot that runs in a thread, as fast as it can, with ports of monitors."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, rsmp: RsmpServerSettings | None = None, **settings: str
    ) -> None:
        ports = ClassicServerSettings(AgentServerSettings(port=0), MonitorServerSettings(port=0), rsmp=rsmp)
        self.core = ClassicServer(ports, clock=clock)
        chosen = replace(load_simulation_settings(), pacing="fast", **settings)  # type: ignore[arg-type]
        self.simulation: Simulation
        self.simulation, _ = build_simulation(chosen, [self.core], time.monotonic, time.sleep)
        assert self.core.monitors is not None
        self.monitors = self.core.monitors
        self.monitors.time_control = SimulationTime(self.simulation)
        self.simulation.world.add_robot(load_robot("nao", 0), (-2.0, 0.0, 0.4), 0.0)
        self.simulation.world.game.set_play_mode(PlayMode.PLAY_ON)
        self._thread = threading.Thread(target=self.simulation.run)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self.simulation.stop()
        if self._thread.ident:
            self._thread.join(DEADLINE)
        else:
            self.simulation.end()
        self.simulation.world.engine.close()


@pytest.fixture
def served(close_later: Callable[[Served], Served]) -> Served:
    made = close_later(Served())
    made.start()
    return made


def test_a_pause_shows_every_single_step_and_ends(served):
    watcher = Watcher(served.monitors.port)
    watcher.until(lambda: watcher.reader.time > 0.1)
    watcher.send("(pause)")
    watcher.until(lambda: served.simulation.scheduler.paused)
    cycle, game = served.simulation.world.cycle, served.simulation.world.game
    watcher.until(lambda: watcher.reader.time == pytest.approx(game.time))
    for steps in (1, 1, 3):
        watcher.send(f"(step {steps})")
        cycle += steps
        watcher.until(lambda: served.simulation.world.cycle == cycle)  # noqa: B023
        watcher.until(lambda: watcher.reader.time == pytest.approx(game.time))
    watcher.send("(run)")
    watcher.until(lambda: served.simulation.world.cycle > cycle + 10)


def test_who_comes_during_a_pause_sees_the_match(served):
    served.simulation.requests.submit(served.simulation.scheduler.pause).result(DEADLINE)
    watcher = Watcher(served.monitors.port)
    watcher.until(lambda: len(watcher.reader.nodes) > 60)
    again = Watcher(served.monitors.port)
    again.until(lambda: again.reader.nodes == watcher.reader.nodes)


def test_speed_sets_the_pace_and_takes_it_back_but_not_of_a_bridge_in_another_process(served):
    watcher = Watcher(served.monitors.port)
    scheduler = served.simulation.scheduler
    for text, speed in (("(speed 2)", 2.0), ("(speed 0)", float("inf")), ("(speed)", None)):
        watcher.send(text)
        watcher.until(lambda: scheduler.speed == speed)  # noqa: B023
    served.monitors.time_control = None
    watcher.send("(pause)")
    watcher.until(lambda: any(status.rejected for status in served.core.clients()))
    assert not served.simulation.scheduler.paused


def test_who_wants_fewer_frames_costs_fewer_and_takes_none_from_others(close_later: Callable[[Served], Served]) -> None:
    clock = Clock()
    made = close_later(Served(clock))
    watchers = [Watcher(made.monitors.port) for _ in range(2)]

    def frames_in(cycles: int) -> int:
        before = sum(status.sent for status in made.core.clients())
        for _ in range(cycles):
            made.simulation.run_cycle()
            made.core.poll(0.0)
            clock.now += 0.001
        return sum(status.sent for status in made.core.clients()) - before

    def poll() -> None:
        made.core.poll(0.01)

    watchers[0].send("(frameRate 25)(frameRate 0)(frameRate x)")
    watchers[1].send("(frameRate 50)")
    until(lambda: sum(status.received for status in made.core.clients()) == 2, poll)
    # Each cycle takes a millisecond here, so 200 of them could be shown 100 times; the faster monitor wants 10.
    assert frames_in(200) == pytest.approx(2 * 10, abs=4)
    watchers[1].connection.close()
    until(lambda: len(made.core.clients()) == 1, poll)
    assert frames_in(200) == pytest.approx(5, abs=2)
