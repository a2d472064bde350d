"""A stub simulator at one end of an agent link, clients at the other, and a bridge in between."""

import threading
from collections.abc import Callable
from typing import Any

from simspark_ros.exchange import Commands
from simspark_ros.ros.bridge.client import BridgeClient
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.server.tcp.client_log import LOG
from simspark_ros.simulation.agent_control import AgentLink
from test.rigs.ros_nodes import RosNodes
from test.rigs.stub_world import ServerRig
from test.rigs.waiting import until

SETTINGS = ClassicServerSettings(AgentServerSettings(port=0), MonitorServerSettings(port=0))
SCENE = "(scene rsg/agent/nao/nao.rsg)"


class BridgeThread:
    """A bridge as in its own process: it serves while the simulator does something else."""

    def __init__(self, room: RosNodes, name: str = "b1", log: Any = LOG) -> None:
        self.name = name
        self.core = ClassicServer(SETTINGS, log=log)
        self.client = BridgeClient(room.node(f"bridge_{name}"), self.core, name)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.is_set():
            self.client.step(0.05)

    def close(self) -> None:
        if not self._end.is_set():
            self._end.set()
            self.client.wake()
            self._thread.join()
            self.client.close()


class Rig(ServerRig):
    """A stub simulator at one end of an agent link, clients at the other."""

    def __init__(self, link: AgentLink, core: ClassicServer, world: Any, connect_to: Any) -> None:
        self.link, self.core, self.world = link, core, world
        self.link.lockstep = True
        super().__init__(core.agents, self.wait)
        self._connect_to = connect_to

    def wait(self) -> None:
        self.link.wait(0.005)

    def connect(self, receive_buffer: int = 0) -> Any:
        return self._connect_to(self.core.agents.port, self.wait, receive_buffer)

    def cycle(self) -> Commands:
        """One cycle, whether or not all are ready."""
        commands = self.link.take()
        self.world.apply(commands)
        self.link.deliver(self.world.percepts(commands.wants_poses))
        return commands

    def lockstep(self) -> Commands:
        """One cycle after all have answered."""
        until(lambda: self.link.ready, self.wait)
        return self.cycle()

    def cycles_until(self, condition: Callable[[], object]) -> None:
        until(condition, self._cycle_if_ready)

    def _cycle_if_ready(self) -> None:
        self.wait()
        if self.link.ready:
            self.cycle()

    def join(self, client: Any, number: int, *others: Any) -> None:
        """Make a client a player that has not answered its first percept yet; the others answer theirs."""
        before = len(self.world.robots)
        self.tell(client, SCENE, f"(init (unum {number})(teamname A))(syn)")
        for other in others:
            other.send("(syn)")
        self.cycles_until(lambda: len(self.world.robots) > before and self.world.robots[-1].unum)
        until(lambda: self.link.participants == before + 1, self.wait)

    def latest(self, client: Any) -> bytes:
        """The last message that a client was sent."""
        messages: list[bytes] = []

        def look() -> None:
            self.wait()
            messages.extend(client.arrived())

        until(lambda: messages, look)
        return messages[-1]

    def answer(self, client: Any, text: str = "") -> bytes:
        """Answer a percept, and return the next one."""
        client.send(f"{text}(syn)")
        self.lockstep()
        return self.latest(client)
