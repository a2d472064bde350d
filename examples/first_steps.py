"""A robot in a world: command joints, read sensors, begin again.

python examples/first_steps.py
"""

from simspark_ros.arena import Arena


def main() -> None:
    """Turn the head, look around, and do the same once more."""
    with Arena("nao", seed=1) as arena:
        nao = arena["nao"]
        nao.set_velocities({"hj1": 0.5})
        arena.step(50)
        print(f"after {arena.time:.1f} s the head has turned by {nao.joint_positions[0]:.2f} rad")
        print("gyroscope, rad/s:", nao.read("gyroscope"))
        print("forces on the feet, N:", {link: contact.force.round(1) for link, contact in nao.contacts.items()})
        first = arena.state_hash()
        # It looks in every third cycle.
        while nao.vision is None:
            arena.step()
        print("seen, m and rad:", {name: polar.round(2) for name, polar in nao.vision.objects.items()})
        arena.reset()
        nao.set_velocities({"hj1": 0.5})
        arena.step(50)
        print("the same again, bit by bit:", arena.state_hash() == first)


if __name__ == "__main__":
    main()
