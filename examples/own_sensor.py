"""A sensor of one's own: how high its robot is, with noise (docs/how_to/plugins.md).

python examples/own_sensor.py
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from simspark_ros.arena import Arena, PlugIns
from simspark_ros.plugins import Array, BoolArray, Mount, Perceptor, World

ROBOT = Path(__file__).parent / "files" / "nao_with_altimeter.yaml"


class Altimeter(Perceptor):
    """Height of the robot's base, m, with an error of a centimetre."""

    columns = ("height",)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Robots have come or gone: remember where readings are taken from and written to."""
        self._rows = np.array([mount.row for mount in mounts])
        self._places = np.array([mount.start for mount in mounts])

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Write the readings of all robots at once."""
        errors = 0.01 * self.random.standard_normal(len(self._rows))
        values[self._places] = world.engine.state.position[self._rows, 2] + errors


def main() -> None:
    """Let a robot bend its knees and watch its height."""
    with Arena(f"nao={ROBOT}", plug_ins=PlugIns(perceptors={"altimeter": Altimeter})) as arena:
        nao = arena["nao"]
        bend = {f"{side}lj{joint}": angle for side in "lr" for joint, angle in ((3, 0.6), (4, -1.2), (5, 0.6))}
        for _ in range(5):
            arena.step(10)
            height = nao.read("altimeter")
            assert height is not None
            print(f"{arena.time:.1f} s: {height[0]:.3f} m (truth {nao.position[2]:.3f} m)")
            nao.set_positions(bend)


if __name__ == "__main__":
    main()
