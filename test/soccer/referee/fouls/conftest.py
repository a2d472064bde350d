"""A field on which a test puts players, and sets what physics is supposed to have done."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.registry import create_engine
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import RuleBook, load_rule_book
from simspark_ros.soccer.settings import SoccerSettings, load_soccer_settings
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from test.rigs.pitch import CYCLE, Pitch


@cache
def settings() -> SoccerSettings:
    return load_soccer_settings()


@cache
def measured_book() -> RuleBook:
    return load_rule_book("rcssserver3d")


class RulePitch(Pitch):
    """A pitch with one rule; a test says what the state of the engine is, which is not stepped."""

    def __init__(self, rule: Rule, book: RuleBook) -> None:
        world = SoccerWorld(create_engine("bullet", None), settings(), np.random.default_rng(1))
        super().__init__(world, Match(world, book, np.random.default_rng(1)))
        self.rule = rule
        self.mode = PlayMode.PLAY_ON

    def bend(self, robot: SoccerRobot, degrees: dict[str, float]) -> None:
        """Put joints of a robot to these angles, all others to zero."""
        angles = np.radians([degrees.get(joint.name, 0.0) for joint in robot.description.model.joints])
        self.engine.set_joint_positions(robot.handle, angles)
        state = self.engine.state
        state.joint_position[state.joints_of(self.row(robot))] = angles

    def move(self, robot: SoccerRobot, vx: float, vy: float) -> None:
        """From now on that is its velocity, m/s."""
        self.engine.state.linear_velocity[self.row(robot)] = (vx, vy, 0.0)

    def touch(self, *pairs: tuple[SoccerRobot, SoccerRobot], at: tuple[float, float] | None = None) -> None:
        """From now on those are in contact, half-way between them or at that place."""
        state = self.engine.state
        rows = [sorted((self.row(one), self.row(other))) for one, other in pairs]
        points = [(*at, 0.3) if at else ((state.position[a] + state.position[b]) / 2).tolist() for a, b in rows]
        state.robot_contacts = np.array(rows, np.int64).reshape(-1, 2)
        state.robot_contact_points = np.array(points).reshape(-1, 3)

    def ball(self, x: float, y: float, *touching: SoccerRobot) -> None:
        """The ball is there, and those robots touch it."""
        self.world.place_ball((x, y))
        self.engine.state.ball_contacts = np.array([self.row(robot) for robot in touching], np.int64)

    def apply(self, seconds: float = CYCLE) -> list[Decision]:
        """Let time pass without physics and return what the rule decided in it."""
        before = self.match.log.count
        for _ in range(round(seconds / CYCLE)):
            self.advance()
            self.match.begin_cycle()
            self.match.repositioning.update()
            self.match.rule = self.rule.name
            self.rule.apply(self.match)
        return list(self.match.log.since(before))

    def player(self, robot: SoccerRobot) -> Player:
        self.match.look()
        return next(player for player in self.match.team_players if player.handle == robot.handle)


Pitches = Callable[..., RulePitch]


@pytest.fixture
def pitch() -> Iterator[Pitches]:
    """Makes pitches for a rule; keyword arguments replace numbers of the rule, or of sections of the rule book."""
    made: list[RulePitch] = []

    def make(rule: Rule, **sections: dict[str, Any]) -> RulePitch:
        book = measured_book()
        if rule.options is not None:
            rule.settings = rule.options(**sections.pop(rule.name, {}))
        changed = {name: replace(getattr(book, name), **numbers) for name, numbers in sections.items()}
        made.append(RulePitch(rule, replace(book, **changed)))
        return made[-1]

    yield make
    for pitch in made:
        pitch.engine.close()
