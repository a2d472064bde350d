"""A view of a simulation's world shows the one that there is."""

import numpy as np

from simspark_ros.arena import Arena
from simspark_ros.rendering.world_view import WorldView


def test_another_world_takes_the_place_of_the_one_that_was_drawn() -> None:
    above = (0.0, -6.0, 8.0), (0.0, 0.0, 0.0), (80, 60), 1.2
    with Arena(engine="planar", world="msl", referee=False) as large, Arena(engine="planar", referee=False) as small:
        shown = [large.world]
        view = WorldView(lambda: shown[0], lambda: 1)
        pictures = [view.free(*above)]
        shown[0] = small.world
        pictures.append(view.free(*above))
        assert np.array_equal(pictures[1], small.view.free(*above))
        assert not np.array_equal(pictures[0], pictures[1])
        view.close()
