"""Robots in the plane drive and collide to the same bits, compiled or not."""

import math

import numpy as np

from simspark_ros.kernels.planar import body as compiled_bodies
from simspark_ros.physics.planar.outline import Outline, circle
from simspark_ros.physics.planar.settings import ImpactLaw
from test.rigs.kernels import same_bits, uncompiled

BAR = Outline(((-0.15, 0.0), (0.15, 0.0)), 0.05)
TRIANGLE = Outline(((0.2, 0.0), (-0.1, 0.15), (-0.1, -0.15)))
WALL = Outline(((-3.0, 0.0), (3.0, 0.0), (3.0, 0.5), (-3.0, 0.5)))
WHEELS = 5


def bodies_for(module):
    """The kernel of bodies that another kernel uses."""
    return compiled_bodies if module.__name__.startswith("simspark_ros") else uncompiled("planar.body")


def crowd(module):
    """Six bodies between two walls, one of them with a joint that turns an arm."""
    made, parts = module.Plane(lambda a, b: ImpactLaw(0.6, 0.4), 1e-7, 200), bodies_for(module)
    made.fixed = [parts.PlanarBody([parts.PlanarPart(WALL)], y=y) for y in (-0.9, 0.6)]
    for index in range(6):
        own = [parts.PlanarPart((circle(0.15), BAR, TRIANGLE)[index % 3])]
        speed = 3.0 * math.sin(7.0 * index), 3.0 * math.cos(11.0 * index)
        place = 0.5 * (index % 3), 0.5 * (index // 3) - 0.2
        body = parts.PlanarBody(own, 1.0 + index, 0.02, *place, 0.7 * index, *speed, index - 2.0)
        made.bodies.append(body)
    arm = parts.PlanarPart(BAR)
    arm.follow(0.1, 0.0, 0.5, 0.0, 3.0)
    made.bodies[0].parts.append(arm)
    made.bodies[0].measure()
    return made


def test_uncompiled_bodies_collide_with_the_same_bits():
    def collide(module):
        made = crowd(module)
        read = []
        for _ in range(5):
            made.step(0.02)
            made.part(0.01)
            read += [(b.x, b.y, b.angle, b.vx, b.vy, b.spin) for b in made.bodies]
            read += [(c.x, c.y, c.normal, c.along, c.meeting.x, c.meeting.y) for c in made.contacts]
        motion = np.zeros((6, 3)), np.arange(54.0).reshape(6, 9), np.zeros((6, 3)), np.zeros((6, 3))
        made.read(*motion)
        return np.hstack((np.concatenate(read), np.hstack(motion).ravel()))

    assert len(same_bits("planar.plane", collide)) > 5 * 6 * 6 + 6 * 18 + 5 * 6


def test_uncompiled_wheels_push_a_robot_and_turn_with_the_same_bits():
    def push(module):
        random = np.random.default_rng(1)
        x, y, turn, grip, pull, radius, drift = random.uniform(0.1, 1.0, (7, WHEELS))
        joint, paired = np.array([0, -1, 2, 3, -1]), np.array([1, 0, 1, 0, 0], np.uint8)
        kernel = module.TractionKernel(x, y, turn, grip, joint, paired, pull, radius, drift, 0.3, 0.02)
        body = bodies_for(module).PlanarBody([], 3.0, 0.2, angle=0.3, vx=1.0, vy=-0.4, spin=0.7)
        read = []
        for limit in (0.01, 5.0, math.inf):
            speeds, efforts = random.normal(0.0, 5.0, 4), np.zeros(4)
            kernel.act(body, 10.0, speeds, np.full(4, limit), 0.02, efforts)
            read.append([body.vx, body.vy, body.spin, *speeds, *efforts])
        return np.array(read)

    same_bits("planar.traction", push)

    def command(module):
        random = np.random.default_rng(2)
        lower, upper, fastest = -random.uniform(0.0, 1.0, 9), random.uniform(0.0, 1.0, 9), random.uniform(1.0, 20.0, 9)
        joints, moves, first = np.zeros((3, 9)), np.zeros(2, np.uint8), np.array([0, 4, 9])
        joints[0] = random.uniform(lower, upper)
        is_round = np.array([1] * 4 + [0] * 5, np.uint8)
        kernel = module.DriveKernel(lower, upper, fastest, is_round, first, *joints, moves)
        wanted, efforts = random.normal(0.0, 10.0, 9), random.choice([0.0, 1.0], 9)
        assert kernel.command(wanted, efforts, 0.02)
        assert moves.tolist() == [0, 1]
        return joints

    assert same_bits("planar.traction", command)[1].any()


def test_two_balls_collide_uncompiled_while_a_third_is_due_at_a_wall():
    def collide(module):
        made, parts = module.Plane(lambda a, b: ImpactLaw(0.6, 0.4), 1e-7, 200), bodies_for(module)
        made.fixed = [parts.PlanarBody([parts.PlanarPart(WALL)], y=1.0)]
        for x, y, vx, vy in ((-0.2, 0.0, 5.0, 0.0), (0.2, 0.0, -5.0, 0.0), (1.0, 0.8, 0.0, 2.0)):
            made.bodies.append(parts.PlanarBody([parts.PlanarPart(circle(0.15))], 1.0, 0.02, x, y, vx=vx, vy=vy))
        made.step(0.05)
        assert len(made.contacts) == 2
        return np.array([(b.x, b.y, b.vx, b.vy) for b in made.bodies])

    assert same_bits("planar.plane", collide).shape == (3, 4)
