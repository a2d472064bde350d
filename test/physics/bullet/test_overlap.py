"""Heaps of robots do not stop the simulation: those beyond what a step may cost are ghosts."""

import numpy as np
import pybullet

from test.rigs.machine.memory import heap

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def flail(lab, cycles: int) -> None:
    control, draw = lab.hold(), np.random.default_rng(0)
    for _ in range(cycles):
        control.velocity[:] = draw.uniform(-5.0, 5.0, len(control.velocity))
        lab.engine.step(control)


def largest_group(lab) -> int:
    """Robots joined by contacts, those within the contact margin included."""
    bodies = {robot.body: robot for robot in lab.core._robots.values()}
    client, near = lab.core._client, np.eye(len(bodies), dtype=bool)
    rows = {body: row for row, body in enumerate(bodies)}
    for contact in pybullet.getContactPoints(physicsClientId=client):
        if contact[1] in rows and contact[2] in rows:
            near[rows[contact[1]], rows[contact[2]]] = near[rows[contact[2]], rows[contact[1]]] = True
    for _ in range(5):
        near = near @ near
    return int(near.sum(axis=1).max())


def test_robots_that_come_together_by_moving_are_not_solved_as_one(lab):
    robots = [lab.nao(x=0.25 * (number % 5), y=0.25 * (number // 5)) for number in range(25)]
    flail(lab, 4)
    ghosts = sum(robot.ghost for robot in lab.core._robots.values())
    # Twenty have 460 links.
    assert 0 < ghosts < 25 and 1 < largest_group(lab) <= 20
    assert lab.engine.recovered == []
    for number, robot in enumerate(robots):
        lab.engine.place_robot(robot, (number - 12.0, 5.0, 0.4), UPRIGHT)
        lab.engine.set_joint_positions(robot, np.zeros(22))
    lab.run(25)
    assert lab.state.touching.all()
    # Apart they are solid again.
    lab.engine.place_robot(robots[0], (-11.2, 5.0, 0.4), UPRIGHT)
    lab.engine.set_velocity(robots[0], (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(5)
    assert lab.state.robot_contacts.tolist() == [[0, 1]]


def test_six_robots_in_a_scuffle_stay_solid(lab):
    robots = [lab.nao(x=0.25 * (number % 3), y=0.25 * (number // 3)) for number in range(6)]
    flail(lab, 40)
    assert not any(lab.core._robots[robot].ghost for robot in robots)


def test_ghost_that_came_into_another_stays_one(lab):
    robots = [lab.nao(x=x) for x in (0.0, 0.0, 2.0, 2.0)]
    lab.run(1)
    # Of the pair that was found at 2 m nothing is left to wait for.
    lab.engine.place_robot(robots[2], (0.03, 0.0, 0.4), UPRIGHT)
    for _ in range(60):
        lab.run(1)
        assert lab.state.robot_contacts.tolist() == []
    assert np.abs(lab.state.position[:3, :2]).max() < 0.1


def test_what_bullet_never_frees_of_a_heap_is_bounded(make_lab):
    def after_a_world(*, piled: bool) -> int:
        lab, draw = make_lab(), np.random.default_rng(1)
        for number in range(26):
            robot = lab.nao(x=float(number), y=5.0)
            if piled:
                x, y = draw.uniform(-0.6, 0.6, 2)
                lab.engine.place_robot(robot, (x, y, 0.4 + 0.1 * number), (0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)))
        lab.run(40 if piled else 2)
        lab.engine.close()
        return heap()

    left = after_a_world(piled=False)
    # The direct solver's matrices; 3 MB, and 8 with a `pile_size` of 500.
    assert after_a_world(piled=True) - left < 5.5e6
