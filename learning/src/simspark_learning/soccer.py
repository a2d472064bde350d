"""Small games as parallel environments of PettingZoo: N against M robots that drive or walk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from simspark_learning.batch import with_sensors
from simspark_learning.episodes import bounded
from simspark_learning.opponents import Opponent, Opponents, listed
from simspark_learning.senses import SEEN, Senses
from simspark_learning.tasks.base import Observation, is_in_goal_mouth
from simspark_learning.tasks.wheels import FASTEST, moving_effector
from simspark_ros.arena import Arena, ArenaRobot
from simspark_ros.arena.arena import Ball
from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import Array

try:
    from gymnasium import spaces
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise MissingPackageError(
        f"games need the packages 'pettingzoo' and 'gymnasium': {error}; install them with pip install "
        "gymnasium pettingzoo"
    ) from error

Numbers = NDArray[np.float32]

CYCLES = 5
"""Cycles of the simulation in which an action holds."""

LARGEST = 11
"""Most players in a team."""

ADVANCE = 0.1
"""Reward for a metre by which the ball comes nearer to the opponents' goal line."""

TEAMS = ("left", "right")

ANY_TEAM = ("size=11", "max_of_one_type=11", "max_of_two_types=11", "min_types=0")
"""Changes of the world's `teams`, so that so many equal robots may play in any world."""

SENSORS = ("gyroscope", "odometry", "restricted_vision")
"""Kinds of sensors for the observation `percepts`."""

MARKS = {
    "left": ("G1R", "G2R", "F1R", "F2R", "G1L", "G2L", "F1L", "F2L"),
    "right": ("G2L", "G1L", "F2L", "F1L", "G2R", "G1R", "F2R", "F1R"),
}
"""Posts and corner flags as a team sees them: first the opponents' ones ahead, left and right, then its own."""


