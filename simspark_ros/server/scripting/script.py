"""A Python file of the operator that takes part in a run: `serve --script FILE`, see docs/how_to/scripting.md."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import UserError
from simspark_ros.server.scripting.operator import Operator
from simspark_ros.simulation.logs.event_log import EventLog
from simspark_ros.simulation.loop import ControlNode, Simulation

FUNCTIONS = ("on_start", "on_cycle", "on_event", "on_end")
"""Functions that a script may define. All get an `Operator`; `on_event` gets the event as well."""


class ScriptError(UserError):
    """A script cannot be used; the message names file, line and problem."""


class Script(ControlNode):
    """Calls the functions of a script. One that fails is reported and not called again; the run goes on.

    Args:
        path: path of the file.
        warn: function that takes lines for people.

    Raises:
        ScriptError: the file cannot be read or run, or defines none of `FUNCTIONS`.
    """

    def __init__(self, path: Path, warn: Callable[[str], object]) -> None:
        self._path = path
        self._warn = warn
        self._functions = _functions(path)
        self._operator: Operator | None = None
        self._events: list[dict[str, Any]] = []

    def attach(self, simulation: Simulation, begins: bool = True) -> None:
        """Take part in a simulation, before its loop starts; if it `begins`, `on_start` is called at once."""
        self._operator = Operator(simulation)
        simulation.add_node(self)
        if "on_event" in self._functions:
            simulation.add_node(EventLog(self))
        if begins:
            self._call("on_start")

    def act_agent(self, simulation: Simulation) -> None:
        """Call `on_event` with each event since the last cycle, and `on_cycle`, after clients' commands."""
        events, self._events = self._events, []
        # The record enters the script's earlier actions.
        if simulation.is_past:
            return
        for event in events:
            self._call("on_event", event)
        self._call("on_cycle")

    def done(self, simulation: Simulation) -> None:
        """Call `on_end`."""
        self._call("on_end")

    def write(self, data: bytes) -> None:
        """Take a line of the event log."""
        self._events.append(json.loads(data))

    def close(self) -> None:
        """Nothing: the event log is no file."""

    def _call(self, name: str, *arguments: Any) -> None:
        function = self._functions.get(name)
        if function is None:
            return
        try:
            function(self._operator, *arguments)
        # `sys.exit()` in a script is no reason to end a match.
        except (Exception, SystemExit) as error:
            del self._functions[name]
            self._warn(f"{self._path}: {_where(error, self._path)}{name} will not be called again: {error!r:.200}")


def _functions(path: Path) -> dict[str, Callable[..., Any]]:
    try:
        code = compile(path.read_bytes(), str(path), "exec")
        names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
        exec(code, names)
    except OSError as error:
        raise ScriptError(f"--script {path}: cannot be read: {error.strerror}") from None
    except SyntaxError as error:
        raise ScriptError(f"--script {path}: line {error.lineno}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        raise ScriptError(f"--script {path}: {_where(error, path)}{error!r:.200}") from None
    functions = {name: names[name] for name in FUNCTIONS if callable(names.get(name))}
    if not functions:
        raise ScriptError(f"--script {path}: defines none of the functions {', '.join(FUNCTIONS)}")
    return functions


def _where(error: BaseException, path: Path) -> str:
    """The last line of the script that an error has passed."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"line {lines[-1]}: " if lines else ""
