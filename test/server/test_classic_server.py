"""The server of agents and monitors opens its ports."""

import socket

import pytest

from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings, RsmpServerSettings
from simspark_ros.server.tcp import framed_server
from simspark_ros.server.tcp.ports import PortError, PortSettings, listen

SETTINGS = ClassicServerSettings(
    AgentServerSettings(port=0), MonitorServerSettings(port=0), rsmp=RsmpServerSettings(port=0)
)


def test_who_finds_the_agents_port_open_finds_the_ports_of_monitors_open(monkeypatch):
    opened: list[PortSettings] = []

    def noting(settings: PortSettings) -> socket.socket:
        opened.append(settings)
        return listen(settings)

    monkeypatch.setattr(framed_server, "listen", noting)
    ClassicServer(SETTINGS).close()
    assert len(opened) == 3 and opened[-1] is SETTINGS.agents


def test_a_server_whose_last_port_is_taken_leaves_no_port_open(monkeypatch):
    opened: list[socket.socket] = []

    def failing(settings: PortSettings) -> socket.socket:
        if settings is SETTINGS.agents:
            raise PortError("taken")
        opened.append(listen(settings))
        return opened[-1]

    monkeypatch.setattr(framed_server, "listen", failing)
    with pytest.raises(PortError, match="taken"):
        ClassicServer(SETTINGS)
    assert len(opened) == 2 and all(port.fileno() == -1 for port in opened)
