import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot, with_more
from test.perceptors.readings import is_present, reading
from test.physics.engine_availability import skip_without

COLLIDING = [link.name for link in load_robot("nao").model.links if link.collisions]
# A quarter turn back about the axis to the left.
ON_ITS_BACK = (0.0, -(0.5**0.5), 0.0, 0.5**0.5)


def force(percepts, name):
    return is_present(percepts, "force_resistance", 0, name), reading(percepts, "force_resistance", 0, name)


def test_feet_report_half_the_weight_each_at_rest_and_nothing_in_the_air(played):
    robot = with_more("nao", 0, {"perceptors": [{"kind": "touch", "name": "bumper", "link": "rfoot"}]})
    played.world.add_robot(robot, (-3, 0, 0.42), 0.0)
    percepts = played.run(1)
    assert not force(percepts, "rf")[0] and reading(percepts, "touch") == [0.0]
    percepts = played.run(80)
    assert reading(percepts, "touch") == [1.0]
    for name in ("rf", "lf"):
        present, values = force(percepts, name)
        assert present
        # measured on the reference: point (0.00, -0.01, -0.01) in its frame, force 22.59 N
        assert values[:3] == pytest.approx((-0.01, 0.0, -0.01), abs=0.005)
        assert values[5] == pytest.approx(22.59, abs=0.1) and np.abs(values[3:5]).max() < 0.1


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_any_link_may_carry_sensors_of_contacts(play, engine):
    skip_without(engine)
    kinds = ("touch", "force_resistance")
    sensors = [{"kind": kind, "name": f"on_{link}", "link": link} for link in COLLIDING for kind in kinds]
    nao = with_more("nao", 0, {"perceptors": sensors})
    played = play(engine=engine, referee=False)
    robot = played.world.add_robot(nao, (-3.0, 0.0, nao.spawn_height), 0.0)
    links = played.world.engine.select_links([(robot.handle, link) for link in COLLIDING])

    def felt():
        """Links that feel a touch, and the force on all links, in the axes of the world."""
        percepts = played.simulation.percepts
        touching = {link for link in COLLIDING if reading(percepts, "touch", 0, f"on_{link}")}
        forces = np.array([force(percepts, f"on_{link}")[1][3:] for link in COLLIDING])
        return touching, np.einsum("lij,lj->i", played.world.engine.link_poses(links)[1], forces)

    played.run(80)
    assert felt()[0] == {"rfoot", "lfoot"}
    played.world.engine.place_robot(robot.handle, (-3.0, 0.0, 0.15), ON_ITS_BACK)
    played.run(100)
    touching, total = felt()
    assert {"head", "rfoot", "lfoot"} <= touching
    # At rest; PyBullet's forces are those of the last one of its sub-steps.
    assert total == pytest.approx([0.0, 0.0, 9.81 * nao.model.mass], abs=0.1)


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_a_hand_feels_what_it_meets(play, engine):
    skip_without(engine)
    nao = with_more("nao", 0, {"perceptors": [{"kind": "touch", "name": "hand", "link": "rlowerarm"}]})
    played = play(engine=engine, referee=False)
    robot = played.world.add_robot(nao, (-3.0, 0.0, nao.spawn_height), 0.0)
    assert reading(played.run(41), "touch") == [0.0]
    selected = played.world.engine.select_links([(robot.handle, "rlowerarm")])
    x, y, z = played.world.engine.link_poses(selected)[0][0]
    # The ball falls on the stretched arm.
    played.world.engine.place_ball((x, y, z + 0.15))
    assert any(reading(played.run(1), "touch") == [1.0] for _ in range(15))
