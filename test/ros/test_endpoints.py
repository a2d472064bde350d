"""Services whose answers reach clients that DDS has not found yet."""

import warnings
from types import SimpleNamespace
from typing import Any

import pytest

from simspark_ros.ros import endpoints
from simspark_ros.ros.endpoints import create_service
from test.rigs.waiting import until


class Service:
    """A service of rclpy whose first answers are dropped: by a warning, as rclpy says it."""

    def __init__(self, dropped: int) -> None:
        self.tried: list[str] = []
        self._dropped = dropped

    def send_response(self, response: str, header: int) -> None:
        self.tried.append(response)
        if len(self.tried) <= self._dropped:
            text = "failed to send response (timeout): client will not receive response"
            warnings.warn(text, RuntimeWarning, stacklevel=1)


def offered(service: Service) -> Service:
    node: Any = SimpleNamespace(create_service=lambda *words, **names: service)
    create_service(node, object, "ask", lambda request, response: response)
    return service


@pytest.mark.filterwarnings("error")
def test_an_answer_is_sent_again_until_dds_has_found_the_client_and_given_up_at_last(monkeypatch) -> None:
    monkeypatch.setattr(endpoints, "_LATER", 0.0)
    monkeypatch.setattr(endpoints, "_TIMES", 5)
    for dropped, tried in ((3, 4), (0, 1), (100, 6), (1, 2)):
        service = offered(Service(dropped))
        service.send_response("yes", 7)
        until(lambda: len(service.tried) == tried)  # noqa: B023
        assert service.tried == ["yes"] * tried
