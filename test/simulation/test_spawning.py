"""What a client names to be spawned is found, or refused in words that say why."""

from __future__ import annotations

import pytest

from simspark_ros.simulation.spawning import SpawnError, SpawnRefusal, find_resource

LONG = "x" * 5000


@pytest.mark.parametrize(
    ("uri", "reason", "named"),
    [
        (f"{LONG}.yaml", SpawnRefusal.NO_RESOURCE, "File name too long"),
        (f"nao/{LONG}", SpawnRefusal.NO_RESOURCE, "File name too long"),
        (f"file:///{LONG}.yaml", SpawnRefusal.NO_RESOURCE, "File name too long"),
        (f"package://simspark_ros/{LONG}.yaml", SpawnRefusal.NO_RESOURCE, "File name too long"),
        ("file://[x/a.yaml", SpawnRefusal.UNSUPPORTED_FORMAT, "is no URI"),
        ("a\0b.yaml", SpawnRefusal.NO_RESOURCE, "neither a robot"),
    ],
)
def test_a_uri_that_the_system_cannot_look_up_is_refused(uri: str, reason: SpawnRefusal, named: str) -> None:
    with pytest.raises(SpawnError, match=named) as caught:
        find_resource(uri)
    assert caught.value.reason is reason and len(str(caught.value)) < 300
