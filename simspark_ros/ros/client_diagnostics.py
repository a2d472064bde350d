"""Diagnostics of classic clients, one status for each, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from simspark_ros.server.tcp_server import ClientStatus


class ClientDiagnostics:
    """Turns the counters of clients into statuses; a client whose troubles grow since the last report is a warning."""

    def __init__(self, source: str) -> None:
        """Start without memory.

        Args:
            source: begins the names of the statuses, e.g. the node's name.
        """
        self._source = source
        self._troubles: dict[str, int] = {}

    def statuses(self, clients: Sequence[ClientStatus]) -> list[DiagnosticStatus]:
        """One status per client."""
        report = [self._status(client) for client in clients]
        self._troubles = {client.key: _trouble(client) for client in clients}
        return report

    def _status(self, client: ClientStatus) -> DiagnosticStatus:
        fresh = _trouble(client) > self._troubles.get(client.key, 0)
        rejected = {f"rejected: {reason}": count for reason, count in client.rejected.items()}
        counters = {"received": client.received, "sent": client.sent, "dropped": client.dropped}
        return DiagnosticStatus(
            level=DiagnosticStatus.WARN if fresh else DiagnosticStatus.OK,
            name=f"{self._source}: {client.name}",
            message=client.last_error or "well",
            hardware_id=client.key,
            values=key_values({"team": client.team, "uniform number": client.unum, **counters, **rejected}),
        )


def key_values(pairs: Mapping[str, Any]) -> list[KeyValue]:
    """Pairs as diagnostics carry them."""
    return [KeyValue(key=key, value=str(value)) for key, value in pairs.items()]


def _trouble(client: ClientStatus) -> int:
    return client.dropped + sum(client.rejected.values())
