"""Statuses as diagnostics carry them; statuses of classic clients by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from simspark_ros.server.tcp.connection import ClientStatus


def diagnostic_status(
    name: str, message: str, values: Mapping[str, object], *, warn: bool = False, hardware: str = ""
) -> DiagnosticStatus:
    """A status whose level is OK or WARN."""
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if warn else DiagnosticStatus.OK,
        name=name,
        message=message,
        hardware_id=hardware,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )


class ClientDiagnostics:
    """Turns the counters of clients into statuses; a client whose faults grow since the last report is a warning.

    The names of the statuses begin with `source`, e.g. the node's name.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._faults: dict[str, int] = {}

    def statuses(self, clients: Sequence[ClientStatus]) -> list[DiagnosticStatus]:
        """One status per client."""
        report = [self._status(client) for client in clients]
        self._faults = {client.key: _faults(client) for client in clients}
        return report

    def _status(self, client: ClientStatus) -> DiagnosticStatus:
        values = {"team": client.team, "uniform number": client.unum}
        values |= {"received": client.received, "sent": client.sent, "dropped": client.dropped}
        values |= {f"rejected: {reason}": count for reason, count in client.rejected.items()}
        name, message = f"{self._source}: {client.name}", client.last_error or "well"
        grown = _faults(client) > self._faults.get(client.key, 0)
        return diagnostic_status(name, message, values, warn=grown, hardware=client.key)


def _faults(client: ClientStatus) -> int:
    return client.dropped + sum(client.rejected.values())
