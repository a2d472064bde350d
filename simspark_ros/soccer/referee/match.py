"""Actions of rules on a match: decisions, moved players, the ball, the score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from simspark_ros.physics.geometry.rotations import upright
from simspark_ros.robots.body.kinematics import home_positions
from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.referee.ball_record import BallRecord, Point, Touch
from simspark_ros.soccer.referee.decision import Decision, Spot
from simspark_ros.soccer.referee.decision_log import DecisionLog, ball_back
from simspark_ros.soccer.referee.match_view import Lifted, MatchView, Player, Quaternion
from simspark_ros.soccer.referee.repositioning import Repositioning
from simspark_ros.soccer.referee.rulebook import RuleBook
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld


class Match(MatchView):
    """The match for rules: their actions, and their view (`players`, `state`, `ball`, `now`, ...) from `MatchView`.

    Attributes:
        rule: name of the rule that is being applied.
        blamed: handles of players whose time of being down restarts, as they were blamed for another foul.
        end_requested: whether a rule wants the simulation to end.
    """

    def __init__(self, world: SoccerWorld, book: RuleBook, random: np.random.Generator) -> None:
        super().__init__(world, book, random)
        self.log = DecisionLog()
        self.repositioning = Repositioning(self)
        self.rule = ""
        self.blamed: set[int] = set()
        self.end_requested = False

    def decide(
        self,
        kind: str,
        text: str,
        about: Side | Player | Touch | Decision | None = None,
        *,
        play_mode: PlayMode | None = None,
        place: Spot | None = None,
        evidence: Mapping[str, float] | None = None,
        timed: bool = False,
    ) -> Decision:
        """Take a decision. The rule's actions up to its next decision belong to this decision and can be overruled.

        Args:
            kind: kind of decision, e.g. `corner_kick`.
            text: one sentence for people, with player, place and measurements.
            about: team concerned, or player, also by its touch or its decision.
            play_mode: play mode to set; None = the mode stays.
            place: place of the event, or place where play goes on, m.
            evidence: measurements, name with unit -> number.
            timed: whether the time of a play mode was up, so that it begins again if the decision is overruled.
        """
        side, unum = (about, 0) if about is None or isinstance(about, Side) else (about.side, about.unum)
        before, mode_time = self.game.play_mode, self.game.mode_time
        if play_mode is not None:
            self.game.set_play_mode(play_mode)
        decision = Decision(
            number=self.log.count + 1,
            cycle=self.world.cycle,
            time=self.game.time,
            rule=self.rule,
            kind=kind,
            side=side,
            unum=unum,
            play_mode=self.game.play_mode,
            place=place,
            evidence={name: float(value) for name, value in (evidence or {}).items()},
            text=text,
        )
        self.log.add(decision, self.world, before, mode_time, timed)
        return decision

    def foul(self, kind: FoulKind, text: str, player: Player, evidence: Mapping[str, float] | None = None) -> Decision:
        """Decide on a foul of a player: recorded with its place, and reported to monitors."""
        x, y, _ = self.position(player)
        decision = self.decide(kind.name.lower(), text, player, place=(x, y), evidence=evidence)
        self.game.report_foul(kind, player.side, player.unum)
        if kind is not FoulKind.SELF_COLLISION:
            # Without a rule that counts time down, nobody else removes players that have left.
            self.blamed.intersection_update(self.world.robots)
            self.blamed.add(player.handle)
        return decision

    def move_player(self, player: Player, spot: Spot, avoid_ball: bool = True) -> Spot:
        """Move a player to a spot, m, or the free place instead of it (`free_spot`); returns that place.

        The player is put there as by `put_player`.
        """
        place = self.repositioning.free_spot(player, spot, avoid_ball)
        self.put_player(player, (*place, self.position(player)[2]))
        return place

    def put_player(self, player: Player, position: Point, turned: Quaternion | None = None) -> None:
        """Put a player exactly at a position, even if that is taken; it keeps its joints and stands still.

        turned: new orientation; None = as before.
        """
        x, y, z = self.position(player)
        quaternion = self.quaternion(player)

        def undo() -> None:
            if player.handle in self.world.robots:
                self.world.engine.place_robot(player.handle, (x, y, z), quaternion)

        self.on_undo(undo)
        self.world.engine.place_robot(player.handle, position, turned or quaternion)
        self.look_for_places()
        self.repositioning.note_move(player.handle)
        if turned is not None:
            self._robot_boxes.forget()
        self._robot_boxes.shift(player.row, (position[0] - x, position[1] - y, position[2] - z))

    def put_beside(self, player: Player, place: Spot) -> None:
        """Put a player at a place beside the field, upright and facing the field, in the home pose."""
        description = player.robot.description
        self.world.engine.set_joint_positions(player.handle, home_positions(description))
        facing = math.copysign(math.pi / 2, -place[1])
        self.put_player(player, (*place, description.spawn_height), upright(facing))

    def beam_out(self, player: Player) -> None:
        """Lift a player for `foul_hold_time` and then put it beside the field; its counters restart.

        In a book that puts players into a row beside the field they go there at once.
        """
        if player.handle in self.lifted:
            return
        book = self.book.repositioning
        if book.outside_places == "row":
            self.put_beside(player, self.repositioning.place_in_row(player))
            return
        x, y, z = self.position(player)
        lifted = Lifted((x, y, z + book.lift_height), self.quaternion(player), self.now + book.foul_hold_time)
        self.put_player(player, lifted.position)
        self.lifted[player.handle] = lifted
        self.players = tuple(other for other in self.players if other.handle != player.handle)
        self.on_undo(partial(self.lifted.pop, player.handle, None))

    def place_ball(self, spot: Spot) -> None:
        """Put the ball at rest on the ground."""
        vx, vy, vz = self.state.ball_velocity.tolist()
        self.on_undo(partial(ball_back, self.world, self.ball.position, (vx, vy, vz)))
        self.world.place_ball(spot)
        x, y, z = self.state.ball_position.tolist()
        self.ball.position = self.ball.previous = (x, y, z)
        self.ball.last_valid, self.ball.restart_spot, self.ball.on_field = spot, spot, True

    def drop(self, spot: Spot) -> None:
        """Put the ball at rest on the ground, as if nobody had touched it yet."""
        self.place_ball(spot)
        self.ball.last_touch = None

    def score(self, side: Side) -> None:
        """Count a goal of a side."""
        self.game.add_goals(side, 1)
        self.on_undo(lambda: self.game.add_goals(side, -1))

    def on_undo(self, action: Callable[[], object]) -> None:
        """Add an action for the overruling of the last decision, if that was taken in this cycle."""
        self.log.on_undo(self.world.cycle, action)

    def reset(self) -> None:
        """Forget ball and decisions: the game restarts. Numbers of decisions go on."""
        self.ball = BallRecord()
        self.log.clear()
        self.absent.clear()
        self.blamed.clear()
        self.repositioning.reset()
