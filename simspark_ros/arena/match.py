"""A whole match in this process, as fast as the machine can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from simspark_ros.arena.arena import Arena
from simspark_ros.players.answer import Agent
from simspark_ros.players.behaviour.team_play import GOALKEEPER
from simspark_ros.players.team import ROBOT, team_player, type_of, usual_tactics
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.simulation.settings import CLASSIC_PROFILE
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.settings import field_text

Team = Callable[[str, int], Agent]
"""A function that makes a player from the name of its team and its number."""

KICK_OFF_WAIT = 1.0
"""Pause before each half, so that players stand in their places after the beam, simulated s."""


@dataclass(frozen=True)
class MatchScore:
    """The result of a match.

    Attributes:
        left, right: goals of the teams.
        time: game time, s.
        decisions: decisions of the referee, with their times and evidence.
    """

    left: int
    right: int
    time: float
    decisions: tuple[Decision, ...]


def play_match(
    left: Team | None = None,
    right: Team | None = None,
    *,
    players: int = 11,
    half_time: float = 300.0,
    robot: str = ROBOT,
    names: tuple[str, str] = ("Lions", "Dragons"),
    on_cycle: Callable[[Arena], object] = lambda arena: None,
    **settings: Any,
) -> MatchScore:
    """Play a match to its end, without sockets and processes; `simspark match` plays teams of other programs.

    Args:
        left: function that makes the players of the team that plays to the right; None = the demonstration team.
        right: function that makes the players of its opponents; None = the demonstration team.
        players: number of players in each team, with the demonstration team's types of robots.
        half_time: length of a half, simulated s.
        robot: name of every player's robot, with the Nao's body or on wheels.
        names: names of the teams.
        on_cycle: function to call after each cycle.
        settings: settings of `Arena`; the classic protocol profile is chosen unless a profile is named.

    Raises:
        UserError: a setting cannot be used.
    """
    made = (
        "rules.game.automatic_kick_off=true",
        f"rules.game.wait_before_kick_off={KICK_OFF_WAIT}",
        f"rules.game.half_time={half_time}",
    )
    settings = {"profile": CLASSIC_PROFILE, **settings, "changes": (*made, *settings.get("changes", ()))}
    with Arena(**settings) as arena:
        world = field_text(arena.world.settings.field)
        tactics = load_team_settings(usual_tactics(world, robot))
        # A single player cannot just keep the goal.
        goalkeeper = GOALKEEPER if players > 1 else 0
        ours = partial(
            team_player, tactics=tactics, cycle=arena.cycle_time, robot=robot, world=world, goalkeeper=goalkeeper
        )
        for name, make in zip(names, (left or ours, right or ours), strict=True):
            for unum in range(1, players + 1):
                body = f"{ROBOT}/{type_of(unum, tactics, ())}" if robot == ROBOT else robot
                arena.add(body, team=name, unum=unum, agent=partial(make, name, unum))
        while arena.game.play_mode is not PlayMode.GAME_OVER:
            arena.step()
            on_cycle(arena)
        game = arena.game
        return MatchScore(game.score_left, game.score_right, game.time, arena.decisions)
