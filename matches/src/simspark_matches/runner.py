"""Plays one match: starts server, left team and right team, plays both halves, ends all processes."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from simspark_matches.record import GAME_OVER, MatchRecord
from simspark_matches.result import MatchOutcome, MatchResult, part_of, side_result, versions
from simspark_matches.server import MatchServer, ServerError
from simspark_matches.settings import RECORD_FILE, RESULT_FILE, SIDES, MatchSettings, TeamCommand, team_commands
from simspark_matches.team_commands import fill_in
from simspark_matches.team_sizes import with_players
from simspark_ros.clients.processes import Processes, StartError
from simspark_ros.configuration.errors import UserError
from simspark_ros.server.agents.connection import NEVER_SYNCHRONISED
from simspark_ros.simulation.pacing.awake_clock import awake_time

JOIN_TICK, PLAY_TICK = 0.02, 0.1
"""Time between two polls of server and processes while players join, and while they play, s."""

JOINED_AFTER = 0.5
"""Simulated time after which players whose robots had come before time began have joined, s."""

AFTER_GAME = 1.0
"""Simulated seconds during which players see that the game is over."""

REPORTED = ("kick_off", "goal", "goal_refused", "half_time", "game_over", "overruled")
"""Decisions of the referee that are reported to the observer."""

WILL_PERIOD = 1.0
"""Time between two results kept in case this process is killed, s; one is kept after each event, too."""

KILLED = "the process that played the match was killed"
"""Reason of a result kept for a killed process."""

END_PATIENCE = 15.0
"""Longest time for the server to close its files, s."""


class MatchObserver(Protocol):
    """Receives news and the state of a match."""

    def report(self, text: str) -> None:
        """Take a line of news."""

    def show(self, record: MatchRecord) -> None:
        """Take the state of the match, often."""


class InterruptedMatchError(Exception):
    """The match is to end now; the message says why."""


def play_match(
    settings: MatchSettings,
    directory: Path,
    observer: MatchObserver,
    interrupted: Callable[[], str] = lambda: "",
    continued: Path | None = None,
) -> MatchResult:
    """Play a match and leave no process behind; everything but the result is written into `directory`.

    There is a result however the match ends; if this process is killed, its guard writes the result, provided that the
    caller keeps room for it (`room_for_result`).

    Args:
        settings: settings of the match.
        directory: directory for the match's files.
        observer: receiver of news.
        interrupted: function asked often; a text ends the match and is its reason.
        continued: record of a match to go on with from its end.

    Raises:
        ConfigurationError: a command or a setting is wrong; no team was started.
    """
    settings = settings if continued else with_players(settings)
    commands = team_commands(settings)
    if settings.game.record:
        try:
            settings.save(directory)
        except OSError as error:
            observer.report(f"{directory}: if this match is interrupted, it cannot be continued: {error.strerror}")
    arguments = _server_arguments(settings, commands, directory, continued)
    game, report = settings.game, observer.report
    result = (directory / RESULT_FILE).absolute()
    outputs = Processes(output_limit=game.output_limit, warn=report, files=(part_of(result), result))
    with outputs as processes, MatchServer(processes, arguments, directory, report, game.max_log) as server:
        match = _Match(settings, commands, directory, processes, server, observer, interrupted)
        return match.play(bool(continued))


@dataclass(frozen=True)
class _End:
    """How a match has ended, and which sides forfeit."""

    outcome: MatchOutcome
    reason: str = ""
    forfeits: tuple[str, ...] = ()


class _Match:
    """One match in progress."""

    def __init__(
        self,
        settings: MatchSettings,
        commands: Mapping[str, TeamCommand],
        directory: Path,
        processes: Processes,
        server: MatchServer,
        observer: MatchObserver,
        interrupted: Callable[[], str],
    ) -> None:
        self._settings, self._commands, self._directory = settings, commands, directory
        self._processes, self._server = processes, server
        self._observer, self._interrupted = observer, interrupted
        self._crashes: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
        self._strangers: list[str] = []
        self._players: dict[str, dict[int, subprocess.Popen[bytes]]] = {side: {} for side in SIDES}
        self._memory: list[float] = []
        self._began, self._moved_at = time.monotonic(), awake_time()
        self._wall = 0.0
        self._last_time = 0.0
        self._willed_at = 0.0
        self._told_who_is_missing = False

    def play(self, continued: bool) -> MatchResult:
        """From the start of the server to the result. continued: whether players have joined in a record already."""
        self._told_who_is_missing = continued
        try:
            end = self._play()
        except (InterruptedMatchError, ServerError) as error:
            end = _End(MatchOutcome.ABORTED, str(error))
        except UserError:
            raise
        except Exception as error:
            traceback.print_exc()
            end = _End(MatchOutcome.ABORTED, f"the match could not be played on: {error!r}")
        self._wall = time.monotonic() - self._began
        self._result(end).write_will(self._directory)
        self._server.end(END_PATIENCE)
        self._notice_ends()
        return self._result(end)

    def _play(self) -> _End:
        server = self._server
        while not server.ports:
            server.check_start()
            self._tick(JOIN_TICK)
        ports = server.ports
        self._observer.report(f"server: agents on port {ports['agent_port']}, monitors on port {ports['monitor_port']}")
        if "viewer" in ports:
            self._observer.report(f"viewer: {ports['viewer']}")
        for side in SIDES:
            self._start_team(side)
        self._memory = [server.memory or 0.0] * 2
        server.start_time()
        self._began, self._moved_at = time.monotonic(), awake_time()
        return self._watch()

    def _start_team(self, side: str) -> None:
        """Start a team, one player after the other, so that they connect in the same order every time."""
        server, command = self._server, self._commands[side]
        before = server.record.arrivals
        with contextlib.suppress(OSError):
            # Outputs that cannot be written are reported one by one.
            (self._directory / side).mkdir(exist_ok=True)
        port = server.ports["agent_port"]
        # Classic agents have a port of their own beside those of the league since 2026.
        values: dict[str, str | int] = {"classic_port": port, **server.ports, "port": port}
        values |= {"team": command.name, "players": command.players}
        values["world"] = json.dumps(server.ports["field"])
        values["robot_types"] = json.dumps(server.robot_types) if server.robot_types else ""
        memory = self._settings.game.child_memory
        for unum in command.unums:
            words = fill_in(command.words, {**values, "unum": unum})
            try:
                process = self._processes.start(
                    f"{side}/{unum}/", words, self._output(side, unum), command.directory, memory=memory
                )
            except StartError as error:
                self._observer.report(f"{side}: {error}")
                self._crashes[side].append({"unum": unum or None, "status": None, "time": 0.0})
                continue
            self._players[side][unum] = process
            self._wait_for(side, unum, 1 if unum else command.players)
        arrived = server.record.arrivals - before
        self._observer.report(f"{side}: {arrived} of {command.players} robots have come")

    def _wait_for(self, side: str, unum: int, robots: int) -> None:
        """Wait for this many more robots, until the processes that could bring them have ended, or for `join_limit`."""
        server = self._server
        arrived, since = server.record.arrivals, awake_time()
        wanted = arrived + robots
        while server.record.arrivals < wanted and server.running:
            self._tick(JOIN_TICK)
            if server.record.arrivals > arrived:
                arrived, since = server.record.arrivals, awake_time()
            if not self._processes.alive(f"{side}/{unum}/"):
                return
            if awake_time() - since > self._settings.game.join_limit:
                self._observer.report(f"{side}: no further player has come for {self._settings.game.join_limit:g} s")
                return

    def _watch(self) -> _End:
        """Follow the game to its end."""
        server, record = self._server, self._server.record
        while True:
            running = server.running
            self._tick(PLAY_TICK)
            self._tell_who_is_missing()
            if record.ended and record.play_mode == GAME_OVER:
                return _End(MatchOutcome.PLAYED)
            if not running:
                reason = f"the server ended with status {server.status}: {server.log_tail()}"
                return _End(MatchOutcome.ABORTED, reason)
            if gone := tuple(side for side in SIDES if self._has_gone(side)):
                reason = f"no player of the {' and the '.join(gone)} team was left"
                logs = ", ".join(f"{side}/*.log" for side in gone)
                if self._strangers and not all(record.sides[side].joined for side in gone):
                    reason += f": {self._other_names(gone)}"
                elif server.has_said(NEVER_SYNCHRONISED):
                    reason += ": lock-step waits for (syn), which some players never sent; --real-time waits for nobody"
                return _End(MatchOutcome.FORFEIT, f"{reason}; server.log and {logs} say more", gone)
            if self._stands_still():
                return _End(MatchOutcome.ABORTED, f"nothing has moved for {self._settings.game.stall_limit:g} s")

    def _tell_who_is_missing(self) -> None:
        """Report once which teams lack players: a robot may have come whose player the server does not take."""
        record = self._server.record
        if self._told_who_is_missing or record.time < JOINED_AFTER:
            return
        self._told_who_is_missing = True
        for side, command in self._commands.items():
            joined = len(record.sides[side].joined)
            if joined < command.players:
                count = f"{joined} of {command.players} players have joined"
                self._observer.report(f"{side}: {count}; server.log and {side}/*.log say more")

    def _tick(self, pause: float) -> None:
        if why := self._interrupted():
            raise InterruptedMatchError(why)
        events = self._server.poll()
        for event in events:
            self._report(event)
        self._notice_ends()
        if events or time.monotonic() - self._willed_at > WILL_PERIOD:
            self._write_will()
        self._observer.show(self._server.record)
        if not events:
            time.sleep(pause)

    def _write_will(self) -> None:
        self._willed_at = time.monotonic()
        self._wall = self._willed_at - self._began
        self._result(_End(MatchOutcome.ABORTED, KILLED)).write_will(self._directory)

    def _report(self, event: Mapping[str, Any]) -> None:
        """Report decisions and players that leave to the observer."""
        now, kind = f"{event['game_time']:7.2f} s", event["event"]
        if kind == "decision" and event["kind"] in REPORTED:
            self._observer.report(f"{now}  {event['text']}")
        elif kind == "leave" and self._server.record.play_mode != GAME_OVER:
            self._observer.report(f"{now}  {event['side']} {event['unum']} has left")
        elif kind == "stranger":
            self._strangers.append(event["team"])
            hint = "pass {team} in the team's command, or give the team the name that its players use"
            self._observer.report(f"{self._other_names(SIDES)}: {hint}")

    def _other_names(self, sides: Sequence[str]) -> str:
        """The names of teams that were refused, and those that these sides expect."""
        expected = " or ".join(repr(self._commands[side].name) for side in sides if self._commands[side].name)
        return f"joined as {' and '.join(map(repr, self._strangers))}, expected {expected or 'two teams'}"

    def _notice_ends(self) -> None:
        """Note processes that ended while the game was on."""
        record = self._server.record
        over = not self._server.running or record.play_mode == GAME_OVER
        for side, players in self._players.items():
            for unum, process in list(players.items()):
                status = process.poll()
                if status is None:
                    continue
                del players[unum]
                # A script may end without an error while the players that it has started go on.
                if not over and (unum or status):
                    self._observer.report(f"{side}: {self._crash_in_words(side, unum, status)}")
                    self._crashes[side].append({"unum": unum or None, "status": status, "time": record.time})

    def _crash_in_words(self, side: str, unum: int, status: int) -> str:
        command = self._settings.team(side).command
        end = f"ended with status {status}" if status >= 0 else f"was ended by signal {-status}"
        of = f" of player {unum}" if unum else ""
        return f"'{command}'{of} {end}; see {self._output(side, unum)}"

    def _output(self, side: str, unum: int) -> Path:
        """File for the output of a command."""
        return self._directory / side / (f"{unum}.log" if unum else "team.log")

    def _has_gone(self, side: str) -> bool:
        record = self._server.record
        since = record.sides[side].empty_since
        if since is None or record.play_mode == GAME_OVER:
            return False
        return record.time - since >= self._settings.game.forfeit_after or not self._processes.alive(f"{side}/")

    def _stands_still(self) -> bool:
        server, now = self._server, awake_time()
        if server.record.time > self._last_time:
            self._last_time, self._moved_at = server.record.time, now
            self._memory[1] = server.memory or self._memory[1]
        return now - self._moved_at > self._settings.game.stall_limit

    def _result(self, end: _End) -> MatchResult:
        settings, commands, record = self._settings, self._commands, self._server.record
        # The engine that the server has chosen, where the settings leave it open.
        engine = self._server.ports.get("engine", settings.game.engine)
        return MatchResult(
            outcome=end.outcome,
            reason=end.reason,
            sides={
                side: side_result(side, settings, commands[side], record, self._crashes[side], end.forfeits)
                for side in SIDES
            },
            record=record,
            wall=self._wall,
            settings=asdict(settings),
            memory=self._memory,
            robot_types=self._server.robot_types,
            versions=versions(engine),
        )


def _server_arguments(
    settings: MatchSettings, commands: Mapping[str, TeamCommand], directory: Path, continued: Path | None
) -> list[str]:
    game = settings.game
    world: dict[str, object] = {
        "engine": game.engine,
        "preset": game.preset,
        "profile": game.profile,
        "world": game.world,
        "seed": game.seed,
        "random-types": game.random_types,
        "random-type-count": game.random_type_count,
        "wait-for-robots": settings.players,
        "left-team": commands["left"].name,
        "right-team": commands["right"].name,
        "rules": game.rules,
    }
    options: dict[str, object] = {
        **({"continue": continued} if continued else world),
        "league": game.league,
        "agent-port": 0,
        "classic-port": 0,
        "monitor-port": 0,
        "pacing": game.pacing,
        "speed": game.speed,
        "log": directory / "match.log.gz",
        "log-interval": game.log_interval,
        "hash-log": directory / "hashes.txt" if game.hash_log else "",
        "record": directory / RECORD_FILE if game.record else "",
        "max-log": game.max_log,
        "child-memory": game.child_memory,
        "end-with-game": AFTER_GAME,
        "trainer": settings.trainer,
        "viewer": "" if settings.viewer is None else settings.viewer,
    }
    changes = () if continued else game.all_changes
    given = [f"--{name}={value}" for name, value in options.items() if value != ""]
    without = () if game.ros else ("--headless", "--no-ros")
    return [*without, *given, *(f"--set={change}" for change in changes)]
