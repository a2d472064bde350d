"""A field on which a test puts players."""

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld

STANDING = 0.385
"""Height of a standing Nao's torso, m."""

CYCLE = 0.02
"""Length of a cycle, s."""


class Pitch:
    """Robots on the real engine; subclasses let time pass."""

    def __init__(self, world: SoccerWorld, match: Match) -> None:
        self.world, self.match = world, match
        self.engine, self.game = world.engine, world.game

    @property
    def mode(self) -> PlayMode:
        mode: PlayMode = self.game.play_mode
        return mode

    @mode.setter
    def mode(self, mode: PlayMode) -> None:
        self.game.set_play_mode(mode)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions so far."""
        return self.match.log.since(0)

    @property
    def kinds(self) -> list[str]:
        """Kinds of the decisions, without those about who was moved."""
        return [d.kind for d in self.decisions if d.kind != "player_moved"]

    def add(
        self, side: Side | None, unum: int, x: float, y: float, z: float = STANDING, robot: str = "nao"
    ) -> SoccerRobot:
        handle = self.world.add_robot(load_robot(robot), (x, y, z), 0.0, clearance=0.0).handle
        added = self.world.robots[handle]
        added.side, added.unum, added.team = side, unum, side.value if side else ""
        self.world.revision += 1
        return added

    def row(self, robot: SoccerRobot) -> int:
        return self.engine.state.row(robot.handle)

    def put(self, robot: SoccerRobot, x: float, y: float, z: float = STANDING) -> None:
        self.engine.place_robot(robot.handle, (x, y, z), (0.0, 0.0, 0.0, 1.0))

    def place(self, robot: SoccerRobot) -> tuple[float, float, float]:
        x, y, z = self.engine.state.position[self.row(robot)].tolist()
        return x, y, z

    def spot(self, robot: SoccerRobot) -> tuple[float, float]:
        return self.place(robot)[:2]

    def advance(self) -> None:
        """Let the clock advance by a cycle without physics."""
        self.world.cycle += 1
        self.world.elapsed = CYCLE
        self.game.advance(CYCLE)
