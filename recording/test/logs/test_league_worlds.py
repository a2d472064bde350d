"""Which league's world a log is of."""

from __future__ import annotations

from recording.test.logs.test_rsmp_log import BALL, line, transform
from simspark_recording.logs.league_worlds import world_of_log


def test_field_and_ball_tell_the_world_of_a_log_of_either_kind(tmp_path):
    path = tmp_path / "game.log"
    sizes = {
        "fifa7vs7": line(transform(BALL)),
        "kidsize": b"((FieldLength 9)(FieldWidth 6)(BallRadius 0.07)(time 0))(RSG 0 1)()",
        "spl": b"((FieldLength 9)(FieldWidth 6)(BallRadius 0.05)(time 0))(RSG 0 1)()",
        "": b"((FieldLength 30)(FieldWidth 20)(BallRadius 0.042)(time 0))(RSG 0 1)()",
    }
    for world, first in sizes.items():
        path.write_bytes(first + b"\n")
        assert world_of_log(path) == world
