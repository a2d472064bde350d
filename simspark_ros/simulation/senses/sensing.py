"""Senses all robots in one vectorised pass and lays the readings out for clients and topics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import GameSnapshot, Layout, Notice, Percepts, Poses, RobotLayout, Slot
from simspark_ros.perceptors.base import Mount, MountKey, Perceptor
from simspark_ros.perceptors.detection.detections import DetectionPerceptor
from simspark_ros.perceptors.ground_truth import GROUND_TRUTH
from simspark_ros.perceptors.readings import Detections, Heard
from simspark_ros.perceptors.vision import RestrictedVisionPerceptor, camera_link, markers_seen
from simspark_ros.physics.engine import LinkSelection
from simspark_ros.physics.errors import EngineFailedError
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.robots.lights import lights_text
from simspark_ros.sensors.feature import Feature
from simspark_ros.simulation.registry import PERCEPTOR_GROUP
from simspark_ros.simulation.senses.stations import Place, Station, station_of
from simspark_ros.soccer.speech import Speaker
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.streams import below
from simspark_ros.worlds.world import World

_NUMBERS = {
    "accelerometer": 0,
    "force_resistance": 3,
    "gyroscope": 5,
    "restricted_vision": 8,
    "lola": 12,
    "laser": 13,
    "range": 14,
    "magnetometer": 15,
    "force_torque": 16,
    "detections": 17,
    "odometry": 19,
    "laser_objects": 20,
}
"""Numbers of the streams of older kinds, once their places in a list: their noise stays. New kinds need no number.

