"""Lesson 3, walk: how well a robot follows a velocity, and a walk to the ball."""

import numpy as np

from simspark_ros.arena import Arena

with Arena("nao", engine="mujoco", seed=1) as arena:
    nao = arena["nao"]
    for wanted in (0.1, 0.2, 0.3):
        arena.reset()
        nao.place(0.0, 0.0, 0.0)
        for _ in range(200):
            nao.act("walk", wanted, 0.0, 0.0)
            arena.step()
        x, y = nao.position[:2]
        print(f"told {wanted:.1f} m/s: {x / arena.time:.2f} m/s, {abs(y) * 100:.0f} cm beside the line")

    arena.reset()
    nao.place(0.0, 0.0, 0.0)
    arena.place_ball(0.8, 1.0)
    while arena.time < 12.0:
        ahead, left = (nao.rotation.T @ (arena.ball.position - nao.position))[:2]
        if np.hypot(ahead, left) < 0.25:
            break
        turn = np.arctan2(left, ahead)
        nao.act("walk", 0.25 if abs(turn) < 0.5 else 0.0, 0.0, float(np.clip(2.0 * turn, -1.0, 1.0)))
        arena.step()
    print(f"at the ball after {arena.time:.1f} s")
