"""`simspark stress`: attacks a server of the league's protocols and reports what did harm."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import json
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspark_ros.commands.arguments import add_options, chosen, port
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.schema import ConfigurationError
from simspark_stress.settings import FuzzSettings, StressSettings

if TYPE_CHECKING:
    from simspark_stress.fuzz.session import Door
    from simspark_stress.hostile_client import Attack

CLEAN, HARMED = 0, 1
"""Exit statuses: no attack did harm; an attack did harm. Wrong arguments or a missing server give 2."""

OPTIONS = ("seed", "team", "league", "robot", "cycle", "max_gap", "silent_patience", "recovery")
"""Names of the settings that are options of the command."""

_FAST_SWITCHES = 5e-4
"""Time between two switches of threads, s. It is short, so that an attacker does not delay the good client."""


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("host", nargs="?", help="host of the server")
    parser.add_argument("port", nargs="?", type=port, help="port of the server for agents")
    parser.add_argument(
        "--monitor-port", type=port, metavar="PORT", help="also attack this port of the server for monitors"
    )
    parser.add_argument("--allow-remote", action="store_true", help="attack a server on another machine")
    parser.add_argument("--list", action="store_true", help="list all attacks and end")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="run only the attacks with this name, in which * and ? are wildcards; may be given several times [all]",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the report as JSON")
    parser.add_argument("--restart", metavar="COMMAND", help="shell command that starts a dead or stuck server again")
    add_options(parser, StressSettings, OPTIONS)
    drawn = parser.add_argument_group(
        "cases drawn at random, played on servers that this command starts (give no HOST and PORT)"
    )
    add_options(drawn, FuzzSettings)
    drawn.add_argument("--doors", metavar="NAMES", help="attack only these doors, separated by commas [all]")
    drawn.add_argument(
        "--server", default="", metavar="OPTIONS", help="more options of the servers, all in one quoted word"
    )
    drawn.add_argument(
        "--findings", type=Path, metavar="DIR", help="shrink the cases that did harm, and keep them in this folder"
    )
    drawn.add_argument(
        "--replay", type=Path, nargs="+", metavar="FILE", help="play kept cases again instead of drawing new ones"
    )


def run(options: argparse.Namespace) -> int:
    """Attack the server; returns the exit status.

    Raises:
        UserError: the arguments do not fit together, no server answers, or the report cannot be written.
    """
    if options.minutes is not None or options.replay:
        return _search(options)
    from simspark_stress.attacks import ATTACKS, ATTACKS_2026
    from simspark_stress.report import HEADINGS, as_json, families, is_clean, row, summary
    from simspark_stress.runner import StressRun

    known = ATTACKS_2026 if options.league == "2026" else ATTACKS
    if options.list:
        for attack in known:
            print(f"{attack.name:<26} {attack.text}")
        return CLEAN
    attacks = _chosen(known, options.only or [], options.monitor_port is not None)
    settings = _settings(options)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_fast_switches())
        restart = stack.enter_context(contextlib.closing(_Command(options.restart))) if options.restart else None
        stress = stack.enter_context(
            contextlib.closing(StressRun(settings, restart, lambda result: print(row(result), flush=True)))
        )
        pacing = "lock-step" if stress.lockstep else "real time"
        print(f"{options.host}:{options.port}, {pacing}, {len(attacks)} attacks, seed {settings.seed}\n\n{HEADINGS}")
        results = stress.run(attacks)
    print(f"\n{families(results)}\n" if options.league == "2026" else "")
    print(summary(results))
    about = {"server": f"{options.host}:{options.port}", "pacing": pacing, "seed": settings.seed}
    _write_json(options.json, as_json(results, **about))
    return CLEAN if is_clean(results) else HARMED


def _search(options: argparse.Namespace) -> int:
    """Play drawn or kept cases on servers that this command starts; returns the exit status."""
    from simspark_stress.fuzz.campaign import Campaign
    from simspark_stress.fuzz.doors.newer_league import NEWER_SERVER, newer_doors

    if options.host is not None:
        raise ConfigurationError("--minutes and --replay start servers of their own: leave out HOST and PORT")
    newer = options.league == "2026"
    known = {door.name: door for door in (newer_doors(options.robot or FuzzSettings.robot) if newer else all_doors())}
    names = list(known) if options.doors is None else options.doors.split(",")
    if unknown := [name for name in names if name not in known]:
        raise ConfigurationError(f"there is no door '{unknown[0]}'; --doors knows {', '.join(known)}")
    given = chosen(
        options, FuzzSettings, ("seed", "team", "league", "robot", "cycle", "max_gap", "recovery", "minutes", "workers")
    )
    try:
        given["server"] = tuple(shlex.split(options.server))
    except ValueError as error:
        raise ConfigurationError(f"--server: {error}") from None
    if newer:
        given["server"] = (*NEWER_SERVER, *given["server"])
    if not options.replay and not {"ros", "files", "bridge"} & set(names):
        given["server"] = ("--no-ros", *given["server"])
    with tempfile.TemporaryDirectory(prefix="simspark-stress-") as work, _fast_switches():
        settings = FuzzSettings(**given)
        if options.replay:
            return _replay(options.replay, known, settings, Path(work))
        campaign = Campaign(
            settings, [known[name] for name in names], Path(work), options.findings, partial(print, flush=True)
        )
        # The report also covers a campaign that Ctrl-C cut short.
        with contextlib.suppress(KeyboardInterrupt):
            campaign.run()
    print(campaign.report.table())
    _write_json(options.json, campaign.report.as_json())
    return HARMED if campaign.report.findings else CLEAN


def _replay(paths: Sequence[Path], known: dict[str, Door], settings: FuzzSettings, work: Path) -> int:
    from simspark_stress.fuzz.case import read_finding
    from simspark_stress.fuzz.replay import replayed

    status = CLEAN
    for number, path in enumerate(paths):
        faults = replayed(read_finding(path), known, settings, work / str(number))
        print(f"{path}: {'; '.join(map(str, faults)) or 'clean'}", flush=True)
        status = HARMED if faults else status
    return status


def all_doors() -> list[Door]:
    """Return all doors that can be attacked with the packages installed on this machine."""
    from simspark_stress.fuzz.doors.classic import AGENTS, MONITORS
    from simspark_stress.fuzz.doors.game_controller import GAME_CONTROLLER
    from simspark_stress.fuzz.doors.lola import LOLA
    from simspark_stress.fuzz.doors.proxies import PROXIES, PROXY
    from simspark_stress.fuzz.doors.viewer import VIEWER
    from simspark_stress.fuzz.doors.worlds import WORLDS

    doors = [AGENTS, MONITORS, LOLA, GAME_CONTROLLER, PROXIES, PROXY, WORLDS]
    if find_spec("viser"):
        doors.append(VIEWER)
    if find_spec("rclpy"):
        from simspark_stress.ros.door import ros_doors

        doors += ros_doors()
    return doors


def _write_json(path: Path | None, report: dict[str, Any]) -> None:
    if path is None:
        return
    try:
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def _fast_switches() -> Iterator[None]:
    """Switch between threads so often that attackers in this process do not delay the good client."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_FAST_SWITCHES)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def _chosen(known: Sequence[Attack], patterns: Sequence[str], monitors: bool) -> list[Attack]:
    for pattern in patterns:
        matching = [attack for attack in known if fnmatch.fnmatchcase(attack.name, pattern)]
        if not matching:
            raise ConfigurationError(f"no attack is named '{pattern}'; --list shows all names")
        if not monitors and all(attack.monitor for attack in matching):
            raise ConfigurationError(f"'{pattern}' attacks the port of monitors: add --monitor-port PORT")
    named = [a for a in known if not patterns or any(fnmatch.fnmatchcase(a.name, p) for p in patterns)]
    return [attack for attack in named if monitors or not attack.monitor]


def _settings(options: argparse.Namespace) -> StressSettings:
    from simspark_stress.target import target_address

    if options.host is None or options.port is None:
        raise ConfigurationError("HOST and PORT of the server are missing, e.g. simspark stress 127.0.0.1 3100")
    host = target_address(options.host, options.allow_remote)
    monitors = None if options.monitor_port is None else (host, options.monitor_port)
    return StressSettings((host, options.port), monitors, **chosen(options, StressSettings, OPTIONS))


class _Command:
    """A shell command that starts the server. Its processes are killed before the next run and on closing."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def __call__(self) -> None:
        self.close()
        self._process = subprocess.Popen(self._command, shell=True, start_new_session=True, stdout=subprocess.DEVNULL)

    def close(self) -> None:
        """End the processes that the command left running."""
        from simspark_ros.clients.processes import signal_group

        if self._process is not None:
            signal_group(self._process, signal.SIGKILL)
            self._process.wait()
