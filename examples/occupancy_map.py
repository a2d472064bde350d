"""A map of a world for nav2's map_server: a picture, and the YAML file that names it (docs/how_to/nav2.md).

python examples/occupancy_map.py examples/files/rooms.yaml --size 11 9 -o rooms
ros2 run nav2_map_server map_server --ros-args -p yaml_filename:=rooms.yaml
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from simspark_ros.arena import Arena
from simspark_ros.physics.engine import BoolArray, RayTarget

FREE, OCCUPIED = 254, 0
INTO = 0.001
"""Distance behind a surface at which its cell is looked up, m."""


def surfaces(arena: Arena, columns: int, rows: int, height: float, cell: float) -> BoolArray:
    """Cells (rows from the south, columns from the west) with surfaces of obstacles, which rays from near them hit."""
    corner = np.array([columns, rows]) * cell / -2.0
    x, y = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
    middles = corner + np.stack([x.ravel(), y.ravel()], axis=1) * cell
    starts = np.column_stack([middles, np.full(len(middles), height)])
    occupied = np.zeros((rows, columns), bool)
    for way in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        rays = arena.world.engine.cast_rays(starts, np.broadcast_to((*way, 0.0), starts.shape), cell)
        met = rays.target == RayTarget.OBSTACLE
        ends = middles[met] + (rays.distance[met] + INTO)[:, None] * way
        column, row = np.floor((ends - corner) / cell).astype(int).T
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        occupied[row[inside], column[inside]] = True
    return occupied


def main() -> None:
    """Write the map. Things that can be moved are left out, and the insides of obstacles look free."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("world", help="name or file of a world")
    parser.add_argument("--size", type=float, nargs=2, default=(20.0, 20.0), help="along x and y, m, around (0, 0)")
    parser.add_argument("--cell", type=float, default=0.05, help="edge of a cell, m")
    parser.add_argument("--height", type=float, default=0.26, help="height of the robot's scanner, m")
    parser.add_argument("-o", "--output", type=Path, default=Path("map"), help="files to write, without .pgm and .yaml")
    options = parser.parse_args()
    columns, rows = (round(length / options.cell) for length in options.size)
    with Arena(world=options.world) as arena:
        occupied = surfaces(arena, columns, rows, options.height, options.cell)
    picture = options.output.with_suffix(".pgm")
    Image.fromarray(np.where(occupied, OCCUPIED, FREE).astype(np.uint8)[::-1]).save(picture)
    options.output.with_suffix(".yaml").write_text(
        f"image: {picture.name}\nresolution: {options.cell}\n"
        f"origin: [{-columns * options.cell / 2.0}, {-rows * options.cell / 2.0}, 0.0]\n"
        "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n"
    )
    print(f"{picture}: {columns} x {rows} cells, {occupied.sum()} of them occupied")


if __name__ == "__main__":
    main()
