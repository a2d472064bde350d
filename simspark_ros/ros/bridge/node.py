"""The bridge node: lets classic agents and monitors take part in a simulation in another process or machine."""

from __future__ import annotations

import contextlib
import secrets
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from simspark_ros.configuration.schema import ConfigurationError, declarations
from simspark_ros.ros.bridge.client import BridgeClient
from simspark_ros.ros.diagnostic_status import ClientDiagnostics, diagnostic_status
from simspark_ros.ros.parameters import declare, warn_of_unknown
from simspark_ros.ros.process import run_process
from simspark_ros.ros.settings import BridgeParameters
from simspark_ros.server.agent_connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.server.signals import Signals

DIAGNOSTICS_INTERVAL = 1.0
"""Seconds between two reports on all clients."""


class BridgeNode(Node):
    """Owns the ports, their parameters and their diagnostics; takes the options of rclpy's `Node`.

    Attributes:
        client: exchanges with the simulator.

    Raises:
        ConfigurationError: a parameter cannot be used; the message names it and the remedy.
        PortError: a port cannot be opened; the message names it and the remedy.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("bridge", **options)
        try:
            values = self._declare_all()
            name = values.bridge_name or secrets.token_hex(4)
            core = ClassicServer(_settings(values), log=self.get_logger())
        except BaseException:
            self.destroy_node()
            raise
        self.client = BridgeClient(self, core, name)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._reported_at = 0.0
        self._client_statuses = ClientDiagnostics(self.get_name())

    def step(self, timeout: float) -> None:
        """Serve clients and simulator; waits at most `timeout` s for an event."""
        self.client.step(timeout)
        now = time.monotonic()
        if now - self._reported_at >= DIAGNOSTICS_INTERVAL:
            self._reported_at = now
            self._diagnostics.publish(self._report())

    def close(self) -> None:
        """Inform the simulator, disconnect all clients, and remove the node."""
        self.client.close()
        self.destroy_node()

    def _declare_all(self) -> BridgeParameters:
        values = BridgeParameters(**declare(self, declarations(BridgeParameters)))
        name = values.bridge_name
        if "/" in name or len(name) > 64 or not name.isprintable():
            raise ConfigurationError("parameter 'bridge_name' must be up to 64 printable characters without a slash")
        warn_of_unknown(self, declarations(BridgeParameters))
        return values

    def _report(self) -> DiagnosticArray:
        clients = self.client.core.clients()
        report = DiagnosticArray(status=[self._status(len(clients)), *self._client_statuses.statuses(clients)])
        report.header.stamp = self.get_clock().now().to_msg()
        return report

    def _status(self, clients: int) -> DiagnosticStatus:
        connected = self.client.connected
        values = {
            "clients": clients,
            "participants": self.client.core.participants,
            "cycles missed": self.client.missed,
            "messages of the simulator refused": self.client.refused,
        }
        message = "connected" if connected else "no simulator: clients get no percepts"
        return diagnostic_status(f"{self.get_name()}: simulator", message, values, warn=not connected)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bridge until SIGINT or SIGTERM; returns the exit status, see `run_process`."""
    signals = Signals()

    def work() -> None:
        with contextlib.closing(BridgeNode()) as node:
            _serve(node, signals)

    return run_process("bridge", arguments, work)


def _serve(node: BridgeNode, signals: Signals) -> None:
    core = node.client.core
    ports = f"agent port {core.agents.port}, monitor port {core.monitors.port if core.monitors else 'none'}"
    print(ports, flush=True)
    node.get_logger().info(ports)
    ending = threading.Event()

    def end() -> None:
        ending.set()
        node.client.wake()

    signals.on_signal(end)
    while not ending.is_set():
        node.step(DIAGNOSTICS_INTERVAL)
    node.get_logger().info("the bridge ends")


def _settings(values: BridgeParameters) -> ClassicServerSettings:
    agents = AgentServerSettings(
        host=values.bind,
        port=values.agent_port,
        option="the parameter agent_port",
        host_option="the parameter bind",
        max_clients=values.max_clients,
        max_message=values.max_message,
        scene_timeout=values.scene_timeout,
        silent_timeout=values.silent_timeout or None,
    )
    monitors = MonitorServerSettings(
        host=values.bind,
        port=values.monitor_port,
        option="the parameter monitor_port",
        host_option="the parameter bind",
        max_clients=values.max_monitors,
        max_message=values.max_monitor_message,
        interval=values.monitor_period,
        trainer=values.trainer,
    )
    return ClassicServerSettings(agents, monitors if values.monitor_port >= 0 else None, values.profile)


if __name__ == "__main__":
    sys.exit(main())
