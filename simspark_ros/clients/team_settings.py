"""Settings of the demonstration team, apart from it, so that reading a command line loads nothing heavy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.ports import AGENT_PORT, LOOPBACK
from simspark_ros.configuration.schema import Checked, Range, Setting, TcpPort
from simspark_ros.soccer import TEAM_SIZE

_NAME = re.compile(r"[\w-]{1,32}", re.ASCII)

Players = Annotated[int, Range(1, TEAM_SIZE), Setting("number of players")]


@dataclass(frozen=True)
class Squad(Checked):
    """Name and players of a demonstration team."""

    team: str
    players: Players = TEAM_SIZE
    first_number: Annotated[int, Range(1, TEAM_SIZE), Setting("uniform number of the first player")] = 1

    def __post_init__(self) -> None:
        """Check the team's name and its uniform numbers."""
        super().__post_init__()
        if not _NAME.fullmatch(self.team):
            raise ValueError(f"team name '{self.team}': only letters, digits, '_' and '-', up to 32")
        if self.numbers[-1] > TEAM_SIZE:
            asked = f"first_number {self.first_number} and players {self.players}"
            raise ValueError(f"{asked}: a team has the numbers 1 to {TEAM_SIZE}")

    @property
    def numbers(self) -> range:
        """Uniform numbers of the players."""
        return range(self.first_number, self.first_number + self.players)


@dataclass(frozen=True)
class TeamOptions(Squad):
    """A team that plays over connections."""

    host: Annotated[str, Setting("host of the server", metavar="HOST")] = LOOPBACK
    port: Annotated[TcpPort, Setting("port of the server for agents")] = AGENT_PORT
    wait: Annotated[float, Range(0.0, unit="s"), Setting("longest wait for a server that is still starting")] = 0.0
    robot_types: Annotated[
        str, Setting("types of robots drawn for the match, a text from a server; empty = none", metavar="JSON")
    ] = ""
    tactics: Annotated[
        str, Setting("tactics, a name or a YAML file; empty = tactics for the size of the field", metavar="FILE")
    ] = ""
    robot: Annotated[
        str,
        Setting(
            "body of the players: nao, T1 in the league since 2026, or with profile leagues nao_v6, kidsize or msl"
        ),
    ] = "nao"
    world: Annotated[
        str, Setting("field that is played on: a world's name or file, or a text from a server; empty = soccer")
    ] = ""
