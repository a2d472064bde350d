"""The doors of a server that need only sockets: agents and monitors."""

from simspark_stress.fuzz.doors.agents import draw_agents
from simspark_stress.fuzz.doors.monitors import ALL_PLAYERS, draw_monitors
from simspark_stress.fuzz.doors.sockets import SocketDoor
from simspark_stress.fuzz.server import Server
from simspark_stress.fuzz.session import FOLDER, Door
from simspark_stress.hostile_client import framed


def _open_monitors(server: Server) -> SocketDoor:
    return SocketDoor(server.address("monitor_port"), framed("(reqfullstate)"))


AGENTS = Door("agents", draw_agents, lambda server: SocketDoor(server.address("agent_port")))
MONITORS = Door("monitors", draw_monitors, _open_monitors, (f"--saved-worlds={FOLDER}/worlds",), heaviest=ALL_PLAYERS)
