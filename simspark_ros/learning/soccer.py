"""Small games as parallel environments of PettingZoo: N against M robots that drive or walk."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simspark_ros.arena import Arena, ArenaRobot
from simspark_ros.arena.arena import Ball
from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.learning.tasks.wheels import FASTEST, moving_effector
from simspark_ros.physics.engine import Array

try:
    from gymnasium import spaces
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise MissingPackageError(
        f"games need the packages 'pettingzoo' and 'gymnasium': {error}; install them with pip install "
        "'simspark_ros[learning]'"
    ) from error

Numbers = NDArray[np.float32]

CYCLES = 5
"""Of the simulation in which an action holds."""

LARGEST = 11
"""Players in a team."""

ADVANCE = 0.1
"""Reward for a metre by which the ball comes nearer to the opponents' goal line."""

TEAMS = ("left", "right")


class SoccerParallelEnv(ParallelEnv):
    """A game without referee, until a goal or for half a minute.

    Agents are `left_1` ... `right_M`. An action is a velocity, three numbers from -1 to 1: forward, left, turn. An
    observation is seen by the agent, in its own axes and for its own team, so that one policy plays for both: own
    velocities (3), ball and its velocity (4), both goals (4), team mates (2 each), opponents (2 each); m, m/s, rad/s.
    Rewards are those of the team: 1 for a goal, -1 for one of the opponents, and `ADVANCE` for each metre that the ball
    comes nearer to their line.

    A `reset` with a seed makes a new world, after which all is the same bit by bit; one without goes on in the same.

    Args:
        left: players on the left, 1 to 11.
        right: on the right, 0 to 11.
        robot: of all players; it takes velocities by an effector `wheels` or `walk`.
        world: that is played in.
        engine: of physics.
        seconds: length of a game, simulated s.
        render_mode: `rgb_array` for pictures.
        settings: others of `Arena`.

    Raises:
        ConfigurationError: a number is out of range, or the robot takes no velocities.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "simspark_ros_soccer_v0", "render_modes": ["rgb_array"]}

    def __init__(
        self,
        left: int = 2,
        right: int = 2,
        *,
        robot: str = "omni",
        world: str = "msl",
        engine: str = "planar",
        seconds: float = 30.0,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if not (1 <= left <= LARGEST and 0 <= right <= LARGEST):
            raise ConfigurationError(f"{left} against {right}: give 1 to {LARGEST} players left, 0 to {LARGEST} right")
        self.render_mode = render_mode
        counts = dict(zip(TEAMS, (left, right), strict=True))
        self._sides = {f"{side}_{n + 1}": side for side, count in counts.items() for n in range(count)}
        self.possible_agents = list(self._sides)
        self.agents: list[str] = []
        self._arena = Arena(world=world, engine=engine, referee=False, **settings)
        try:
            self._kind = self._add_players(robot)
        except BaseException:
            self._arena.close()
            raise
        field = self._arena.world.settings.field
        self._line, self._edge, self._half = field.length / 2.0, field.width / 2.0, field.goal_width / 2.0
        self._longest = round(seconds / (CYCLES * self._arena.cycle_time))
        size = 11 + 2 * (left + right - 1)
        self.observation_spaces = {name: spaces.Box(-np.inf, np.inf, (size,), np.float32) for name in self._sides}
        self.action_spaces = {name: spaces.Box(-1.0, 1.0, (3,), np.float32) for name in self._sides}
        self._seed = self._arena.seed
        self._random = np.random.default_rng(self._seed)
        self._begun, self._steps, self._ball_was = False, 0, 0.0

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
        self._ball_was = float(self._arena.ball.position[0])
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Numbers]
    ) -> tuple[dict[str, Numbers], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Move all players, and see what comes of it."""
        for agent, action in actions.items():
            velocity = (np.clip(np.asarray(action, float), -1.0, 1.0) * FASTEST).tolist()
            self._arena[agent].act(self._kind, *velocity)
        self._arena.step(CYCLES)
        self._steps += 1
        x, y, _ = self._arena.ball.position.tolist()
        goal = np.sign(x) if abs(x) > self._line and abs(y) < self._half else 0.0
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
        for number, name in enumerate(self._sides):
            # Out of the way; a game begins elsewhere.
            player = self._arena.add(robot, name=name, position=(number - LARGEST, -4.0))
        return moving_effector(player.description)

    def _kick_off(self) -> None:
        for name, side in self._sides.items():
            sign = 1.0 if side == "left" else -1.0
            x, y = self._random.uniform(0.1, 0.9) * self._line, self._random.uniform(-0.8, 0.8) * self._edge
            self._arena[name].place(-sign * x, y, 0.0 if sign > 0 else np.pi)
        self._arena.place_ball(*self._random.uniform(-0.3, 0.3, 2).tolist())

    def _keep_inside(self, x: float, y: float) -> None:
        """Put a ball that has left the field back, at rest."""
        if abs(x) > self._line or abs(y) > self._edge:
            inside = np.clip([x, y], [0.5 - self._line, 0.5 - self._edge], [self._line - 0.5, self._edge - 0.5])
            self._arena.place_ball(*inside.tolist())

    def _observations(self) -> dict[str, Numbers]:
        robots = {name: self._arena[name] for name in self._sides}
        places = {name: robot.position for name, robot in robots.items()}
        ball = self._arena.ball
        return {name: self._seen_by(name, robots[name], places, ball) for name in self.agents}

    def _seen_by(self, name: str, robot: ArenaRobot, places: dict[str, Array], ball: Ball) -> Numbers:
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