class SoccerParallelEnv(ParallelEnv):
    """A game without referee, until a goal or for half a minute.

    Agents are `left_1` ... `right_M`, or the left team's alone if opponents play the right one. An action is a
    velocity, three numbers from -1 to 1: forward, left, turn. An observation is the agent's, in its own axes and for
    its own team, so that one policy plays for both; m, m/s, rad/s.
    A team's agents share their rewards: 1 for a goal, -1 for a goal of the opponents, and `ADVANCE` for each metre that
    the ball comes nearer to the opponents' line.

    `truth` has own velocities (3), ball and its velocity (4), both goals (4), team mates (2 each), opponents (2 each).
    `percepts` has readings of the agent's own sensors: velocities by odometry (3), gyroscope (3), then four numbers for
    each thing that it looks for, `Senses.seen`: the ball, the ball at the last action, `MARKS` of its team, team mates,
    opponents, in the order of their numbers. Sensors that the robot lacks say zeros, as do all before the first action.

    A `reset` with a seed makes a new world, after which all is the same bit by bit; without a seed the world stays.

    Args:
        left: number of players on the left, 1 to 11.
        right: number of players on the right, 0 to 11.
        opponents: players of the right team instead of agents: one for all of it, or one for each. See `Opponent`.
        robot: robot of all agents; it takes velocities, by wheels, a walk or a drive.
        world: world of the game.
        engine: physics engine of the world.
        seconds: length of a game, simulated s.
        observation: `truth`, or `percepts`, the readings of sensors.
        render_mode: `rgb_array` for pictures.
        settings: further settings of `Arena`.

    Raises:
        ConfigurationError: a number is out of range, the robot takes no velocities, or has to perceive and is blind, or
            an opponent cannot be made.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "simspark_ros_soccer_v0", "render_modes": ["rgb_array"]}

    def __init__(
        self,
        left: int = 2,
        right: int = 2,
        *,
        opponents: Opponent | Sequence[Opponent] | None = None,
        robot: str = "omni_sensors",
        world: str = "msl",
        engine: str = "planar",
        seconds: float = 30.0,
        observation: Observation = "truth",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if not (1 <= left <= LARGEST and 0 <= right <= LARGEST):
            raise ConfigurationError(
                f"{left} against {right}: give 1 to {LARGEST} players on the left and 0 to {LARGEST} on the right"
            )
        if observation not in get_args(Observation):
            known = ", ".join(get_args(Observation))
            raise ConfigurationError(f"observation '{observation}' is not available; use one of: {known}")
        self.render_mode = render_mode
        self._perceives = observation == "percepts"
        counts = dict(zip(TEAMS, (left, right), strict=True))
        self._sides = {f"{side}_{n + 1}": side for side, count in counts.items() for n in range(count)}
        who = () if opponents is None else listed(opponents, right)
        if len(who) != right and opponents is not None:
            raise ConfigurationError(
                f"{len(who)} opponents for {right} players on the right: give one for all, or one for each"
            )
        self.possible_agents = [name for name, side in self._sides.items() if side == "left" or not who]
        self.agents: list[str] = []
        changes = (*(f"teams.{one}" for one in ANY_TEAM), *settings.pop("changes", ()))
        self._arena = Arena(world=world, engine=engine, referee=False, changes=changes, **settings)
        try:
            self._kind = self._add_players(robot)
            self._opponents = Opponents(self._arena, who, robot, keeps=right > 1) if who else None
        except BaseException:
            self._arena.close()
            raise
        self._field = field = self._arena.world.settings.field
        self._line, self._edge = field.length / 2.0, field.width / 2.0
        self._longest = round(seconds / (CYCLES * self._arena.cycle_time))
        self._senses = Senses(self._arena, self.possible_agents)
        self._things = {name: self._looked_for(name) for name in self.possible_agents}
        size = 6 + SEEN * (len(self._things["left_1"]) + 1) if self._perceives else 11 + 2 * (left + right - 1)
        self.observation_spaces = {
            name: spaces.Box(-np.inf, np.inf, (size,), np.float32) for name in self.possible_agents
        }
        self.action_spaces = {name: spaces.Box(-1.0, 1.0, (3,), np.float32) for name in self.possible_agents}
        self._seed = self._arena.seed
        self._random = np.random.default_rng(self._seed)
        self._begun, self._steps, self._ball_was = False, 0, 0.0
        self._balls_seen: Array

    def observation_space(self, agent: str) -> spaces.Box:
        """See the class."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Box:
        """See the class."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Numbers], dict[str, dict[str, Any]]]:
        """Begin a game: players in their own halves, the ball near the centre."""
        if seed is not None or not self._begun:
            self._seed = self._seed if seed is None else seed
            self._arena.reset(self._seed)
            self._random = np.random.default_rng(self._seed)
        self._begun, self._steps = True, 0
        self.agents = list(self.possible_agents)
        self._kick_off()
        self._balls_seen = np.zeros((len(self.agents), SEEN))
        self._ball_was = float(self._arena.ball.position[0])
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Numbers]
    ) -> tuple[dict[str, Numbers], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Move all players; returns observations, rewards, ends, time-outs and infos of all agents."""
        self._balls_seen = np.array(
            [self._senses.seen(number, ("B",))[0] for number in range(len(self.possible_agents))]
        )
        for agent, action in actions.items():
            velocity = (bounded(np.asarray(action, float)) * FASTEST).tolist()
            self._arena[agent].act(self._kind, *velocity)
        self._arena.step(CYCLES)
        self._steps += 1
        ball = self._arena.ball.position
        x, y, _ = ball.tolist()
        goal = np.sign(x) if abs(x) > self._line and is_in_goal_mouth(self._field, ball) else 0.0
        gain = goal + ADVANCE * (x - self._ball_was)
        if not goal:
            self._keep_inside(x, y)
        self._ball_was = float(self._arena.ball.position[0])
        over = bool(goal)
        late = self._steps >= self._longest and not over
        agents = self.agents
        rewards = {agent: float(gain if self._sides[agent] == "left" else -gain) for agent in agents}
        observed = self._observations()
        if over or late:
            self.agents = []
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        return observed, rewards, dict.fromkeys(agents, over), dict.fromkeys(agents, late), infos

    def render(self) -> Any:
        """A picture (height, width, 3) of the field if `render_mode` is `rgb_array`, else None."""
        if self.render_mode != "rgb_array":
            return None
        return self._arena.render((0.0, -1.2 * self._line, 0.8 * self._line), (0.0, 0.0, 0.0))

    def close(self) -> None:
        """Free the engine."""
        self._arena.close()

    def _add_players(self, robot: str) -> str:
        """Add all players; returns the effector that moves them."""
        made = with_sensors(robot, SENSORS if self._perceives else ())
        if self._perceives and all(one.kind != "restricted_vision" for one in made.perceptors):
            raise ConfigurationError(f"robot '{made.name}' sees nothing; take one with a sensor 'restricted_vision'")
        for number, name in enumerate(self.possible_agents):
            # Out of the way; a game begins elsewhere. Only robots of teams are seen.
            self._arena.add(made, name=name, position=(number - LARGEST, -4.0), team=self._sides[name])
        return moving_effector(made, self._arena.effectors)

    def _kick_off(self) -> None:
        places = []
        for number, (name, side) in enumerate(self._sides.items()):
            sign = 1.0 if side == "left" else -1.0
            x, y = self._random.uniform(0.1, 0.9) * self._line, self._random.uniform(-0.8, 0.8) * self._edge
            place = -sign * x, y, 0.0 if sign > 0 else np.pi
            if name not in self.possible_agents:
                places.append(place)
                continue
            self._arena[name].place(*place)
            self._senses.forget(number)
        if self._opponents is not None:
            self._opponents.begin(places)
        self._arena.place_ball(*self._random.uniform(-0.3, 0.3, 2).tolist())

    def _keep_inside(self, x: float, y: float) -> None:
        """Put a ball that has left the field back, at rest."""
        if abs(x) > self._line or abs(y) > self._edge:
            inside = np.clip([x, y], [0.5 - self._line, 0.5 - self._edge], [self._line - 0.5, self._edge - 0.5])
            self._arena.place_ball(*inside.tolist())

    def _observations(self) -> dict[str, Numbers]:
        if self._perceives:
            return self._percepts()
        robots = {name: self._arena[name] for name in self._sides}
        places = {name: robot.position for name, robot in robots.items()}
        ball = self._arena.ball
        return {name: self._truth(name, robots[name], places, ball) for name in self.agents}

    def _percepts(self) -> dict[str, Numbers]:
        """See the class."""
        felt = np.concatenate([self._senses.sensed("odometry", 6)[:, 3:], self._senses.sensed("gyroscope", 3)], axis=1)
        observed = {}
        for number, name in enumerate(self.agents):
            ball, *others = self._senses.seen(number, self._things[name])
            parts = [felt[number], ball, self._balls_seen[number], *others]
            observed[name] = np.array(np.concatenate(parts), np.float32)
        return observed

    def _looked_for(self, agent: str) -> tuple[str, ...]:
        """Names of the things that an agent looks for, see the class."""
        side = self._sides[agent]
        mates = [name for name in self._sides if self._sides[name] == side and name != agent]
        opponents = [name for name in self._sides if self._sides[name] != side]
        return ("B", *MARKS[side], *mates, *opponents)

    def _truth(self, name: str, robot: ArenaRobot, places: dict[str, Array], ball: Ball) -> Numbers:
        """See the class."""
        here, turn, side = places[name], robot.rotation, self._sides[name]
        sign = 1.0 if side == "left" else -1.0
        goals = [np.array([end * sign * self._line, 0.0, here[2]]) for end in (1.0, -1.0)]
        mates = [places[other] for other in places if other != name and self._sides[other] == side]
        others = [places[other] for other in places if self._sides[other] != side]
        points = np.array([ball.position, *goals, *mates, *others])
        seen = ((points - here) @ turn)[:, :2]
        own = [(robot.linear_velocity @ turn)[:2], robot.angular_velocity[2:]]
        parts = [*own, seen[0], (ball.velocity @ turn)[:2], seen[1:].ravel()]
        return np.array(np.concatenate(parts), np.float32)
