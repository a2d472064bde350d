"""Settings of the GameController."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, Setting, TcpPort
from simspark_ros.protocol.game_controller.control import DATA_PORT, RETURN_PORT

_TEAM_NUMBER = Range(1, 254)


@dataclass(frozen=True)
class GameControllerOptions(Checked):
    """Part of the settings of servers and of the node `simulator`."""

    game_controller: Annotated[
        Literal["", "spl", "spl15", "humanoid"],
        Setting("league whose GameController messages tell the state of the game; empty = none", metavar="LEAGUE"),
    ] = ""
    game_controller_host: Annotated[
        str, Setting("address that the GameController sends to, e.g. a network's broadcast address", metavar="ADDRESS")
    ] = "127.0.0.1"
    game_controller_port: Annotated[TcpPort, Setting("UDP port that the GameController sends to")] = DATA_PORT
    game_controller_return_port: Annotated[
        TcpPort, Setting("UDP port on which the GameController takes answers of robots; 0 = any free one")
    ] = RETURN_PORT
    left_number: Annotated[int, _TEAM_NUMBER, Setting("the GameController's number of the left team")] = 1
    right_number: Annotated[int, _TEAM_NUMBER, Setting("the GameController's number of the right team")] = 2

    def __post_init__(self) -> None:
        """Check that two teams have two numbers."""
        super().__post_init__()
        if self.left_number == self.right_number:
            raise ConfigurationError(f"left_number and right_number: both are {self.left_number}; choose two numbers")
