"""The common tools of all checks: the engine under test, worlds, and comparisons with messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from numpy.typing import ArrayLike

from simspark_conformance.models import FIELD, stone, walker
from simspark_ros.physics.engine import Array, EngineCore, EngineState, JointControl, PhysicsEngine, PhysicsError
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.registry import create_engine

Factory = Callable[[], PhysicsEngine]


class ConformanceError(AssertionError):
    """An engine breaks a promise; the message names the expected and the found values."""


class NotApplicableError(Exception):
    """A check cannot be made here; the message says why."""


@dataclass(frozen=True)
class Subject:
    """The engine under test.

    Attributes:
        factory: function that makes a new, empty world.
        engine, preset: names by which a fresh process finds the engine, see `resolve`; None skips such checks.
    """

    factory: Factory
    engine: str | None = None
    preset: str | None = None

    @classmethod
    def named(cls, engine: str, preset: str | None = None) -> Subject:
        """Return the subject for an engine that fresh processes find by its name, see `resolve`."""
        return cls(resolve(engine, preset), engine, preset)


def resolve(engine: str, preset: str | None = None) -> Factory:
    """Return the factory of an engine's worlds; `engine` is a name that `create_engine` knows, or `module:callable`.

    The callable takes a preset or None, like the entry points of the group `simspark_ros.engines`.

    Raises:
        PhysicsError: there is no such module or callable.
    """
    module, colon, name = engine.partition(":")
    if not colon:
        return lambda: create_engine(engine, preset)
    try:
        make: Callable[[str | None], EngineCore] = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise PhysicsError(f"no engine '{engine}': {error}; give module:callable or a registered name") from error
    return lambda: GuardedEngine(make(preset))


class CheckedWorld:
    """A world of the engine under test with a scene, and shorthands for checks."""

    def __init__(self, engine: PhysicsEngine, scene: SceneModel) -> None:
        self.engine = engine
        engine.load_scene(scene)

    @property
    def state(self) -> EngineState:
        """The engine's state."""
        return self.engine.state

    def add(self, model: ArticulatedModel, position: Vector = (0.0, 0.0, 5.0), yaw: float = 0.0) -> int:
        """Add a robot."""
        return self.engine.add_robot(model, position, yaw)

    def hold(self) -> JointControl:
        """Return the command that holds all joints still with full effort."""
        size = len(self.state.joint_position)
        return JointControl(np.zeros(size), self.state.joint_max_effort.copy(), np.zeros(size))

    def run(self, cycles: int, control: JointControl | None = None) -> None:
        """Step for some cycles; without a command all joints hold still."""
        control = control or self.hold()
        for _ in range(cycles):
            self.engine.step(control)

    def run_for(self, seconds: float, control: JointControl | None = None) -> None:
        """Step for some seconds of simulated time."""
        self.run(round(seconds / self.engine.cycle_time), control)

    def poses(self, handle: int, *names: str) -> tuple[Array, Array]:
        """Return the poses of links or frames of one robot."""
        return self.engine.link_poses(self.engine.select_links([(handle, name) for name in names]))

    def velocities(self, handle: int, *names: str) -> tuple[Array, Array]:
        """Return the linear and angular velocities of links or frames of one robot."""
        return self.engine.link_velocities(self.engine.select_links([(handle, name) for name in names]))

    def centre_of_mass(self, handle: int) -> Array:
        """Return the centre of mass of a whole robot, (3,), m."""
        model = self.state.models[self.state.row(handle)]
        centres, _ = self.poses(handle, *(link.name for link in model.links))
        masses = np.array([link.mass for link in model.links])
        return np.asarray(masses @ centres / masses.sum())

    def moving_arrays(self) -> dict[str, Array]:
        """Return the arrays of the state that change with motion, by name."""
        state = self.state
        names = (
            *("position", "rotation", "linear_velocity", "angular_velocity"),
            *("joint_position", "joint_velocity", "joint_effort", "touch_point", "touch_force"),
            *("ball_position", "ball_velocity", "ball_angular_velocity"),
            *("ball_contacts", "robot_contacts", "robot_contact_points"),
        )
        return {name: getattr(state, name) for name in names}

    def snapshot(self) -> dict[str, Array]:
        """Return copies of `moving_arrays`."""
        return {name: array.copy() for name, array in self.moving_arrays().items()}

    def expect_finite(self, when: str) -> None:
        """Raise ConformanceError if a number of the state is not finite."""
        for name, array in self.moving_arrays().items():
            expect(np.isfinite(array).all(), f"state.{name} is not finite {when}")


