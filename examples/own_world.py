"""A world of one's own, without soccer: a slope, a box, and a robot that drives up (docs/how_to/worlds.md).

python examples/own_world.py
"""

from pathlib import Path

from simspark_ros.arena import Arena

WORLD = Path(__file__).parent / "files" / "slope.yaml"


def main() -> None:
    """Drive up the slope, which starts 1 m ahead, and look what the box does."""
    with Arena(world=str(WORLD)) as arena:
        car, box = arena["car"], arena["box"]
        for _ in range(200):
            car.act("wheels", 0.5, 0.0, 0.0)
            arena.step()
        print(f"the car is at {car.position.round(2)} m, {car.position[2]:.2f} m high")
        print(f"the box that it has pushed is at {box.position.round(2)} m")


if __name__ == "__main__":
    main()
