"""The bridge node: lets classic agents and monitors take part in a simulation in another process or machine."""

from __future__ import annotations

import contextlib
import secrets
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from queue import SimpleQueue
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from simspark_ros.configuration.schema import ConfigurationError, declarations
from simspark_ros.ros.bridge.client import BridgeClient
from simspark_ros.ros.diagnostics.status import ClientDiagnostics, diagnostic_status
from simspark_ros.ros.endpoints import create_service
from simspark_ros.ros.lifecycle import (
    ACTIVE,
    FINALIZED,
    INACTIVE,
    LABELS,
    UNCONFIGURED,
    LifecycleServices,
    TransitionRefusedError,
)
from simspark_ros.ros.parameters.declared import declare, warn_of_unknown
from simspark_ros.ros.process import BackgroundExecutor, run_process
from simspark_ros.ros.settings import BridgeParameters
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.server.signals import Signals

_PATIENCE = 30.0
"""Seconds that a transition may wait for the thread that serves the ports."""


class ManagedBridge:
    """See `Managed`. Transitions are requested in the executor's thread, and carried out in the thread of the ports.

    Args:
        open_ports, close_ports: functions that make the bridge active and inactive; they may raise `UserError`.
        wake: function that ends the wait of the ports' thread.

    Attributes:
        state: the bridge's current lifecycle state.
    """

    def __init__(
        self, open_ports: Callable[[], None], close_ports: Callable[[], None], wake: Callable[[], None]
    ) -> None:
        self.state = int(ACTIVE)
        self._wake = wake
        self._transitions: dict[str, tuple[Callable[[], None], int]] = {
            "configure": (lambda: None, INACTIVE),
            "activate": (open_ports, ACTIVE),
            "deactivate": (close_ports, INACTIVE),
            "cleanup": (lambda: None, UNCONFIGURED),
            "shutdown": (close_ports, FINALIZED),
        }
        self._asked: SimpleQueue[tuple[str, Future[None]]] = SimpleQueue()

    async def carry_out(self, label: str) -> None:
        """Request a transition and wait for it; nothing else needs the executor of a bridge meanwhile."""
        done: Future[None] = Future()
        self._asked.put((label, done))
        self._wake()
        try:
            done.result(_PATIENCE)
        except FutureTimeoutError:
            done.cancel()
            raise TransitionRefusedError(f"the ports were not served for {_PATIENCE:g} s") from None

    def work_off(self) -> None:
        """Carry out what was asked for; in the thread of the ports."""
        while not self._asked.empty():
            label, done = self._asked.get()
            if not done.set_running_or_notify_cancel():
                continue
            work, state = self._transitions[label]
            try:
                work()
            except Exception as error:
                done.set_exception(error)
            else:
                self.state = state
                done.set_result(None)


DIAGNOSTICS_INTERVAL = 1.0
"""Seconds between two reports on all clients."""


ANSWER = 0.2
"""Seconds for which the last answer may be on its way; DDS drops it if the node is destroyed earlier."""


