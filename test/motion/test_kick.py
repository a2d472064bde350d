"""Kicks on the default engine."""

import numpy as np
import pytest

from benchmarks.rehearsal import Rehearsal
from simspark_ros.motion.interface import Activity, Foot, Kick, Stand
from simspark_ros.motion.nao import NaoMotion


def kick(rehearsal: Rehearsal, motion: NaoMotion, foot: Foot, strength: float = 1.0) -> tuple[float, float]:
    """How far the ball went from the spot, (forward, left) m."""
    rehearsal.run(motion, Stand(), 0.8)
    standing = rehearsal.standing
    forward, left = motion.kick_spot(foot)
    # The robot still stands at the centre with its heading along +x, but for millimetres.
    spot = np.array([standing.x + forward, standing.y + left])
    rehearsal.world.place_ball((float(spot[0]), float(spot[1])))
    rehearsal.run(motion, Kick(foot, strength), 5.0)
    forward, left = (rehearsal.world.engine.state.ball_position[:2] - spot).tolist()
    return forward, left


@pytest.mark.parametrize("foot", Foot)
def test_a_kick_moves_the_ball_straight_ahead(rehearse, foot):
    rehearsal, motion = rehearse()
    forward, left = kick(rehearsal, motion, foot)
    assert forward > 1.5
    # Within 15 degrees.
    assert abs(left) < 0.27 * forward
    assert not rehearsal.fallen


def test_a_weak_kick_goes_less_far(rehearse):
    distances = []
    for strength in (0.2, 1.0):
        rehearsal, motion = rehearse()
        distances.append(kick(rehearsal, motion, Foot.LEFT, strength)[0])
    weak, full = distances
    assert 0.1 < weak < 0.8 * full


def test_one_command_is_one_kick(rehearse):
    rehearsal, motion = rehearse()
    rehearsal.run(motion, Stand(), 0.8)
    began = 0
    kicking = False
    for _ in range(250):
        rehearsal.cycle(motion, Kick(Foot.LEFT))
        now = motion.status.activity is Activity.KICKING
        began += now and not kicking
        kicking = now
        assert motion.status.may_change != now
    assert began == 1