class Harness:
    """Makes worlds of the engine under test and closes them."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._made = ExitStack()

    def world(self, scene: SceneModel = FIELD) -> CheckedWorld:
        """Return a new world."""
        engine = self.subject.factory()
        self._made.callback(engine.close)
        return CheckedWorld(engine, scene)

    @property
    def is_planar(self) -> bool:
        """Whether the engine is planar."""
        engine = self.subject.factory()
        self._made.callback(engine.close)
        return engine.planar

    def close(self) -> None:
        """Close all worlds."""
        self._made.close()


@dataclass(frozen=True)
class Check:
    """The check of one promise.

    Attributes:
        body: function that checks the promise and raises ConformanceError; its docstring states the promise.
        spatial: reason why a planar engine need not keep the promise; empty if it must.
        planar: whether only planar engines make this promise.
    """

    body: Callable[[Harness], None]
    spatial: str = ""
    planar: bool = False

    @property
    def name(self) -> str:
        """Name, unique in the suite."""
        return self.body.__name__

    @property
    def promise(self) -> str:
        """Text of the promise: the first line of the function's docstring."""
        return (self.body.__doc__ or "").strip().splitlines()[0]

    def __str__(self) -> str:
        """The name."""
        return self.name

    def run(self, subject: Subject) -> None:
        """Check an engine.

        Raises:
            ConformanceError: the engine breaks the promise, or raises an error where it should not.
            NotApplicableError: the check needs something that the subject does not offer.
        """
        try:
            with closing(Harness(subject)) as harness:
                if self.spatial or self.planar:
                    self._require_kind(harness.is_planar)
                self.body(harness)
        except (ConformanceError, NotApplicableError):
            raise
        except Exception as error:
            raise ConformanceError(f"{self.name}: the engine raised {type(error).__name__}: {error}") from error

    def _require_kind(self, planar: bool) -> None:
        if planar and self.spatial:
            raise NotApplicableError(f"a planar engine need not keep this promise: {self.spatial}")
        if self.planar and not planar:
            raise NotApplicableError("only planar engines make this promise")


def expect(truth: bool | np.bool_, message: str) -> None:
    """Raise ConformanceError with this message unless `truth` holds."""
    if not truth:
        raise ConformanceError(message)


def expect_close(actual: ArrayLike, expected: ArrayLike, tolerance: float, what: str) -> None:
    """Raise ConformanceError if shapes differ, or a number differs by more than the tolerance or is not finite."""
    found, wanted = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    if found.shape != wanted.shape:
        raise ConformanceError(f"{what}: expected the shape {wanted.shape}, found {found.shape}")
    # A comparison with NaN is false.
    if not (np.abs(found - wanted) <= tolerance).all():
        raise ConformanceError(f"{what}: expected {wanted.tolist()}, found {found.tolist()} (tolerance {tolerance:g})")


def expect_undisturbed(harness: Harness, act: Callable[[CheckedWorld, int], object], what: str) -> None:
    """Expect that a falling robot and a stone move the same, bit by bit, if `act` is called after each step."""
    results: list[Array] = []
    for disturb in (False, True):
        world = harness.world()
        handle = world.add(walker(), (0.0, 0.0, 0.6))
        world.add(stone(), (0.3, 0.0, 0.3))
        control = world.hold()
        control.velocity[:] = [1.0, 0.5, 0.0, -0.5, 0.0]
        for _ in range(30):
            world.engine.step(control)
            if disturb:
                act(world, handle)
        world.engine.step(control)
        results.append(np.concatenate((world.state.position.ravel(), world.state.joint_position)))
    expect_close(results[1], results[0], 0.0, what)


@contextmanager
def expect_refusal(what: str, *kinds: type[Exception]) -> Iterator[None]:
    """Expect that the enclosed call raises one of these errors."""
    names = " or ".join(kind.__name__ for kind in kinds)
    try:
        yield
    except kinds:
        return
    except Exception as error:
        raise ConformanceError(f"{what} must raise {names}, but raised {type(error).__name__}: {error}") from error
    raise ConformanceError(f"{what} must raise {names}")
