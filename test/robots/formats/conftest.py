"""Files are read as for a client, who may name fewer files than the operator."""

import pytest

from simspark_ros.configuration import foreign


@pytest.fixture(autouse=True)
def read_for_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "_reads_for_client", True)
