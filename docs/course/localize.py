"""Lesson 4, localize: a particle filter finds a robot on the field by its goal posts and corner poles."""

import numpy as np

from simspark_ros.arena import Arena

PARTICLES = 2000
ODOMETRY_NOISE = (0.02, 0.02)
"""Spread that a step of 0.2 s adds to the particles, m and rad."""
MARK_NOISE = (0.3, 0.1)
"""Error that a mark may have, m and rad; much more than the sensor's, so that many particles survive."""

random = np.random.default_rng(1)
with Arena("differential_sensors", engine="planar", world="msl", seed=1, referee=False) as arena:
    robot = arena["differential_sensors"]
    x, y, post = 9.0, 6.0, 1.0
    marks = {"F1L": (-x, y), "F2L": (-x, -y), "F1R": (x, y), "F2R": (x, -y)}
    marks |= {"G1L": (-x, post), "G2L": (-x, -post), "G1R": (x, post), "G2R": (x, -post)}
    robot.place(2.0, -3.0, 2.0)
    drifted = np.array([2.0, -3.0, 2.0])
    particles = random.uniform((-x, -y, -np.pi), (x, y, np.pi), (PARTICLES, 3))
    vision = None
    for step in range(1, 61):
        ahead = turned = 0.0
        for _ in range(10):
            robot.act("wheels", 0.5, 0.0, 0.3)
            arena.step()
            odometry, vision = robot.read("odometry"), robot.vision or vision
            ahead += odometry[3] * arena.cycle_time
            turned += odometry[5] * arena.cycle_time
        for poses in (drifted[None], particles):
            poses[:, 0] += ahead * np.cos(poses[:, 2])
            poses[:, 1] += ahead * np.sin(poses[:, 2])
            poses[:, 2] += turned
        particles += random.normal(0.0, (ODOMETRY_NOISE[0], *ODOMETRY_NOISE), particles.shape)

        weights = np.ones(PARTICLES)
        for name, (distance, azimuth, _) in vision.objects.items():
            if name in marks:
                dx, dy = marks[name][0] - particles[:, 0], marks[name][1] - particles[:, 1]
                off = (np.arctan2(dy, dx) - particles[:, 2] - azimuth + np.pi) % (2 * np.pi) - np.pi
                weights *= np.exp(-0.5 * ((np.hypot(dx, dy) - distance) / MARK_NOISE[0]) ** 2)
                weights *= np.exp(-0.5 * (off / MARK_NOISE[1]) ** 2)
        # If no guess fits at all, all are equally likely.
        weights += 1e-300
        particles = particles[random.choice(PARTICLES, PARTICLES, p=weights / weights.sum())]
        if step in (1, 2, 5, 20, 60):
            filtered = np.linalg.norm(particles[:, :2].mean(axis=0) - robot.position[:2])
            alone = np.linalg.norm(drifted[:2] - robot.position[:2])
            print(f"{arena.time:4.1f} s: particles off by {filtered:.2f} m, odometry alone by {alone:.2f} m")
