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
def test_an_answer_is_sent_again_until_dds_has_found_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_LATER", 0.0)
    service = offered(Service(dropped=3))
    service.send_response("yes", 7)
    until(lambda: len(service.tried) == 4)
    assert service.tried == ["yes"] * 4
    sound = offered(Service(dropped=0))
    sound.send_response("yes", 8)
    assert sound.tried == ["yes"]


def test_a_client_that_is_never_found_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_LATER", 0.0)
    monkeypatch.setattr(endpoints, "_TIMES", 5)
    service = offered(Service(dropped=100))
    service.send_response("yes", 7)
    until(lambda: len(service.tried) == 6)
    later = offered(Service(dropped=1))
    later.send_response("no", 8)
    until(lambda: later.tried == ["no", "no"])
