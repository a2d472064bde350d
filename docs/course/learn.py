"""Lesson 6, learn: a robot finds the gains of its own controller by trying (the cross-entropy method)."""

import numpy as np

from simspark_ros.arena import Arena

TARGETS = ((1.0, 0.8), (-0.5, -1.0))
"""Places to drive to, ahead and to the left of the start, m."""
STEPS = 100


def reward(arena: Arena, gains: np.ndarray) -> float:
    """How near a drive with these gains (forward, turn; 1/s) comes to each target and how soon, at best 1."""
    robot, total = arena["omni"], 0.0
    for x, y in TARGETS:
        robot.place(0.0, 0.0, 0.0)
        for _ in range(STEPS):
            ahead, left, _ = robot.rotation.T @ (np.array([x, y, robot.position[2]]) - robot.position)
            # Like a car, the robot may not drive sideways.
            robot.act("wheels", float(gains[0] * ahead), 0.0, float(gains[1] * np.arctan2(left, ahead)))
            arena.step()
            total += 1.0 / (1.0 + 5.0 * float(np.hypot(ahead, left)))
    return total / (STEPS * len(TARGETS))


random = np.random.default_rng(1)
mean, deviation = np.array([0.3, 0.3]), np.array([2.0, 3.0])
with Arena("omni", engine="planar", world="empty", seed=1) as arena:
    print(f"before: {reward(arena, mean):.3f}")
    for generation in range(4):
        tried = np.maximum(random.normal(mean, deviation, (6, 2)), 0.0)
        rewards = np.array([reward(arena, gains) for gains in tried])
        best = tried[np.argsort(rewards)[-2:]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.1
        print(
            f"generation {generation}: {rewards.mean():.3f} on average, best {rewards.max():.3f}, gains {mean.round(1)}"
        )
    print(f"after: {reward(arena, mean):.3f}")