The table is by kind and not in the classes, from which plug-ins derive: two kinds must not share a stream.
"""


def stream_of(random: np.random.SeedSequence, kind: str) -> np.random.SeedSequence:
    """The stream of a kind in a simulation: by its number, or by its name, whose bytes no number equals.

    So the noise of a perceptor depends neither on the other perceptors nor on their order.
    """
    number = _NUMBERS.get(kind)
    key = kind.encode() if number is None else (number,)
    return below(random, key)


class Sensing:
    """All perceptors of all robots, one object for each kind, which has its own stream of randomness.

    The objects live as long as the simulation; when robots join or leave, mounts are bound again and the layout gets a
    new revision. A perceptor that fails no longer reports anything. Overrides (kind -> parameters) replace parameters
    of every robot; `source` names them in messages. Percepts with poses are `pose_interval` cycles apart.

    Raises:
        ConfigurationError: an override names a kind that does not exist.
    """

    def __init__(
        self,
        types: Mapping[str, type[Perceptor]],
        random: np.random.SeedSequence,
        overrides: Mapping[str, Mapping[str, Any]] | None = None,
        source: str = "profile",
        pose_interval: int = 2,
    ) -> None:
        self._overrides = overrides or {}
        self._source = source
        self._pose_interval = pose_interval
        for kind in self._overrides:
            if kind not in types:
                raise ConfigurationError(f"{source}: {_unknown_perceptor(kind, types)}")
        self._perceptors = {
            kind: perceptor(np.random.default_rng(stream_of(random, kind))) for kind, perceptor in types.items()
        }
        # Entries with overridden parameters, by the identity of the entry in a robot's file.
        self._changed: dict[int, tuple[PerceptorSpec, PerceptorSpec]] = {}
        self._failed: set[str] = set()
        self._troubles: list[Notice] = []
        self._demands: dict[object, Collection[MountKey]] = {}
        self._world_revision = -1
        self._active: dict[str, Perceptor] = {}
        self._places: dict[str, list[Place]] = {}
        self._stations: dict[int, Station] = {}
        self._layout = self._shown = Layout(0, (), ())
        self._shown_revision = -1
        self._game: GameSnapshot | None = None
        # The parts of which the snapshot was made.
        self._game_state: tuple[Any, ...] = ()
        self._eyes: list[RestrictedVisionPerceptor] = []
        self._detectors: list[DetectionPerceptor] = []
        self._values = 0
        self._all_present = np.ones(0, np.bool_)
        self._links: LinkSelection | None = None

    @property
    def layout(self) -> Layout:
        """Meaning of the current percepts."""
        return self._layout

    @property
    def detections(self) -> dict[MountKey, Detections]:
        """Reports of the demanded detectors in this cycle. No classic message has them."""
        return {key: found for detector in self._detectors for key, found in detector.detections.items()}

    def demand(self, mounts: Collection[MountKey], asker: object = None) -> None:
        """From now on sense these mounts of perceptors that sense on demand, beside the demands of other askers.

        The demand replaces the earlier one of the same asker.
        """
        self._demands[asker] = mounts
        if not mounts:
            del self._demands[asker]
        demanded = frozenset[MountKey]().union(*self._demands.values())
        for perceptor in self._perceptors.values():
            perceptor.demanded = demanded

    def sense(self, world: SoccerWorld, time: float, notices: tuple[Notice, ...] = (), poses: bool = False) -> Percepts:
        """Perceive the world as it is after this cycle's physics, at a simulated time (s).

        Every `pose_interval`-th percept has the poses of all links if they are requested; notices are passed on.
        """
        if world.revision != self._world_revision:
            self._bind(world)
        values, present = np.zeros(self._values), self._all_present.copy()
        for kind, perceptor in self._active.items():
            try:
                perceptor.sense(world, values, present)
            except EngineFailedError:
                raise
            # Any code may run in a plug-in.
            except Exception as error:
                self._switch_off(kind, error)
                for start, end, flag in self._places[kind]:
                    values[start:end], present[flag] = 0.0, False
        if self._troubles:
            notices, self._troubles = (*notices, *self._troubles), []
        sight = None
        for eye in self._eyes:
            sight = sight or eye.sight
        shown = self._poses(world) if poses and world.cycle % self._pose_interval == 0 else None
        game, heard = self._snapshot(world), _hear(world) if world.speech.pending else ()
        return Percepts(world.cycle, time, self._layout, game, values, present, sight, heard, shown, notices)

    def shown(self, world: SoccerWorld, percepts: Percepts) -> Percepts:
        """The last percepts between two cycles, with robots, poses and game as they are now, for those who watch.

        There are no readings in them if robots have come or gone: only a cycle binds perceptors, which may draw noise.
        """
        if world.revision == self._world_revision:
            return replace(percepts, game=self._snapshot(world), poses=self._poses(world), notices=())
        if world.revision != self._shown_revision:
            self._shown_revision = world.revision
            self._shown = self._lay_out(world, [_robot_layout(robot, ()) for robot in world.robots.values()])
        game, none = self._snapshot(world), np.zeros(0)
        poses, present = self._poses(world), np.zeros(0, np.bool_)
        return Percepts(percepts.cycle, percepts.time, self._shown, game, none, present, poses=poses)

    def check(self, description: RobotDescription) -> None:
        """Refuse a robot with perceptors that do not exist or cannot work: a `ConfigurationError` names them."""
        for spec in description.perceptors:
            if spec.kind not in self._perceptors:
                unknown = _unknown_perceptor(spec.kind, self._perceptors)
                raise ConfigurationError(f"{description.file}: {unknown}")
            self._check(spec, description)
            if spec.kind not in self._overrides:
                continue
            try:
                self._check(self._overridden(spec), description)
            except ConfigurationError as error:
                raise ConfigurationError(f"{self._source}: {error}") from None

    def mounted(self, robot: Robot) -> tuple[PerceptorSpec, ...]:
        """A robot's perceptors with their current parameters; its ground truth, too, listed in its file or not."""
        specs = robot.description.perceptors
        if GROUND_TRUTH.kind not in robot.description.perceptor_kinds:
            specs = (*specs, GROUND_TRUTH)
        return self._now(robot, specs)

    def features_of(self, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """Features of a perceptor that programs find in the container of sensors."""
        return self._perceptors[spec.kind].features_of(self._overridden(spec))

    def exact(self, spec: PerceptorSpec) -> PerceptorSpec:
        """The same perceptor, which senses in every cycle and without errors."""
        return self._perceptors[spec.kind].exact(spec)

    def options_of(self, kind: str) -> type[Any] | None:
        """The dataclass of a perceptor's parameters that may be adjusted; None if none may."""
        perceptor = self._perceptors.get(kind)
        return perceptor.options if perceptor is not None and perceptor.tunable else None

    def check_adjusted(self, description: RobotDescription, specs: tuple[PerceptorSpec, ...]) -> None:
        """Refuse other parameters of a robot's perceptors; in any thread. See `check`."""
        changed = replace(description, perceptors=specs)
        for spec in specs:
            self._perceptors[spec.kind].check(spec, changed)

    def adjust(self, world: World, robot: Robot, spec: PerceptorSpec) -> None:
        """Replace the parameters of a robot's perceptor of that kind and name, from the next percept on."""
        robot.adjusted[spec.kind, spec.name] = spec
        world.revision += 1

    def _check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        perceptor = self._perceptors[spec.kind]
        try:
            perceptor.check(spec, description)
            perceptor.columns_of(spec)
        except ConfigurationError:
            raise
        # Any code may run in a plug-in.
        except Exception as error:
            where = f"{description.place(spec)}: {PERCEPTOR_GROUP.place(spec.kind)}"
            raise ConfigurationError(f"{where} fails: {type(error).__name__}: {error}") from error

    def _switch_off(self, kind: str, error: Exception) -> None:
        """Stop sensing by a perceptor that fails."""
        self._failed.add(kind)
        # A new dictionary, as the old one may be gone through.
        self._active = {other: one for other, one in self._active.items() if other != kind}
        # Its last report would be repeated for ever.
        failed = self._perceptors[kind]
        self._eyes = [eye for eye in self._eyes if eye is not failed]
        self._detectors = [detector for detector in self._detectors if detector is not failed]
        self._hide(kind)
        self._troubles.append(Notice("", PERCEPTOR_GROUP.fails(kind, error, "it no longer senses anything")))

    def _hide(self, kind: str) -> None:
        for *_, flag in self._places[kind]:
            self._all_present[flag] = False

    def _now(self, robot: Robot, specs: tuple[PerceptorSpec, ...]) -> tuple[PerceptorSpec, ...]:
        if not (robot.adjusted or self._overrides):
            return specs
        return tuple(robot.adjusted.get((spec.kind, spec.name)) or self._overridden(spec) for spec in specs)

    def _overridden(self, spec: PerceptorSpec) -> PerceptorSpec:
        """A perceptor as in the robot's file, with the parameters of the profile."""
        changed = self._overrides.get(spec.kind)
        if not changed:
            return spec
        kept = self._changed.get(id(spec))
        if kept is None or kept[0] is not spec:
            kept = self._changed[id(spec)] = spec, replace(spec, parameters={**spec.parameters, **changed})
        return kept[1]

    def _bind(self, world: SoccerWorld) -> None:
        present = {id(spec) for robot in world.robots.values() for spec in robot.description.perceptors}
        self._changed = {number: kept for number, kept in self._changed.items() if number in present}
        mounts: dict[str, list[Mount]] = {kind: [] for kind in self._perceptors}
        self._places = {kind: [] for kind in self._perceptors}
        layouts = []
        before, self._stations = self._stations, {}
        end = 0, 0
        for row, robot in enumerate(world.robots.values()):
            specs = self._now(robot, robot.description.perceptors)
            station = before.get(robot.handle)
            # A robot that comes moves no other: their many mounts stay as they are.
            if station is None or not station.stands(robot, row, specs, end):
                station = station_of(self._perceptors, robot, row, specs, end)
            self._stations[robot.handle] = station
            for kind, own in station.mounts.items():
                mounts[kind] += own
                self._places[kind] += station.places[kind]
            end = station.end
            layouts.append(_robot_layout(robot, station.slots))
        self._values, self._all_present = end[0], np.ones(end[1], np.bool_)
        self._bind_perceptors(mounts, world)
        used = {kind: one for kind, one in self._perceptors.items() if mounts[kind] and kind not in self._failed}
        mounted = list(used.values())
        self._active = {kind: one for kind, one in used.items() if type(one).sense is not Perceptor.sense}
        self._eyes = [perceptor for perceptor in mounted if isinstance(perceptor, RestrictedVisionPerceptor)]
        self._detectors = [perceptor for perceptor in mounted if isinstance(perceptor, DetectionPerceptor)]
        self._layout = self._lay_out(world, layouts)
        self._world_revision = world.revision

    def _lay_out(self, world: SoccerWorld, robots: Iterable[RobotLayout]) -> Layout:
        """A new layout; poses are those of its robots from now on."""
        field = world.settings.field
        markers = markers_seen(world.robots.values(), field)
        landmarks = (*markers, *field.landmarks(), "B")
        environment = tuple(world.settings.environment.items())
        links = [(r.handle, link.name) for r in world.robots.values() for link in r.description.model.links]
        self._links = world.engine.select_links(links)
        revision = max(self._layout.revision, self._shown.revision) + 1
        return Layout(revision, tuple(robots), landmarks, environment, world.types.told, len(markers))

    def _bind_perceptors(self, mounts: Mapping[str, list[Mount]], world: SoccerWorld) -> None:
        for kind, perceptor in self._perceptors.items():
            if kind in self._failed:
                self._hide(kind)
                continue
            try:
                perceptor.bind(mounts[kind], world)
            except EngineFailedError:
                raise
            # Any code may run in a plug-in.
            except Exception as error:
                self._switch_off(kind, error)

    def _snapshot(self, world: SoccerWorld) -> GameSnapshot:
        """The state of the game; the same object as before while it is unchanged: encoders compare by identity."""
        game, teams, waits = world.game, world.teams, world.game.score_wait
        selected, lights = -1, list[tuple[int, str]]()
        for robot in world.robots.values():
            if robot.selected:
                selected = robot.handle
            if robot.devices and (text := lights_text(robot.devices)):
                lights.append((robot.handle, text))
        state: tuple[Any, ...] = (
            game.time,
            game.play_mode,
            game.score_left,
            game.score_right,
            game.half,
            teams.left.name,
            teams.right.name,
            waits.get(Side.LEFT, 0.0) if waits else 0.0,
            waits.get(Side.RIGHT, 0.0) if waits else 0.0,
            tuple(game.fouls),
            selected,
            tuple(lights),
        )
        # An immutable object takes longer to make than a tuple to compare, and the game seldom changes.
        if self._game is None or state != self._game_state:
            time, mode, *others = self._game_state = state
            self._game = GameSnapshot(time, mode.value, *others)
        return self._game

    def _poses(self, world: SoccerWorld) -> Poses:
        assert self._links is not None
        positions, rotations = world.engine.link_poses(self._links)
        return Poses(positions, rotations, world.engine.state.ball_position.copy(), np.array(world.ball_quaternion))


def _unknown_perceptor(kind: str, known: Iterable[str]) -> str:
    return f"unknown perceptor '{kind}'; {PERCEPTOR_GROUP.suggestion(kind, sorted(known))}"


def _robot_layout(robot: SoccerRobot, slots: tuple[Slot, ...]) -> RobotLayout:
    description = robot.description
    word_of = description.words
    return RobotLayout(
        handle=robot.handle,
        client=robot.client,
        robot=description.name,
        variant=description.variant,
        team=robot.team,
        side=robot.side.value if robot.side else "",
        unum=robot.unum,
        registrations=robot.registrations,
        slots=slots,
        hinge_effectors=tuple(word_of.get(joint.name, "") for joint in description.model.joints),
        visible_parts=tuple(description.visible_parts),
        links=tuple(link.name for link in description.model.links),
        body=description.body,
    )


def _with_heads(world: SoccerWorld, listeners: list[Speaker]) -> list[Speaker]:
    """Listeners with the axes of the link that carries their camera, else of their base."""
    heads = [(s.handle, camera_link(world.robots[s.handle].description)) for s in listeners]
    _, rotations = world.engine.link_poses(world.engine.select_links(heads))
    axes = rotations.transpose(0, 2, 1).tolist()
    return [s._replace(axes=(tuple(a[0]), tuple(a[1]))) for s, a in zip(listeners, axes, strict=True)]


def _hear(world: SoccerWorld) -> tuple[Heard, ...]:
    listeners = [s for s in map(world.speaker, world.robots.values()) if s is not None]
    if world.settings.speech.direction == "head":
        listeners = _with_heads(world, listeners)
    time = world.game.time
    return tuple(
        Heard(a.listener, a.team, a.direction, a.text, time) for a in world.speech.hear(world.cycle, listeners)
    )
