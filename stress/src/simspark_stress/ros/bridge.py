"""The door of a bridge in a process of its own: the bridge's ports and topics."""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from simspark_ros.msg import BridgeMessage
from simspark_ros.ros.bridge.fast_subscriber import COMMANDS_TOPIC, PERCEPTS_TOPIC, QOS, FastSubscriber
from simspark_ros.server.remote.codec import CommandsMessage, Message, PerceptsMessage, decode, encode, identity_of
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.agents import draw_agents
from simspark_stress.fuzz.doors.monitors import draw_monitors
from simspark_stress.fuzz.doors.proxies import draw_commands
from simspark_stress.fuzz.doors.sockets import SocketDoor
from simspark_stress.fuzz.grammar import PAUSES, damaged_bytes, woven
from simspark_stress.fuzz.server import Server
from simspark_stress.fuzz.session import Door
from simspark_stress.hostile_client import HostileClient, framed

BRIDGE = "attacked"
"""Name of the attacked bridge."""

SESSION = 0x5E55_1055_5E55_1055
"""Placeholder for the simulator's session in drawn messages; the session differs at each start and is no secret."""

_FOREIGN_SESSIONS = (0, 1, -1, 7, 2**62)

_NAMES = (BRIDGE, "forged", "forged", "other", "a/b", "", "x" * 300, "\u20ac\n")

_SECRETS = ("secret", "another", "")


class BridgeDoor(SocketDoor):
    """A bridge beside the server.

    Verbs: `commands TEXT` sends a message to the simulator in the name of a bridge, `percepts TEXT` one to the bridge
    in the name of a simulator; further those of `SocketDoor`, with clients named `agent N` and `monitor N`.
    """

    def __init__(self, server: Server) -> None:
        parameters = ("agent_port:=0", "monitor_port:=0", f"bridge_name:={BRIDGE}")
        words = [sys.executable, "-m", "simspark_ros.ros.bridge.node", "--ros-args"]
        words += [word for parameter in parameters for word in ("-p", parameter)]
        ready = server.start("bridge", words, r"agent port (\d+), monitor port (\d+)")
        host = str(server.ports["host"])
        agents, self._monitors = (host, int(ready[1])), (host, int(ready[2]))
        server.agents["bridge"] = agents
        super().__init__(agents)
        self._session = b""
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(f"stress_bridge_{id(self)}", context=self._context)
        self._forger = FastSubscriber(self._node, "forger", COMMANDS_TOPIC, PERCEPTS_TOPIC, self._listen)
        self._percepts = self._node.create_publisher(BridgeMessage, PERCEPTS_TOPIC, QOS)

    def connect(self, who: Any) -> HostileClient:
        """Connect a client to the port that its name begins with."""
        return HostileClient(self._monitors) if str(who).startswith("monitor") else super().connect(who)

    def publish(self, verb: str, text: str) -> None:
        """Publish a message for the verb `commands` or `percepts`."""
        data = text.encode("latin-1", "replace").replace(SESSION.to_bytes(8, "little"), self._session)
        if verb == "commands":
            self._forger.send(data)
        else:
            self._percepts.publish(BridgeMessage(data=array("B", data)))

    def fault(self) -> str:
        """Return the fault of the ports; empty if both serve a new client."""
        return super().fault() or SocketDoor(self._monitors, framed("(reqfullstate)")).fault()

    def close(self) -> None:
        """Remove the node from the domain."""
        self._forger.close()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def _listen(self, data: bytes) -> None:
        if not self._session:
            self._session = decode(data, PerceptsMessage).session.to_bytes(8, "little")

    def _play(self, clients: dict[Any, HostileClient], verb: str, arguments: list[Any]) -> None:
        if verb in ("commands", "percepts"):
            self.publish(verb, *arguments)
        else:
            super()._play(clients, verb, arguments)


def draw_bridge(source: random.Random, quiet: bool) -> list[Step]:
    """Draw agents and monitors at the ports, and forged messages on the topics; no case is quiet."""
    threads = [
        lambda: _named(draw_agents(source, quiet), "agent"),
        lambda: _named(draw_monitors(source, quiet), "monitor"),
        lambda: _forged(source, "commands"),
        lambda: _forged(source, "percepts"),
    ]
    drawn: list[Callable[[], list[Step]]] = source.choices(threads, (3, 2, 3, 2), k=source.choice((1, 1, 2)))
    return woven(source, [draw() for draw in drawn])


def _named(steps: list[Step], kind: str) -> list[Step]:
    return [step if step[0] == "wait" else [step[0], f"{kind} {step[1]}", *step[2:]] for step in steps]


def _forged(source: random.Random, verb: str) -> list[Step]:
    steps: list[Step] = []
    for _ in range(source.randint(1, 5)):
        message = _commands(source) if verb == "commands" else _percepts(source)
        data = encode(message)
        if source.random() < 0.3:
            data = damaged_bytes(data, source)
        steps.append([verb, data.decode("latin-1")])
        if source.random() < 0.3:
            steps.append(["wait", source.choice(PAUSES)])
    return steps


def _commands(source: random.Random) -> Message:
    """Draw commands that forgers send in the name of their own bridges, or of the bridge, whose secret they lack."""
    drawn = draw_commands(source, False, source.choice(_NAMES))
    return CommandsMessage(
        drawn.commands,
        received=drawn.received,
        name=drawn.name,
        session=SESSION if source.random() < 0.7 else source.choice(_FOREIGN_SESSIONS),
        needs_layout=source.random() < 0.3,
        identity=identity_of(source.choice(_SECRETS)) if source.random() < 0.9 else "x" * source.choice((0, 1, 9000)),
        farewell=source.choice(_SECRETS) if source.random() < 0.1 else "",
    )


def _percepts(source: random.Random) -> Message:
    """Draw percepts of another simulator. The right session is not forged, since only DDS security prevents that."""
    sizes = (0, 1, 40, 3000)
    return PerceptsMessage(
        cycle=source.choice((0, 1, 2, 10**6, 2**62, -1)),
        waits=source.random() < 0.5,
        percepts=source.randbytes(source.choice(sizes)),
        layout=source.randbytes(source.choice(sizes)),
        session=source.choice(_FOREIGN_SESSIONS),
        welcomes={source.choice(_NAMES): source.choice((0, 1, 2, 2**62, -1)) for _ in range(source.choice((0, 1, 3)))},
    )


BRIDGE_DOOR = Door(
    "bridge", draw_bridge, BridgeDoor, ("--headless", "--ros-args", "-p", "bridge:=true", "--"), quiet=False
)
