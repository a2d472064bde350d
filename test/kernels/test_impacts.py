"""After a plastic impact parts get pushes by which they part as their restitution says, compiled or not."""

import numpy as np
import pytest

from simspark_ros.kernels.bullet import impacts
from test.rigs.kernels import same_bits

STEP, SLOW, GRAVITY = 0.02, 0.5, np.array([0.0, 0.0, -9.81])
WALL = 9


def impacts_of(module, restitution, rows, gravity=GRAVITY):
    """A kernel for robots with these rows by body, and links and obstacles with this restitution."""
    return module.Impacts(
        step=STEP,
        slow=SLOW,
        rows=rows,
        restitution=restitution,
        gravity=gravity,
        lively=np.zeros(len(rows), np.uint8),
        point=np.zeros(3),
        normal=np.zeros(3),
        relative=np.zeros(3),
    )


def contact(one, other, place, normal, force):
    """A contact as pybullet lists it, of bodies and links."""
    return (0, one[0], other[0], one[1], other[1], tuple(place), (), tuple(normal), -0.01, force)


def bases_of(places, linear, angular):
    """A table of bases."""
    bases = np.zeros((len(places), 13))
    bases[:, :3], bases[:, 7:10], bases[:, 10:] = places, linear, angular
    return bases


def test_uncompiled_it_finds_the_same_pushes_to_the_bit():
    def pushes(module):
        random = np.random.default_rng(1)
        bodies = {3: 0, 5: 1, 8: 2}
        restitution = {(body, link): random.uniform(0.2, 0.9) for body in (3, 5, WALL) for link in (-1, 0)}
        found = []
        for _ in range(200):
            before, after = random.normal(size=(2, 3, 13))
            before[:, 7:] *= random.choice([0.1, 1.0], (3, 1))
            kernel = impacts_of(module, restitution, bodies)
            listed = {
                body: tuple(
                    contact((body, random.integers(-1, 2)), (other, random.integers(-1, 2)), place, normal, force)
                    for other in random.choice([3, 5, 8, WALL], 4)
                    for place, normal in [random.normal(size=(2, 3))]
                    for force in [max(0.0, random.normal(5.0, 10.0))]
                )
                for body in (3, 5)
            }
            if kernel.find_lively(before):
                found += [
                    [body, link, *force, *point]
                    for body, link, force, point in kernel.find_pushes(listed, before, after)
                ]
        return np.array(found)

    assert len(same_bits("bullet.impacts", pushes)) > 50


def test_two_bodies_part_by_their_restitution_where_they_met():
    # The first is hit 0.1 m beside its centre.
    masses, inertia, normal = (1.0, 3.0), 0.02, np.array([-1.0, 0.0, 0.0])
    places = np.array([[0.0, 0.0, 0.0], [0.2, -0.1, 0.0]])
    point = np.array([0.1, -0.1, 0.0])
    before = bases_of(places, [[2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], np.zeros((2, 3)))
    arm = point - places[0]

    def hit(bases, impulse):
        moved = bases.copy()
        moved[0, 7:10] += impulse * normal / masses[0]
        moved[0, 10:] += np.cross(arm, impulse * normal) / inertia
        moved[1, 7:10] -= impulse * normal / masses[1]
        return moved

    def apart(bases):
        return normal @ (bases[0, 7:10] + np.cross(bases[0, 10:], arm) - bases[1, 7:10])

    impulse = 3.0 / (apart(hit(before, 1.0)) - apart(before))
    after = hit(before, impulse)
    assert apart(after) == pytest.approx(0.0, abs=1e-12)
    kernel = impacts_of(impacts, {(1, -1): 0.5, (2, 4): 0.8}, {1: 0, 2: 1}, np.zeros(3))
    assert kernel.find_lively(before)
    # Listed for both, in two contacts.
    listed = [contact((1, -1), (2, 4), (0.1, -0.1, high), normal, impulse / STEP / 2.0) for high in (-0.01, 0.01)]
    mirrored = [contact((2, 4), (1, -1), one[5], -normal, one[9]) for one in listed]
    pushes = kernel.find_pushes({1: tuple(listed), 2: tuple(mirrored)}, before, after)
    assert [push[:2] for push in pushes] == [(1, -1), (2, 4)] * 2
    forces = np.array([push[2] for push in pushes])
    assert forces[::2].sum(axis=0) == pytest.approx(-forces[1::2].sum(axis=0))
    parted = hit(after, STEP * float(forces[::2].sum(axis=0) @ normal))
    assert apart(parted) == pytest.approx(0.4 * 3.0)


def test_gravity_has_its_part_in_both_steps_and_slow_impacts_do_not_rebound():
    up = np.array([0.0, 0.0, 1.0])
    for speed in (3.0, 0.4):
        before = bases_of(np.zeros((1, 3)), [-speed * up], np.zeros((1, 3)))
        after = bases_of(np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 3)))
        kernel = impacts_of(impacts, {(1, 0): 0.8, (WALL, -1): 1.0}, {1: 0})
        # The ground took away the speed and what gravity added.
        force = (speed + 9.81 * STEP) / STEP
        assert kernel.find_lively(before)
        listed = {1: (contact((1, 0), (WALL, -1), np.zeros(3), up, force),)}
        pushes = kernel.find_pushes(listed, before, after)
        assert len(pushes) == (speed > SLOW)
        for _, _, push, _ in pushes:
            assert STEP * (push[2] - 9.81) == pytest.approx(0.8 * speed)


def test_what_is_slow_or_has_no_restitution_is_left_alone():
    before = bases_of(np.zeros((2, 3)), [[0.0, 0.0, 0.2], [0.0, 0.0, 0.0]], [[0.0, 0.04, 0.0], [0.0, 0.0, 0.0]])
    kernel = impacts_of(impacts, {(1, 0): 0.8, (WALL, -1): 1.0}, {1: 0, 2: 1})
    assert not kernel.find_lively(before)
    before[1, 8] = 0.3
    assert kernel.find_lively(before)
    before[:, 7] = 9.0
    kernel.find_lively(before)
    listed = {1: tuple(contact((1, 0), other, np.zeros(3), (-1.0, 0.0, 0.0), 1.0) for other in ((2, 0), (WALL, 3)))}
    assert kernel.find_pushes(listed, before, before) == []
