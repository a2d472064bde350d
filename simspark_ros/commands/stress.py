"""`simspark stress`: attacks a server of the classic protocol and reports what did harm."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_ros.clients.stress.settings import StressSettings
from simspark_ros.commands.arguments import SubParsers, add_options, chosen, port
from simspark_ros.configuration.schema import ConfigurationError

if TYPE_CHECKING:
    from simspark_ros.clients.stress.hostile_client import Attack

CLEAN, HARMED = 0, 1
"""Exit statuses beside 2, wrong arguments or no server: no attack did harm; one did."""

OPTIONS = ("seed", "team", "cycle", "max_gap", "silent_patience", "recovery")
"""Settings that are options."""

_FAST_SWITCHES = 5e-4
"""Seconds between two switches of threads, short so that an attacker does not delay the good client."""


def register(commands: SubParsers) -> None:
    """Add the command."""
    parser = commands.add_parser("stress", help="attack a server of the classic protocol and report what did harm")
    parser.set_defaults(run=run)
    parser.add_argument("host", nargs="?", help="host of the server")
    parser.add_argument("port", nargs="?", type=port, help="port of the server for agents")
    parser.add_argument("--monitor-port", type=port, metavar="PORT", help="attack the port of monitors, too")
    parser.add_argument("--allow-remote", action="store_true", help="attack a server on another machine")
    parser.add_argument("--list", action="store_true", help="list all attacks and end")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="run this attack only; repeatable, may contain * and ?"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report for programs, too")
    parser.add_argument("--restart", metavar="COMMAND", help="shell command that brings a dead or stuck server back")
    add_options(parser, StressSettings, OPTIONS)


def run(options: argparse.Namespace) -> int:
    """Attack; returns the exit status.

    Raises:
        UserError: the arguments make no run, there is no server, or the report cannot be written.
    """
    from simspark_ros.clients.stress.attacks import ATTACKS
    from simspark_ros.clients.stress.report import HEADINGS, as_json, is_clean, row, summary
    from simspark_ros.clients.stress.runner import StressRun

    if options.list:
        for attack in ATTACKS:
            print(f"{attack.name:<20} {attack.text}")
        return CLEAN
    attacks = _chosen(ATTACKS, options.only or [], options.monitor_port is not None)
    settings = _settings(options)
    with contextlib.ExitStack() as stack:
        interval = sys.getswitchinterval()
        sys.setswitchinterval(_FAST_SWITCHES)
        stack.callback(sys.setswitchinterval, interval)
        restart = stack.enter_context(contextlib.closing(_Command(options.restart))) if options.restart else None
        stress = stack.enter_context(
            contextlib.closing(StressRun(settings, restart, lambda result: print(row(result), flush=True)))
        )
        pacing = "lock-step" if stress.lockstep else "real time"
        print(f"{options.host}:{options.port}, {pacing}, {len(attacks)} attacks, seed {settings.seed}\n\n{HEADINGS}")
        results = stress.run(attacks)
    print(f"\n{summary(results)}")
    if options.json:
        about = {"server": f"{options.host}:{options.port}", "pacing": pacing, "seed": settings.seed}
        try:
            options.json.write_text(json.dumps(as_json(results, **about), indent=2) + "\n", encoding="ascii")
        except OSError as error:
            raise ConfigurationError(f"{options.json} cannot be written: {error.strerror}") from None
    return CLEAN if is_clean(results) else HARMED


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
    from simspark_ros.clients.stress.target import target_address

    if options.host is None or options.port is None:
        raise ConfigurationError("HOST and PORT of the server are missing, e.g. simspark stress 127.0.0.1 3100")
    host = target_address(options.host, options.allow_remote)
    monitors = None if options.monitor_port is None else (host, options.monitor_port)
    return StressSettings((host, options.port), monitors, **chosen(options, StressSettings, OPTIONS))


class _Command:
    """A shell command that starts the server; processes of its last run are ended before the next, and at the end."""

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
