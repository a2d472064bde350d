"""An actuator of one's own: a robot that hops (docs/how_to/plugins.md).

python examples/own_actuator.py
"""

from dataclasses import replace

from simspark_ros.arena import Arena, PlugIns
from simspark_ros.plugins import CommandRejectedError, EffectorSpec, Robot, World, effector
from simspark_ros.robots.catalogue import load_robot

FASTEST = 5.0
"""m/s"""


@effector("hop")
def hop(world: World, robot: Robot, speed: float) -> None:
    """Leave the ground at a speed, m/s."""
    if not 0.0 < speed <= FASTEST:
        raise CommandRejectedError(f"hop {speed}: must be above 0 and at most {FASTEST} m/s")
    state = world.engine.state
    x, y, _ = state.linear_velocity[state.row(robot.handle)].tolist()
    world.engine.set_velocity(robot.handle, (x, y, speed), (0.0, 0.0, 0.0))


def main() -> None:
    """Hop once, and measure how high."""
    sphere = load_robot("sphere")
    hopper = replace(sphere, effectors=(*sphere.effectors, EffectorSpec("hop", "hop")))
    with Arena(plug_ins=PlugIns(effectors={"hop": hop}), world="empty") as arena:
        robot = arena.add(hopper, name="hopper")
        arena.step(10)
        ground = robot.position[2]
        robot.act("hop", 2.0)
        heights = []
        for _ in range(25):
            arena.step()
            heights.append(robot.position[2] - ground)
        print(f"it hopped {max(heights):.2f} m high")


if __name__ == "__main__":
    main()