class BridgeNode(Node):
    """Owns the ports, their parameters and their diagnostics; takes the options of rclpy's `Node`.

    It is a managed node, active from the start. Its callbacks belong to an executor, everything else to the thread that
    calls `step`.

    Raises:
        ConfigurationError: a parameter cannot be used; the message names it and the remedy.
        PortError: a port cannot be opened; the message names it and the remedy.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("bridge", **options)
        self._client: BridgeClient | None = None
        self._woken = threading.Event()
        try:
            self._values = self._declare_all()
            self._name = self._values.bridge_name or secrets.token_hex(4)
            self._open()
        except BaseException:
            self.destroy_node()
            raise
        self._managed = ManagedBridge(self._open, self._close, self.wake)
        LifecycleServices(self, self._offer, self._managed)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._reported_at = 0.0
        self._client_statuses = ClientDiagnostics(self.get_name())

    @property
    def client(self) -> BridgeClient:
        """Exchanges with the simulator, while the bridge is active."""
        assert self._client is not None
        return self._client

    @property
    def finalized(self) -> bool:
        """Whether it was told to end."""
        return self._managed.state == int(FINALIZED)

    def step(self, timeout: float) -> None:
        """Serve clients and simulator; waits at most `timeout` s for an event."""
        if self._client is not None:
            self._client.step(timeout)
        else:
            self._woken.wait(timeout)
        self._woken.clear()
        self._managed.work_off()
        now = time.monotonic()
        if now - self._reported_at >= DIAGNOSTICS_INTERVAL:
            self._reported_at = now
            self._diagnostics.publish(self._report())

    def wake(self) -> None:
        """End the wait of `step`; safe from any thread and from signal handlers."""
        self._woken.set()
        if (client := self._client) is not None:
            client.wake()

    def close(self) -> None:
        """Inform the simulator, disconnect all clients, and remove the node."""
        self._close()
        self.destroy_node()

    def _open(self) -> None:
        core = ClassicServer(_settings(self._values), log=self.get_logger())
        # The simulator may have other bridges, whose agents wait.
        core.agents.awaited.others_wait = lambda: True
        self._client = BridgeClient(self, core, self._name)
        ports = f"agent port {core.agents.port}, monitor port {core.monitors.port if core.monitors else 'none'}"
        print(ports, flush=True)
        self.get_logger().info(ports)

    def _close(self) -> None:
        """Take the robots of all clients out, and close the ports."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _offer(self, kind: type[Any], name: str, handler: Callable[[Any, Any], Awaitable[None]]) -> None:
        async def serve(request: Any, response: Any) -> Any:
            await handler(request, response)
            return response

        create_service(self, kind, name, serve)

    def _declare_all(self) -> BridgeParameters:
        values = BridgeParameters(**declare(self, declarations(BridgeParameters)))
        name = values.bridge_name
        if "/" in name or len(name) > 64 or not name.isprintable():
            raise ConfigurationError("parameter 'bridge_name' must be up to 64 printable characters without a slash")
        warn_of_unknown(self, declarations(BridgeParameters))
        return values

    def _report(self) -> DiagnosticArray:
        clients = self._client.core.clients() if self._client else []
        report = DiagnosticArray(status=[self._status(len(clients)), *self._client_statuses.statuses(clients)])
        report.header.stamp = self.get_clock().now().to_msg()
        return report

    def _status(self, clients: int) -> DiagnosticStatus:
        name = f"{self.get_name()}: simulator"
        if self._client is None:
            return diagnostic_status(name, f"{LABELS[self._managed.state]}: the ports are closed", {}, warn=False)
        connected = self._client.connected
        values = {
            "clients": clients,
            "participants": self._client.core.participants,
            "cycles missed": self._client.missed,
            "messages of the simulator refused": self._client.refused,
        }
        message = "connected" if connected else "no simulator: clients get no percepts"
        return diagnostic_status(name, message, values, warn=not connected)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bridge until SIGINT or SIGTERM; returns the exit status, see `run_process`."""
    signals = Signals()

    def work() -> None:
        with contextlib.closing(BridgeNode()) as node, contextlib.closing(BackgroundExecutor(node)):
            _serve(node, signals)

    return run_process("bridge", arguments, work)


def _serve(node: BridgeNode, signals: Signals) -> None:
    ending = threading.Event()

    def end() -> None:
        ending.set()
        node.wake()

    signals.on_signal(end)
    while not ending.is_set() and not node.finalized:
        node.step(DIAGNOSTICS_INTERVAL)
    if node.finalized:
        ending.wait(ANSWER)
    node.get_logger().info("the bridge ends")


def _settings(values: BridgeParameters) -> ClassicServerSettings:
    bind = "the parameter bind"
    agents = AgentServerSettings.of(values, option="the parameter agent_port", host_option=bind)
    monitors = MonitorServerSettings.of(values, option="the parameter monitor_port", host_option=bind)
    return ClassicServerSettings(agents, monitors if values.monitor_port >= 0 else None, values.profile)


if __name__ == "__main__":
    sys.exit(main())
