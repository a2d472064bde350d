from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PassRequest, PlayMode
from simspark_ros.soccer.teams import Side


def test_a_request_is_granted_with_its_evidence(pitch):
    field = pitch()
    robot = field.add(Side.LEFT, 1, -0.4, 0.0)
    field.add(Side.RIGHT, 1, 5.0, 5.0)
    field.kick(0, 0)
    field.open_play()
    field.game.pass_requests[Side.LEFT] = PassRequest(robot.handle, field.world.cycle)
    field.cycle()
    assert field.mode is PlayMode.PASS_LEFT
    decision = field.decisions[-1]
    assert (decision.kind, decision.side, decision.unum) == ("pass_mode", Side.LEFT, 1)
    assert decision.evidence["distance_m"] == pytest.approx(0.4)
    assert decision.evidence["opponent_distance_m"] == pytest.approx(50**0.5)
