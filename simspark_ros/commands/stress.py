"""`simspark stress`: options, addresses, restarting, exit status."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import ipaddress
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from simspark_ros.clients.stress.attacks import ATTACKS
from simspark_ros.clients.stress.hostile_client import Attack
from simspark_ros.clients.stress.probe import NoServerError
from simspark_ros.clients.stress.report import HEADINGS, as_json, is_clean, row, summary
from simspark_ros.clients.stress.runner import StressRun, StressSettings

CLEAN, HARMED, UNUSABLE = 0, 1, 2
"""Exit statuses: no attack did harm; one did; wrong arguments or no server."""

_FAST_SWITCHES = 5e-4
"""Seconds between two switches of threads, so that an attacker does not hold up the good client."""


class UsageError(Exception):
    """The arguments make no run; the message names culprit and remedy."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("host", nargs="?", help="of the server")
    parser.add_argument("port", nargs="?", type=int, help="of agents")
    parser.add_argument("--monitor-port", type=int, metavar="PORT", help="attack the port of monitors, too")
    parser.add_argument("--allow-remote", action="store_true", help="attack a server on another machine")
    parser.add_argument("--list", action="store_true", help="list all attacks and end")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="run this attack only; repeatable, may contain * and ?"
    )
    parser.add_argument("--seed", type=int, default=1, help="of everything random [1]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report for programs, too")
    parser.add_argument("--restart", metavar="COMMAND", help="shell command that brings a dead or stuck server back")
    parser.add_argument("--team", default="Watcher", help="of the good client; attackers take another [Watcher]")
    parser.add_argument("--cycle", type=float, default=0.02, help="simulated s between two messages [0.02]")
    parser.add_argument("--max-gap", type=float, default=1.0, help="wait of the good client that is no harm, s [1]")
    parser.add_argument(
        "--silent-patience", type=float, default=15.0, help="likewise for a silent player in lock-step, s [15]"
    )
    parser.add_argument(
        "--recovery",
        type=float,
        default=10.0,
        help="how long the good client may take to be well after an attack, s [10]",
    )


def stress(options: argparse.Namespace) -> int:
    """Run the suite; returns the exit status."""
    if options.list:
        for attack in ATTACKS:
            print(f"{attack.name:<20} {attack.text}")
        return CLEAN
    try:
        attacks = _chosen(options.only or [], options.monitor_port is not None)
        settings = _settings(options)
    except UsageError as error:
        print(f"simspark stress: {error}", file=sys.stderr)
        return UNUSABLE
    with contextlib.ExitStack() as stack:
        interval = sys.getswitchinterval()
        sys.setswitchinterval(_FAST_SWITCHES)
        stack.callback(sys.setswitchinterval, interval)
        restart = stack.enter_context(contextlib.closing(_Command(options.restart))) if options.restart else None
        try:
            run = stack.enter_context(
                contextlib.closing(StressRun(settings, restart, lambda result: print(row(result), flush=True)))
            )
        except NoServerError as error:
            print(f"simspark stress: {error}; is the server running?", file=sys.stderr)
            return UNUSABLE
        pacing = "lock-step" if run.lockstep else "real time"
        print(f"{options.host}:{options.port}, {pacing}, {len(attacks)} attacks, seed {options.seed}\n\n{HEADINGS}")
        results = run.run(attacks)
    print(f"\n{summary(results)}")
    if options.json:
        about = {"server": f"{options.host}:{options.port}", "pacing": pacing, "seed": options.seed}
        try:
            options.json.write_text(json.dumps(as_json(results, **about), indent=2) + "\n", encoding="ascii")
        except OSError as error:
            print(f"simspark stress: {options.json} cannot be written: {error.strerror}", file=sys.stderr)
            return UNUSABLE
    return CLEAN if is_clean(results) else HARMED


def _chosen(patterns: Sequence[str], monitors: bool) -> list[Attack]:
    for pattern in patterns:
        matching = [attack for attack in ATTACKS if fnmatch.fnmatchcase(attack.name, pattern)]
        if not matching:
            raise UsageError(f"no attack is named '{pattern}'; --list shows all names")
        if not monitors and all(attack.monitor for attack in matching):
            raise UsageError(f"'{pattern}' attacks the port of monitors: add --monitor-port PORT")
    named = [a for a in ATTACKS if not patterns or any(fnmatch.fnmatchcase(a.name, p) for p in patterns)]
    return [attack for attack in named if monitors or not attack.monitor]


def _settings(options: argparse.Namespace) -> StressSettings:
    if options.host is None or options.port is None:
        raise UsageError("HOST and PORT of the server are missing, e.g. simspark stress 127.0.0.1 3100")
    host = _address(options.host, options.allow_remote)
    for port in (options.port, options.monitor_port):
        if port is not None and not 0 < port <= 65535:
            raise UsageError(f"{port} is not a port: 1 to 65535")
    if not (options.cycle > 0 and options.max_gap > 0 and options.silent_patience > 0 and options.recovery > 0):
        raise UsageError("--cycle, --max-gap, --silent-patience and --recovery have to be positive")
    return StressSettings(
        (host, options.port),
        (host, options.monitor_port) if options.monitor_port is not None else None,
        seed=options.seed,
        team=options.team,
        cycle=options.cycle,
        max_gap=options.max_gap,
        silent_patience=options.silent_patience,
        recovery=options.recovery,
    )


def _address(host: str, allow_remote: bool) -> str:
    """The IP address of a host; every later connection goes to it and not to the name, which may change its meaning."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"there is no host '{host}': {error}") from None
    addresses = [str(entry[4][0]) for entry in found]
    local = [address for address in addresses if ipaddress.ip_address(address.partition("%")[0]).is_loopback]
    if local:
        return local[0]
    if not allow_remote:
        raise UsageError(
            f"{host} ({addresses[0]}) is not this machine, and these attacks may stop a server and burden a network; "
            "if it is yours and you mean it, add --allow-remote"
        )
    return addresses[0]


class _Command:
    """A shell command that starts the server; what is left of its last run is ended before the next and at the end."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def __call__(self) -> None:
        self.close()
        self._process = subprocess.Popen(self._command, shell=True, start_new_session=True, stdout=subprocess.DEVNULL)

    def close(self) -> None:
        """End what the command left running."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None
