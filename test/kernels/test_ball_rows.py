"""The ball's rows hold as ODE's equations say, and to the same bits compiled or not."""

import numpy as np
import pytest

from simspark_ros.kernels.bullet import ball_rows
from test.rigs.kernels import same_bits

STEP, RADIUS, MASS, LAYER, SLIP = 0.02, 0.042, 0.026, 0.001, 0.3
BOUNCE, BOUNCE_SPEED = 0.8, 0.8
ERP, SOFTNESS, LINK_ERP, LINK_SOFTNESS = 0.6, 0.05, 0.4, 0.025
INVERSE = np.array([1.0 / MASS] * 3 + [2.5 / (MASS * RADIUS**2)] * 3)
FALL = np.array([0.1, 0.0, -9.81, 0.0, 0.0, 0.0]) * STEP
BALL, GROUND, POST = 5, 7, 9
CONTACTS = 6
NO_OFFSET = (0.0, 0.0, 0.0)


def rows_of(module):
    """Rows, and the arrays that they are written into."""
    room = {
        "jacobian": np.zeros((3 * CONTACTS, 6)),
        "wanted": np.zeros(3 * CONTACTS),
        "soft": np.zeros(3 * CONTACTS),
        "impulses": np.zeros(3 * CONTACTS),
        "acting": np.zeros(3 * CONTACTS, np.uint8),
    }
    rows = module.BallRows(
        step=STEP,
        radius=RADIUS,
        layer=LAYER,
        erp=ERP,
        softness=SOFTNESS,
        link_erp=LINK_ERP,
        link_softness=LINK_SOFTNESS,
        slip=SLIP,
        bounce=BOUNCE,
        bounce_speed=BOUNCE_SPEED,
        inverse=INVERSE,
        fall=FALL,
        centre=np.zeros(3),
        motion=np.zeros(6),
        chosen=np.zeros(3 * CONTACTS, np.int64),
        system=np.zeros((3 * CONTACTS, 3 * CONTACTS + 1)),
        **room,
    )
    return rows, room


def touching(contact, centre):
    """A contact of a body and the ball as pybullet lists it: the ball comes first if the body's number is odd.

    contact: body, normal towards the ball, depth and force; centre: place of the ball, m.
    """
    body, normal, depth, force = contact
    point = tuple(centre - (RADIUS - depth) * normal)
    if body % 2:
        return (0, BALL, body, -1, body, (), point, tuple(normal), -depth, force)
    return (0, body, BALL, body, -1, point, (), tuple(-normal), -depth, force)


def scene(seed):
    """Contacts of the ball, motions of two links, and the ball's numbers before and after; it may be in the ground."""
    random = np.random.default_rng(seed)
    centre = np.array([0.3, -0.2, random.choice([0.04, 0.2])])
    normals = random.normal(size=(5, 3)) * (0.3, 1.0, 1.0)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    # The fourth touches nothing, and the ground's contact is left out.
    depths, forces = [0.005, *random.normal(0.005, 0.01, 2), -0.001, 0.01], [*random.uniform(1.0, 20.0, 3), 0.0, 9.0]
    contacts = list(zip((1, 2, POST, 2, GROUND), normals, depths, forces, strict=True))
    motions = {body: (centre + random.normal(0.0, 0.1, 3), *random.normal(0.0, 2.0, (2, 6))) for body in (1, 2)}
    before, after = ((*centre.tolist(), *random.normal(size=6).tolist()) for _ in range(2))
    return contacts, motions, before, after


def changed(module, seed, offset):
    """What the rows say of a scene, with the links' pushes, and the arrays."""
    contacts, motions, before, after = scene(seed)
    rows, room = rows_of(module)
    listed = tuple(touching(contact, np.array(before[:3])) for contact in contacts)
    pushes: list = []
    asked = []

    def motions_of(body, link):
        asked.append((body, link))
        return motions.get(body)

    change = rows.change(listed, BALL, GROUND, offset, before, after, motions_of, pushes)
    assert asked == [(1, 1), (2, 2), (POST, POST)]
    return change, pushes, room


@pytest.mark.parametrize("seed", range(20))
def test_uncompiled_rows_give_the_same_bits(seed):
    def numbers(module):
        change, pushes, room = changed(module, seed, (0.001, -0.002, 0.003))
        felt = [[body, link, *force, *point] for body, link, force, point in pushes]
        return np.concatenate([*(array.ravel() for array in room.values()), change, np.array(felt).ravel()])

    same_bits("bullet.ball_rows", numbers)


def test_velocities_are_those_with_which_the_rows_hold():
    # In the other scenes links leave the ball, whose rows along the normals are left out.
    assert sum(map(check_rows, range(20))) > 10


