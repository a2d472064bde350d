"""Fixtures for all rooms."""

import gc
import signal
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings

from simspark_ros.configuration.entry_points import Group
from simspark_ros.exchange import Action, Commands, Percepts
from simspark_ros.simulation.agent_control import AgentControl
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.referee import Referee
from simspark_ros.simulation.settings import load_simulation_settings
from test.rigs.engines import engine  # noqa: F401 (a fixture of this name)
from test.rigs.processes import outputs

# Hooks of these names.
from test.rigs.slow_tests import (  # noqa: F401
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_runtest_logreport,
    pytest_sessionfinish,
)

# Fixtures of these names; most rooms above the simulation need one of them.
from test.rigs.stub_world import (  # noqa: F401
    clock,
    close_later,
    connect_to,
    domain,
    lines,
    profile,
    selector,
    serve_agents,
    stub_world,
)

# A shell that starts the tests in the background has them, and the processes that they start, ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine takes its time.
hypothesis_settings.register_profile("without deadline", deadline=None)
hypothesis_settings.load_profile("without deadline")


# As few searches for garbage as a test takes: by default they take a tenth of its time.
gc.set_threshold(10_000, 20, 20)


@pytest.fixture(autouse=True)
def built_in_parts_work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """In a match a built-in part that fails is switched off; here its exception is raised, or it would go unnoticed.

    Yields:
        what lets built-in parts fail as in a match.
    """
    fails = Group.fails

    def raising(group: Group, name: str, error: Exception, consequence: str) -> str:
        if name in group.built_in:
            raise error
        return fails(group, name, error, consequence)

    with monkeypatch.context() as patch:
        patch.setattr(Group, "fails", raising)
        yield patch.undo


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, None]:
    """Report what processes of a failed test have printed."""
    report = (yield).get_result()
    if report.failed:
        report.sections += outputs()


def pytest_collection_finish() -> None:
    """Leave what lives to the end, all modules and thousands of tests, out of every search for garbage."""
    gc.collect()
    gc.freeze()


class ScriptedLink:
    """A bridge in lock-step that a test plays by hand: what is put into `inbox` is taken in the next cycle."""

    def __init__(self) -> None:
        self.inbox: list[Commands] = []
        self.delivered: list[Percepts] = []
        self.participants = 0
        self.ready = True
        self.closed, self.lockstep = False, True

    def wait(self, timeout: float) -> None:
        pass

    def take(self) -> Commands:
        return self.inbox.pop(0) if self.inbox else Commands()

    def deliver(self, percepts: Percepts) -> None:
        self.delivered.append(percepts)

    def close(self) -> None:
        self.closed = True


class Played:
    """A simulation, its agent control and the link that a test plays."""

    def __init__(self, simulation: Simulation, control: AgentControl, link: ScriptedLink) -> None:
        self.simulation, self.control, self.link = simulation, control, link
        self.world = simulation.world
        referee = simulation.node(Referee)
        assert referee is not None
        self.referee = referee

    def act(self, *actions: Action, cycles: int = 1) -> Percepts:
        """Execute actions in one cycle, run further cycles, return the last percepts."""
        self.link.inbox.append(Commands(actions=actions))
        return self.run(cycles)

    def run(self, cycles: int) -> Percepts:
        for _ in range(cycles):
            self.simulation.run_cycle()
        assert self.simulation.percepts is not None
        return self.simulation.percepts

    def refusals(self, *actions: Action) -> list[str]:
        """Execute actions in one cycle; returns the texts about those that were refused."""
        return [notice.text for notice in self.act(*actions).notices]

    def join(self, client: str = "a", team: str = "Left", unum: int = 1, variant: int = 0) -> int:
        """Create a robot and make it a player; returns its handle."""
        self.act(Action(client, "create", ("nao", variant)))
        self.act(Action(client, "init", (team, unum)))
        robot = self.world.robot_of(client)
        assert robot is not None
        return robot.handle


@pytest.fixture
def play() -> Iterator[Callable[..., Played]]:
    """Makes simulations on the real engine; keyword arguments replace settings."""
    made: list[Played] = []

    def make(**settings: object) -> Played:
        link = ScriptedLink()
        chosen = replace(load_simulation_settings(), pacing="fast", **settings)  # type: ignore[arg-type]
        simulation, control = build_simulation(chosen, [link], lambda: 0.0, lambda seconds: None)
        made.append(Played(simulation, control, link))
        return made[-1]

    yield make
    for played in made:
        played.world.engine.close()


@pytest.fixture
def played(play: Callable[..., Played]) -> Played:
    """A simulation with the default settings."""
    return play()
