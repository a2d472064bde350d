"""Lesson 1, sense: noise and errors of a robot's sensors."""

import numpy as np

from simspark_ros.arena import Arena

with Arena("nao", engine="mujoco", seed=1) as arena:
    nao = arena["nao"]
    nao.place(0.0, 0.0, 0.0)
    arena.place_ball(8.0, 2.0)
    arena.step(25)
    print("gyroscope, rad/s:", nao.read("gyroscope"))
    print("accelerometer, m/s2:", nao.read("accelerometer"))
    print("forces on the feet, N:", {link: contact.force.round(1) for link, contact in nao.contacts.items()})

    seen = []
    while len(seen) < 40:
        arena.step()
        if nao.vision is not None and "B" in nao.vision.objects:
            seen.append(nao.vision.objects["B"])
    distance, azimuth, _ = np.array(seen).T
    eye, _ = nao.link_pose("head")
    truth = np.linalg.norm(arena.ball.position - eye)
    print(f"ball: {distance.mean():.3f} m on average, truth {truth:.3f} m")
    print(f"looks differ by {distance.std() * 1000:.0f} mm")
    print(f"and in their direction by {np.degrees(azimuth.std()):.2f} degrees")
    for count in (1, 4, 10, 40):
        print(f"mean of {count:2} looks: off by {abs(distance[:count].mean() - truth) * 1000:.0f} mm")
