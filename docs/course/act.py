"""Lesson 2, act: a controller that brings a joint to its goal."""

import numpy as np

from simspark_ros.arena import Arena

GOAL = 1.0
"""rad"""

with Arena("nao", engine="mujoco", seed=1) as arena:
    nao = arena["nao"]
    neck = nao.joints.index("hj1")
    for gain in (1.0, 5.0, 20.0, 80.0):
        arena.reset()
        angles = []
        for _ in range(100):
            error = GOAL - nao.joint_positions[neck]
            nao.set_velocities({"hj1": gain * error})
            arena.step()
            angles.append(nao.joint_positions[neck])
        off = np.abs(np.array(angles) - GOAL)
        late = np.flatnonzero(off > 0.02)
        arrived = f"after {(late[-1] + 2) * arena.cycle_time:.2f} s" if late[-1] + 1 < len(off) else "never"
        print(f"gain {gain:4.0f}/s: arrives {arrived}, overshoots by {max(0.0, max(angles) - GOAL):.3f} rad")
