"""The flow of a game, as a GameController leads it.

    INITIAL ── players are there, wait_before_kick_off ──▶ READY ── ready_time ──▶ SET ── set_time ──▶ PLAYING
       ▲                                                     ▲                                           │
       │                                                     └── a goal, or nobody touches the ball ◀────┤
       └────────── half_break, second half ── FINISHED ◀── half_time, or a score that decides ◀──────────┘

Classic play modes follow the stages: BeforeKickOff in INITIAL, READY and SET before the first kick-off of a half and
after a ball that nobody touched, a goal's mode in READY and SET after a goal, all others in PLAYING. Set plays are part
of PLAYING (`league/set_play.py`). If a person sets a mode, the stage follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import BEAMING_ALLOWED, PlayMode, side_in
from simspark_ros.soccer.league_game import LeagueGame, Stage
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import CENTRE
from simspark_ros.soccer.referee.play.kick_off import begin_second_half, end_half
from simspark_ros.soccer.referee.restarts import free_ball, kick_off, play_on, reached
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Count, Time
from simspark_ros.soccer.teams import Side

MOVED = 0.01
"""Distance of the ball from its spot, m, from which on it is put back."""


@dataclass(frozen=True)
class FlowBook(Checked):
    """Section `league_flow`."""

    ready_time: Time = 45.0
    set_time: Time = 5.0
    kick_off_time: Time = 10.0
    half_break: Time = 10.0
    stuck_time: Time = 30.0
    mercy_difference: Count = 10
    beam_when_ready: bool = True


class LeagueFlow(Rule):
    """Leads the game through its stages, takes kick-offs, and ends halves."""

    name: ClassVar[str] = "league_flow"
    options: ClassVar = FlowBook
    settings: FlowBook

    def apply(self, match: Match) -> None:
        league = match.game.league
        if league is None:
            league = match.game.league = LeagueGame()
            _await_kick_off(match, league)
        _follow(match, league)
        league.time += match.time_step
        _STEPS[league.stage](self, match, league)

    def wait(self, match: Match, league: LeagueGame) -> None:
        """INITIAL: wait for players, and a while longer; without `automatic_kick_off` wait until a person acts."""
        book = match.book.game
        if not (book.automatic_kick_off and match.team_players):
            league.time = league.remaining = 0.0
        elif self._is_over(league, book.wait_before_kick_off):
            self._get_ready(match, league, f"players have been on the field for {league.time:.2f} s")

    def get_ready(self, match: Match, league: LeagueGame) -> None:
        """READY: players go to their places."""
        if _end_half(match, league) or not self._is_over(league, self.settings.ready_time):
            return
        match.decide("set", f"SET: players have had {league.time:.2f} s to take their places.", place=CENTRE)
        league.enter(Stage.SET)
        match.place_ball(CENTRE)

    def stand(self, match: Match, league: LeagueGame) -> None:
        """SET: players stand still, the ball lies on the centre spot."""
        if _end_half(match, league):
            return
        x, y, _ = match.ball.position
        if max(abs(x), abs(y)) > MOVED:
            match.place_ball(CENTRE)
        if not self._is_over(league, self.settings.set_time):
            return
        league.enter(Stage.PLAYING)
        if league.kicking is None:
            free_ball(match, "neither team has the kick-off", None)
        else:
            kick_off(match, league.kicking, "the players are ready", timed=True)
            league.remaining = self.settings.kick_off_time

    def play(self, match: Match, league: LeagueGame) -> None:
        """PLAYING: look for an event that ends the stage."""
        mode = match.game.play_mode
        scorers, kicking = side_in(mode, "goal"), side_in(mode, "kick_off")
        league.kicking, league.remaining = kicking, 0.0
        if _end_half(match, league) or self._is_decided(match, league):
            return
        if scorers is not None:
            league.kicking = scorers.other
            self._get_ready(match, league, f"the {scorers.value} team has scored")
        elif kicking is not None:
            self._take_kick_off(match, league, kicking)
        elif mode is PlayMode.PLAY_ON and self._is_stuck(match):
            match.decide("game_stuck", "Nobody plays the ball.", play_mode=PlayMode.BEFORE_KICK_OFF, timed=True)
            self._get_ready(match, league, f"nobody touched the ball for {self.settings.stuck_time:g} s")

    def rest(self, match: Match, league: LeagueGame) -> None:
        """FINISHED: begin the second half after the first."""
        game = match.game
        if game.play_mode is PlayMode.GAME_OVER or not self._is_over(league, self.settings.half_break):
            return
        begin_second_half(match)
        _await_kick_off(match, league)

    def _is_over(self, league: LeagueGame, limit: float) -> bool:
        """Whether a stage has lasted for a time, s; tells players its remaining time."""
        league.remaining = max(0.0, limit - league.time)
        return reached(league.time, limit)

    def _get_ready(self, match: Match, league: LeagueGame, why: str) -> None:
        match.decide("ready", f"READY: {why}.", league.kicking)
        league.enter(Stage.READY, may_beam=self.settings.beam_when_ready)

    def _take_kick_off(self, match: Match, league: LeagueGame, side: Side) -> None:
        """Put the ball in play once the side touches it, or after a while."""
        time, limit = match.game.mode_time, self.settings.kick_off_time
        league.remaining = max(0.0, limit - time)
        touch = next((touch for touch in match.ball.touches if touch.side is side), None)
        match.ball.forget_kick()
        if touch is not None:
            play_on(match, touch)
        elif reached(time, limit):
            free_ball(match, f"the {side.value} team has not kicked off for {time:.1f} s", side)

    def _is_stuck(self, match: Match) -> bool:
        touch, limit = match.ball.last_touch, self.settings.stuck_time
        if limit <= 0 or touch is None:
            return False
        return reached(min(match.game.mode_time, match.now - touch.time), limit)

    def _is_decided(self, match: Match, league: LeagueGame) -> bool:
        """End a game if one team leads by so much that the rules end it."""
        game, limit = match.game, self.settings.mercy_difference
        ahead = abs(game.score_left - game.score_right)
        if not limit or ahead < limit:
            return False
        text = f"The game is over at {game.score_left}:{game.score_right}, {ahead} goals apart (limit {limit})."
        evidence = {"ahead_goals": ahead, "limit_goals": limit}
        match.decide("game_over", text, play_mode=PlayMode.GAME_OVER, evidence=evidence)
        league.enter(Stage.FINISHED)
        return True


_STEPS: dict[Stage, Callable[[LeagueFlow, Match, LeagueGame], None]] = {
    Stage.INITIAL: LeagueFlow.wait,
    Stage.READY: LeagueFlow.get_ready,
    Stage.SET: LeagueFlow.stand,
    Stage.PLAYING: LeagueFlow.play,
    Stage.FINISHED: LeagueFlow.rest,
}


def _await_kick_off(match: Match, league: LeagueGame) -> None:
    """Enter the stage before a half."""
    league.enter(Stage.INITIAL, may_beam=True)
    league.kicking = match.game.next_kick_off(match.book.game, match.random)


def _follow(match: Match, league: LeagueGame) -> None:
    """Enter the stage of the play mode, if a person or an overruled decision has changed the mode."""
    mode, stage = match.game.play_mode, league.stage
    if mode is PlayMode.GAME_OVER:
        if stage is not Stage.FINISHED:
            league.enter(Stage.FINISHED)
    elif mode not in BEAMING_ALLOWED or (mode is not PlayMode.BEFORE_KICK_OFF and stage in _AT_REST):
        if stage is not Stage.PLAYING:
            league.enter(Stage.PLAYING)
    elif mode is PlayMode.BEFORE_KICK_OFF and stage is Stage.PLAYING:
        _await_kick_off(match, league)


_AT_REST = frozenset({Stage.INITIAL, Stage.FINISHED})


def _end_half(match: Match, league: LeagueGame) -> bool:
    """End a half whose time is up; returns whether it has ended."""
    ended = end_half(match)
    if ended:
        league.enter(Stage.FINISHED)
    return ended
