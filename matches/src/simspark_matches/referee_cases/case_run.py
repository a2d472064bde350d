"""Sets up a case and runs it with the real engine and the real referee."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from simspark_matches.referee_cases.case import BallSetup, Case, Event, PlayerSetup, player_named
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.referee import Referee
from simspark_ros.soccer.game_state import PassRequest, PlayMode
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.referee.rulebook import RuleBook, load_rule_book
from simspark_ros.soccer.referee.rules import rule_types
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError

ROBOT = "nao"
STANDING, LYING = 0.385, 0.1
"""Height of a robot's torso when it stands, and when it lies, m."""

BookChange = Callable[[RuleBook], RuleBook]
"""A function that makes a changed rule book."""

SEEDS = (2, 1)
"""Seeds of effectors and rules. With these, chance, not habit, gives the first kick-off to the right team."""

PITCH = {"": 0.0, "back": -math.pi / 2, "front": math.pi / 2}
"""Turn of a robot about its left axis, rad, by the way it lies."""


class CaseRun:
    """One case as it runs; arguments and errors as of `check.check`.

    Attributes:
        mode_before: play mode before the rules were applied in the last cycle.
    """

    def __init__(self, case: Case, engine: str, beside: Path, change: BookChange | None = None) -> None:
        book = load_rule_book(case.rules, case.set, beside=beside)
        if change is not None:
            book = change(book)
        settings = replace(load_soccer_settings(case.world), rules=book)
        for_effectors, for_rules = (np.random.default_rng(seed) for seed in SEEDS)
        self.world = SoccerWorld(create_engine(engine, None), settings, for_effectors)
        try:
            self.referee = Referee(self.world, book, for_rules, rule_types())
        except ConfigurationError as error:
            raise ConfigurationError(f"rule book {case.rules}: {error}") from None
        self.now = 0.0
        self.decided: tuple[Decision, ...] = ()
        self.mode_before = PlayMode(case.play_mode)
        self._case = case
        self._cycles = 0
        self._waiting = sorted(case.events, key=lambda event: event.at)
        self._lasting: list[Event] = []
        self._begin()

    @property
    def cycle_time(self) -> float:
        """Seconds of a cycle."""
        return self.world.engine.cycle_time

    def close(self) -> None:
        """Free the engine."""
        self.world.engine.close()

    def robot(self, name: str) -> SoccerRobot:
        """The robot of a player; a `ConfigurationError` if it is not on the field."""
        robot = self.world.player(*player_named(name))
        if robot is None:
            raise ConfigurationError(f"{name} is not on the field")
        return robot

    def cycle(self) -> None:
        """Let everything happen that is due, then one cycle of physics and the referee."""
        self.decided = ()
        before = self.referee.match.log.count
        while self._waiting and self._waiting[0].at <= self.now + self.cycle_time / 2:
            event = self._waiting.pop(0)
            self._happen(event)
            self._lasting.append(event)
        if self._case.physics:
            self.world.step()
        else:
            self._move_on()
        self._touch()
        self.mode_before = self.world.game.play_mode
        self.referee.apply_rules()
        # A case that expects no decision must not pass because a rule has failed.
        for error in self.referee.failed.values():
            raise error
        self._cycles += 1
        self.now = self._cycles * self.cycle_time
        self.decided = self.referee.match.log.since(before)

    def _begin(self) -> None:
        case, game = self._case, self.world.game
        game.set_play_mode(PlayMode(case.play_mode))
        game.time, game.half = case.time, case.half
        if case.half == 2:
            game.first_kick_off, game.kick_off_half = Side.LEFT, 1
        game.add_goals(Side.LEFT, case.score[0])
        game.add_goals(Side.RIGHT, case.score[1])
        self._put_ball(case.ball)
        for name, setup in case.players.items():
            self._put_player(name, setup)

    def _happen(self, event: Event) -> None:
        world = self.world
        if event.ball is not None:
            self._put_ball(event.ball)
            self.referee.note_ball()
        for name, setup in event.players.items():
            self._put_player(name, setup)
        for name in event.leave:
            world.remove_robot(self.robot(name))
        if event.time is not None:
            world.game.time = event.time
        if event.play_mode:
            world.game.set_play_mode(PlayMode(event.play_mode))
        if event.request_pass:
            robot = self.robot(event.request_pass)
            assert robot.side is not None
            world.game.pass_requests[robot.side] = PassRequest(robot.handle, world.cycle)
        if event.trainer:
            self._train(event.trainer)

    def _train(self, command: str) -> None:
        word, _, rest = command.partition(" ")
        try:
            if word == "kick_off":
                self.referee.kick_off(Side(rest) if rest else None)
            elif word == "drop_ball":
                self.referee.drop_ball()
            else:
                self.referee.overrule(int(rest))
        except CommandRejectedError as error:
            raise ConfigurationError(f"trainer: {error}") from None

    def _put_ball(self, setup: BallSetup) -> None:
        x, y, *z = setup.at
        vx, vy, *vz = setup.velocity
        height = z[0] if z else self.world.settings.ball_rest_height
        self.world.engine.place_ball((x, y, height), (vx, vy, vz[0] if vz else 0.0))

    def _put_player(self, name: str, setup: PlayerSetup) -> None:
        world = self.world
        side, number = player_named(name)
        height = setup.height if setup.height is not None else LYING if setup.lying else STANDING
        robot = world.player(side, number)
        if robot is None:
            added = world.add_robot(load_robot(ROBOT), (*setup.at, height), 0.0, clearance=0.0)
            robot = world.robots[added.handle]
            robot.side, robot.unum, robot.team = side, number, side.value
            world.revision += 1
        self._set_joints(robot, name, setup)
        yaw, pitch = math.radians(setup.facing) / 2, PITCH[setup.lying] / 2
        quaternion = (
            -math.sin(yaw) * math.sin(pitch),
            math.cos(yaw) * math.sin(pitch),
            math.sin(yaw) * math.cos(pitch),
            math.cos(yaw) * math.cos(pitch),
        )
        world.engine.place_robot(robot.handle, (*setup.at, height), quaternion)
        if setup.velocity != (0.0, 0.0):
            world.engine.set_velocity(robot.handle, (*setup.velocity, 0.0), (0.0, 0.0, 0.0))

    def _set_joints(self, robot: SoccerRobot, name: str, setup: PlayerSetup) -> None:
        names = [joint.name for joint in robot.description.model.joints]
        angles = np.zeros(len(names))
        for joint, degrees in setup.joints.items():
            if joint not in names:
                raise ConfigurationError(f"{name} has no joint '{joint}'; it has {', '.join(names)}")
            angles[names.index(joint)] = math.radians(degrees)
        self.world.engine.set_joint_positions(robot.handle, angles)

    def _move_on(self) -> None:
        """A cycle without physics: all bodies keep their velocity."""
        world, seconds = self.world, self.cycle_time
        world.cycle += 1
        world.elapsed = seconds
        world.motors.control(world.engine.state, seconds)
        world.game.advance(seconds)
        for robot in world.robots.values():
            state = world.engine.state
            row = state.row(robot.handle)
            velocity = state.linear_velocity[row].tolist()
            if any(velocity):
                x, y, z = (state.position[row] + state.linear_velocity[row] * seconds).tolist()
                world.engine.place_robot(robot.handle, (x, y, z), quaternion_from_rotation(state.rotation[row]))
                world.engine.set_velocity(robot.handle, tuple(velocity), (0.0, 0.0, 0.0))
        rolling = world.engine.state.ball_velocity
        if rolling.any():
            x, y, z = (world.engine.state.ball_position + rolling * seconds).tolist()
            vx, vy, vz = rolling.tolist()
            world.engine.place_ball((x, y, z), (vx, vy, vz))

    def _touch(self) -> None:
        """Add the touches of the case to the touches of physics."""
        state = self.world.engine.state
        end = self.now + self.cycle_time / 2
        self._lasting = [e for e in self._lasting if e.at >= self.now - self.cycle_time / 2 or (e.until or 0.0) > end]
        touching = [state.row(self.robot(name).handle) for event in self._lasting for name in event.touch]
        physical = state.ball_contacts.tolist() if self._case.physics else []
        state.ball_contacts = np.array(sorted({*touching, *physical}), np.int64)
        pairs = {}
        if self._case.physics:
            for (one, other), point in zip(state.robot_contacts.tolist(), state.robot_contact_points, strict=True):
                pairs[one, other] = point
        for event in self._lasting:
            for names in event.contact:
                one, other = sorted(state.row(self.robot(name).handle) for name in names)
                middle = (state.position[one] + state.position[other]) / 2
                pairs[one, other] = middle if event.contact_at is None else np.array((*event.contact_at, middle[2]))
        state.robot_contacts = np.array(sorted(pairs), np.int64).reshape(-1, 2)
        state.robot_contact_points = np.array([pairs[pair] for pair in sorted(pairs)]).reshape(-1, 3)