def check_rows(seed):
    """Look whether the rows of a scene hold; returns the number of contacts that push."""
    contacts, motions, before, after = scene(seed)
    change, pushes, room = changed(ball_rows, seed, NO_OFFSET)
    centre, moved = np.array(before[:3]), np.array(after[3:]) + change
    contacts = contacts[:3]
    if before[2] < RADIUS:
        contacts.append((GROUND, np.array([0.0, 0.0, 1.0]), RADIUS - before[2], 0.0))
    total, lacked, held = np.zeros(6), [], 0
    for number, (body, normal, depth, force) in enumerate(contacts):
        own = slice(3 * number, 3 * number + 3)
        axes, impulses = room["jacobian"][own, :3], room["impulses"][own]
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-15)
        np.testing.assert_allclose(axes[0], normal, atol=1e-15)
        # ODE puts a contact with a plane on the sphere.
        arm = -(RADIUS if body == GROUND else RADIUS - depth) * normal
        lever = np.cross(arm, axes)
        np.testing.assert_allclose(room["jacobian"][own, 3:], lever, atol=1e-15)
        was = surface = np.zeros(3)
        erp, soft = ERP, SOFTNESS
        if body in motions:
            place, *speeds = motions[body]
            was, surface = (speed[:3] + np.cross(speed[3:], centre + arm - place) for speed in speeds)
            erp, soft = LINK_ERP, LINK_SOFTNESS
            if impulses[0] > force * STEP:
                lacked.append((force * STEP * normal - impulses @ axes) / STEP)
        approach = normal @ (was - np.array(before[3:6])) - lever[0] @ before[6:]
        leaving = max(0.0, erp * (depth - LAYER) / STEP, BOUNCE * approach if approach > BOUNCE_SPEED else 0.0)
        missing = axes @ (moved[:3] - surface) + lever @ moved[3:] + np.array((soft, SLIP, SLIP)) * impulses / STEP
        if depth > 0.0:
            # Speeds of 10 m/s, of a system of a dozen equations.
            np.testing.assert_allclose(missing[1:], 0.0, atol=1e-11)
            assert impulses[0] == 0.0 or (impulses[0] > 0.0 and missing[0] == pytest.approx(leaving, abs=1e-11))
            held += impulses[0] > 0.0
        else:
            assert not impulses.any()
        total += np.concatenate((impulses @ axes, impulses @ lever))
    free = np.array(before[3:]) + FALL
    np.testing.assert_allclose(moved, free + INVERSE * total, rtol=1e-12, atol=1e-12)
    assert len(pushes) == len(lacked)
    for push, force in zip(pushes, lacked, strict=True):
        np.testing.assert_allclose(push[2], force, atol=1e-11)
    return held


def test_a_normal_that_would_pull_is_left_out_and_friction_stays():
    rows, room = rows_of(ball_rows)
    centre = np.array([0.0, 0.0, 0.5])
    listed = (touching((1, np.array([1.0, 0.0, 0.0]), 0.002, 0.0), centre),)
    # The link leaves the ball and slides along it.
    motion = centre, np.zeros(6), np.array([-9.0, 3.0, 0.0, 0.0, 0.0, 0.0])
    change = rows.change(
        listed, BALL, GROUND, NO_OFFSET, (*centre, *(0.0,) * 6), (*centre, *(0.0,) * 6), lambda *_: motion, []
    )
    assert room["impulses"][0] == 0.0 and room["acting"][:3].tolist() == [0, 1, 1]
    assert change[0] == pytest.approx(FALL[0]) and change[1] > 0.0


def test_far_from_robots_the_ground_turns_the_ball_and_a_flying_ball_is_left_alone():
    rows, _ = rows_of(ball_rows)
    at_rest, sliding = (0.0,) * 6, (2.0, -1.0, 0.0, 0.0, 0.0, 0.5)
    for height, turned in ((0.04, True), (0.5, False)):
        place = (0.0, 0.0, height)
        change = rows.change((), BALL, GROUND, NO_OFFSET, (*place, *at_rest), (*place, *sliding), lambda *_: None, [])
        assert bool(change) == turned
        if turned:
            # What slides afterwards gives way by slip: u' = u c / (c + k).
            after = np.array(sliding) + change
            left = after[:2] + RADIUS * np.array((-after[4], after[3]))
            turning, softness = INVERSE[0] + RADIUS**2 * INVERSE[3], SLIP / STEP
            assert left == pytest.approx(np.array(sliding[:2]) * softness / (softness + turning))
            assert after[2] == 0.0 and after[5] == 0.5
