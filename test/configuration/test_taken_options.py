from __future__ import annotations

from dataclasses import fields

import pytest

from simspark_ros.configuration.schema import TakenOptions
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.server.remote.link import ProxyLinkSettings
from simspark_ros.server.settings import ServeSettings
from simspark_ros.server.viewer_settings import ViewerSettings


@pytest.mark.parametrize("part", [AgentServerSettings, MonitorServerSettings, ProxyLinkSettings])
def test_ports_take_only_fields_they_have(part: type[TakenOptions]) -> None:
    assert set(part.options) <= {field.name for field in fields(part)}  # type: ignore[arg-type]


def test_the_viewer_takes_all_its_settings_from_those_of_the_server() -> None:
    options = ServeSettings(bind="::1", viewer=8123, viewer_follow="ball", viewer_distance=3.0)
    page = ViewerSettings.of(options, token="secret")
    assert page == ViewerSettings(host="::1", bind="::1", port=8123, follow="ball", distance=3.0, token="secret")


def test_the_program_decides_over_its_own_options() -> None:
    assert ViewerSettings.of(ServeSettings(viewer=8080), port=8081).port == 8081
