"""Rule books: every number of the rules, read from `config/rules/NAME.yaml`.

Defaults are the measured values of rcssserver3d 0.7.3 (rules reference, "Parameters"). Times are in s, distances in m,
speeds in m/s and angles in degrees, as in the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from simspark_ros.configuration.schema import Checked, Range

LONG = 1e6
"""Bound of times, s."""

FAR = 1000.0
"""Bound of distances, m, and speeds, m/s."""

Time = Annotated[float, Range(0.0, LONG, "s")]
Distance = Annotated[float, Range(0.0, FAR, "m")]
Speed = Annotated[float, Range(0.0, FAR, "m/s")]
Angle = Annotated[float, Range(0.0, 180.0, "degrees")]
Count = Annotated[int, Range(0, 1000)]


@dataclass(frozen=True)
class GameBook(Checked):
    """Section `game`: halves, clock and kick-offs.

    Attributes:
        half_time: length of a half.
        single_half: whether the game is over after the first half.
        clock_restarts: whether game time starts at 0 in either half.
        change_sides: whether teams change sides after the first half.
        coin_toss: whether chance, not the left team, has the first kick-off.
        automatic_kick_off: whether a half begins by itself.
        wait_before_kick_off: until it does, counted from when there are players.
        goal_pause: after a goal.
        pin_ball: whether the ball is kept on the centre spot before a kick-off.
        automatic_quit: whether the server ends after the game.
        quit_after: so long after the end of the game.
    """

    half_time: Annotated[float, Range(0.0, LONG, "s", above=True)] = 300.0
    single_half: bool = False
    clock_restarts: bool = False
    change_sides: bool = False
    coin_toss: bool = False
    automatic_kick_off: bool = False
    wait_before_kick_off: Time = 30.0
    goal_pause: Time = 3.0
    pin_ball: bool = True
    automatic_quit: bool = False
    quit_after: Time = 10.0


@dataclass(frozen=True)
class SetPlayBook(Checked):
    """Section `set_plays`: kick-off, kick-in, corner, goal kick, free kicks, drop ball.

    Attributes:
        pause: before a kick-in, corner, goal kick or free kick is enforced.
        touch_margin: touches earlier than this after the pause do not count.
        free_kick_distance: that opponents keep from the ball.
        free_kick_move_distance: by which a player that is nearer is moved.
        kick_repel_distance: to which the taking team is pushed away from the ball once.
        goal_kick_distance: of the ball from the goal line.
        drop_ball_time: after which the ball is dropped if it is not touched; 0 = never.
        same_kick_time: touches of the taker within this time after its kick are the kick itself.
        min_players: with fewer players on the field the taker of a kick-off may touch the ball again and goals
            straight from a kick count.
    """

    pause: Time = 1.0
    touch_margin: Time = 0.03
    free_kick_distance: Distance = 2.0
    free_kick_move_distance: Distance = 2.5
    kick_repel_distance: Distance = 0.5
    goal_kick_distance: Distance = 1.0
    drop_ball_time: Time = 15.0
    same_kick_time: Time = 0.1
    min_players: Count = 3


@dataclass(frozen=True)
class BallBook(Checked):
    """Section `ball`: when it is out or in a goal.

    Attributes:
        out_margin: the ball is out when its centre is farther beyond a line than its radius and this.
        goal_margin: a goal is scored when the centre is beyond the goal line by this.
        out_reset: `set_play`: kick-in, corner or goal kick; `put_back`: the ball is put back where it left the field,
            and play goes on.
    """

    out_margin: Distance = 0.001
    goal_margin: Distance = 0.0
    out_reset: Literal["set_play", "put_back"] = "set_play"


@dataclass(frozen=True)
class PassModeBook(Checked):
    """Section `pass_mode`: when it is granted, and when its team may score again.

    Attributes:
        max_ball_speed: the ball must not be faster.
        max_ball_distance: from the requester's torso to the ball.
        min_opponent_distance: of every opponent from the ball.
        repel_distance: to which opponents that come nearer are pushed.
        duration: it ends at the latest.
        score_wait: so long its team may not score afterwards, unless cleared.
        retry_wait: since the team's last pass mode.
        clear_touches: number of different team mates that must have touched the ball since.
        clear_distance: the ball must have been so far from where it was.
    """

    max_ball_speed: Speed = 0.05
    max_ball_distance: Distance = 0.5
    min_opponent_distance: Distance = 1.0
    repel_distance: Distance = 1.1
    duration: Time = 4.0
    score_wait: Time = 10.0
    retry_wait: Time = 3.0
    clear_touches: Annotated[int, Range(0, 100)] = 2
    clear_distance: Distance = 1.0


@dataclass(frozen=True)
class OffsideBook(Checked):
    """Section `offside`: the classic definition (FIFA Laws of the Game, Law 11).

    Attributes:
        margin: a player is offside only when nearer to the goal line by more than this.
    """

    margin: Distance = 0.0


@dataclass(frozen=True)
class PostureBook(Checked):
    """Section `incapable`: how long a player may be down; `goalie_` values hold for number 1.

    Attributes:
        standing_height: of the torso's centre; a player with a lower one does not stand.
        ground_height: a player with a lower one lies on the ground.
        field_margin: beyond the side lines, within which postures are watched.
        upright_time: after which a player who stands again counts as standing.
        ground_time, goalie_ground_time: longest time on the ground.
        not_standing_time, goalie_not_standing_time: longest time without standing.
    """

    standing_height: Distance = 0.25
    ground_height: Distance = 0.15
    field_margin: Distance = 0.1
    upright_time: Time = 0.5
    ground_time: Time = 15.0
    goalie_ground_time: Time = 30.0
    not_standing_time: Time = 30.0
    goalie_not_standing_time: Time = 60.0


@dataclass(frozen=True)
class IllegalDefenceBook(Checked):
    """Section `illegal_defence`.

    Attributes:
        max_players: of a team inside their own penalty area.
        beam_out: whether the player who is one too many is beamed out instead of being moved.
    """

    max_players: Count = 3
    beam_out: bool = False


@dataclass(frozen=True)
class TouchingBook(Checked):
    """Section `touching`.

    Attributes:
        max_group: largest group of robots in contact.
        beam_out: whether the player to blame is beamed out instead of being moved.
    """

    max_group: Annotated[int, Range(1, 1000)] = 2
    beam_out: bool = False


@dataclass(frozen=True)
class CrowdingBook(Checked):
    """Section `crowding`; zero distances switch the rule off (as in the league since 2017).

    Attributes:
        opponent_distance: an opponent must be so near to the ball.
        second_distance: that the second closest player of a team keeps from the ball.
        third_distance: that the third closest one keeps.
    """

    opponent_distance: Distance = 0.0
    second_distance: Distance = 0.0
    third_distance: Distance = 0.0


@dataclass(frozen=True)
class ChargingBook(Checked):
    """Section `charging`.

    Attributes:
        min_speed: mean of three cycles of a player who charges.
        min_collision_speed: of its component toward the contact.
        min_ball_angle_deg: between velocity and ball, near the ball.
        min_delta_distance: by which one of two players is farther from the ball.
        min_delta_angle_deg: by which their angles differ.
        immunity_time: after a touch of the ball, and after having been moved.
        collision_min_time: since the chain of contacts began.
        max_ball_distance: within which the rules about the ball hold.
        min_ball_collision_distance: contacts nearer to the ball are no foul.
    """

    min_speed: Speed = 0.4
    min_collision_speed: Speed = 0.2
    min_ball_angle_deg: Angle = 30.0
    min_delta_distance: Distance = 0.05
    min_delta_angle_deg: Angle = 15.0
    immunity_time: Time = 1.0
    collision_min_time: Time = 0.2
    max_ball_distance: Distance = 1.0
    min_ball_collision_distance: Distance = 0.1


@dataclass(frozen=True)
class SelfCollisionBook(Checked):
    """Section `self_collision`.

    Attributes:
        tolerance: overlap of two limbs that is none yet.
        test: `measured`: as the measured server tests, where limbs with nearly parallel edges count as apart; `exact`.
        interval: between two looks at the limbs (the measured server looks every cycle).
        frozen_time: for which the joints of both limbs stand still.
        thaw_time: after that, in which they collide without consequences.
        report: whether it is reported as a foul.
        beam_out: whether the player is beamed out as well.
        cooldown: between two such penalties.
    """

    tolerance: Distance = 0.04
    test: Literal["measured", "exact"] = "measured"
    interval: Time = 0.04
    frozen_time: Time = 1.0
    thaw_time: Time = 2.0
    report: bool = True
    beam_out: bool = False
    cooldown: Time = 10.0


@dataclass(frozen=True)
class KickOffFoulBook(Checked):
    """Section `kick_off_foul`; the rule is off by default.

    Attributes:
        grace_time: after the kick-off was given, in which no player is blamed.
    """

    grace_time: Time = 1.0


@dataclass(frozen=True)
class IllegalAttackBook(Checked):
    """Section `illegal_attack`; the rule is off by default (numbers of the Humanoid League's rules).

    Attributes:
        max_players: of a team inside the opponents' penalty area,
        max_time: for longer than this.
    """

    max_players: Count = 1
    max_time: Time = 10.0


@dataclass(frozen=True)
class RepositioningBook(Checked):
    """Section `repositioning`: how the referee moves players.

    Attributes:
        agent_radius: of the space that a player needs; also the step of the search for a free place.
        max_attempts: of that search.
        foul_hold_time: for which a player is lifted before it is put beside the field.
        lift_height: by which it is.
        outside_step: between the places of two uniform numbers beside the field.
        outside_gap: from the side line to those places.
        outside_height: of the torso's centre there.
    """

    agent_radius: Annotated[float, Range(0.0, FAR, above=True)] = 0.4
    max_attempts: Annotated[int, Range(1, 10000)] = 100
    foul_hold_time: Time = 0.5
    lift_height: Distance = 1.0
    outside_step: Distance = 0.6
    outside_gap: Distance = 0.5
    outside_height: Distance = 0.4


@dataclass(frozen=True)
class RuleBook:
    """A whole rule book.

    Attributes:
        game, set_plays, ball, pass_mode, offside: numbers of the rules of play.
        incapable, illegal_defence, touching, crowding, charging, self_collision, kick_off_foul, illegal_attack: numbers
            of the fouls.
        repositioning: how players are moved.
        order: rule -> whether it applies; the rules are applied in this order.
        plug_ins: rule of another distribution -> its numbers by name; the rule says which there are (`Rule.options`).
    """

    game: GameBook = GameBook()
    set_plays: SetPlayBook = SetPlayBook()
    ball: BallBook = BallBook()
    pass_mode: PassModeBook = PassModeBook()
    offside: OffsideBook = OffsideBook()
    incapable: PostureBook = PostureBook()
    illegal_defence: IllegalDefenceBook = IllegalDefenceBook()
    touching: TouchingBook = TouchingBook()
    crowding: CrowdingBook = CrowdingBook()
    charging: ChargingBook = ChargingBook()
    self_collision: SelfCollisionBook = SelfCollisionBook()
    kick_off_foul: KickOffFoulBook = KickOffFoulBook()
    illegal_attack: IllegalAttackBook = IllegalAttackBook()
    repositioning: RepositioningBook = RepositioningBook()
    order: Mapping[str, bool] = field(default_factory=dict)
    plug_ins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
