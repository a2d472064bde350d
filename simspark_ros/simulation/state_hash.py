"""A fingerprint of the world: equal seeds and inputs give equal fingerprints, cycle by cycle."""

from __future__ import annotations

import struct
from hashlib import blake2b

import numpy as np

from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld


def state_hash(world: SoccerWorld) -> str:
    """128-bit hash (hex) of everything that decides how the world goes on and that can be seen from outside.

    Covers robots, joints, motors, ball and game, bit by bit.
    """
    state = world.engine.state
    digest = blake2b(digest_size=16)
    game = world.game
    digest.update(struct.pack("<q4d", world.cycle, game.time, game.mode_time, game.score_left, game.score_right))
    waits = [game.score_wait.get(side, 0.0) for side in Side]
    selected = world.selected.handle if world.selected else 0
    digest.update(struct.pack("<3q2d", game.half, game.kick_off_half, selected, *waits))
    digest.update(f"{game.play_mode.value}/{game.first_kick_off}".encode())
    # Fingerprints of games without stages stay as they were.
    digest.update(repr(game.league).encode() if game.league else b"")
    for robot in world.robots.values():
        digest.update(struct.pack("<3d", robot.battery, *robot.pan_tilt))
        description = robot.description
        digest.update(f"{robot.handle}/{description.name}/{description.variant}/{robot.team}/{robot.unum}".encode())
        # Fingerprints of worlds with unchanged robots of files stay as they were.
        digest.update(description.source.partition("?")[2].encode())
    arrays = (
        state.position,
        state.rotation,
        state.linear_velocity,
        state.angular_velocity,
        state.joint_position,
        state.joint_velocity,
        state.ball_position,
        state.ball_velocity,
        state.ball_angular_velocity,
        world.motors.mode,
        world.motors.target,
        world.motors.frozen,
        # Fingerprints of worlds without a limp joint stay as they were.
        *([world.motors.stiffness] if world.motors.is_soft else []),
        *world.power.hashed,
    )
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
