"""Cases: hostile input as data, which can be drawn, played, kept in a file and shrunk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simspark_ros.configuration.schema import ConfigurationError

Step = list[Any]
"""A verb of the door and its arguments, all JSON values. Bytes are written as Latin-1 text."""


@dataclass(frozen=True)
class Case:
    """Steps to play in order at one door of a server."""

    door: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Finding:
    """Cases that do harm.

    Attributes:
        fault: description of the fault.
        server: options of the server, besides the options that its doors need.
        cases: the cases that caused the fault.
        quiet: whether the cases must not change the state hash of a match.
        reproduced: whether the cases did harm again on a fresh server.
    """

    fault: str
    server: tuple[str, ...]
    cases: tuple[Case, ...]
    quiet: bool = False
    reproduced: bool = True

    @property
    def doors(self) -> list[str]:
        """Names of the doors at which the cases play."""
        return sorted({case.door for case in self.cases})


def write_finding(finding: Finding, path: Path) -> None:
    """Write a finding to a JSON file, one step per line.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    about = {key: value for key, value in vars(finding).items() if key != "cases"}
    head = json.dumps(about, indent=1)[:-2]
    cases = ",\n".join(
        f'  {{"door": {json.dumps(case.door)}, "steps": [\n   ' + ",\n   ".join(map(json.dumps, case.steps)) + "]}"
        for case in finding.cases
    )
    try:
        path.write_text(f'{head},\n "cases": [\n{cases}]\n}}\n', encoding="ascii")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None


def read_finding(path: Path) -> Finding:
    """Read a finding.

    Raises:
        ConfigurationError: the file cannot be read or was not written by `write_finding`.
    """
    try:
        values = json.loads(path.read_text(encoding="ascii"))
        cases = tuple(Case(case["door"], tuple(case["steps"])) for case in values.pop("cases"))
        return Finding(**{**values, "server": tuple(values["server"]), "cases": cases})
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} does not contain a finding of `simspark stress`: {error}") from None
