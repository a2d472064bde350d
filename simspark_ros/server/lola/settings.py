"""Settings of the sockets of LoLA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from simspark_ros.configuration.schema import Checked, Range, Setting
from simspark_ros.protocol.lola.identity import read_identities


@dataclass(frozen=True)
class LolaOptions(Checked):
    """Part of the settings of servers and of the node `simulator`."""

    lola: Annotated[
        str,
        Setting(
            "directory of the sockets by which drivers of the real Nao command robots such as nao_lola; each socket "
            "has its robot's name; empty = none",
            metavar="DIR",
        ),
    ] = ""
    lola_pressure: Annotated[
        Literal["kilograms", "newtons"], Setting("unit of the foot pressure sensors in LoLA's messages")
    ] = "kilograms"
    lola_bodies: Annotated[
        str,
        Setting(
            "identifications of robots' bodies and heads for LoLA and robot_config, by the robots' names; robots "
            "without an entry get one made from the name",
            metavar="NAME=BODY[/HEAD],...",
        ),
    ] = ""
    max_lola_message: Annotated[
        int, Range(1024, 1024**2, "bytes"), Setting("longest message of a driver; longer ones disconnect the driver")
    ] = 4096
    lola_timeout: Annotated[
        float,
        Range(0.0, 86400.0, "s"),
        Setting("lock-step drops a driver that is silent this long, or delays others by six times this; 0 = never"),
    ] = 10.0

    def __post_init__(self) -> None:
        """Check the identifications as well."""
        super().__post_init__()
        try:
            read_identities(self.lola_bodies)
        except ValueError as error:
            raise ValueError(f"lola_bodies: {error}") from None
