"""Formats of robots: endings of files and their readers."""

from __future__ import annotations

from typing import Literal

YAML, URDF, SDF = ".yaml", (".urdf", ".xacro"), (".sdf", ".world")

READERS = {
    **dict.fromkeys(URDF, ("simspark_ros.robots.files.imported", "read_urdf")),
    **dict.fromkeys(SDF, ("simspark_ros.robots.formats.sdf.reader", "read_sdf")),
    ".xml": ("simspark_ros.robots.formats.mjcf.reader", "read_mjcf"),
    ".rsg": ("simspark_ros.robots.formats.rsg.reader", "read_rsg"),
}
"""Ending -> module and name of the reader of a format.

A reader takes the arguments of `read_format`, and gives an `Imported`. Its module is imported on first use, as MuJoCo
need not be installed.
"""

FORMATS = {YAML: "simspark", **{ending: ending[1:] for ending in READERS}, ".xml": "mjcf", ".world": "sdf"}
"""Endings of files that robots are read from, and the names of their formats."""

MODEL_ENDINGS = tuple(READERS)
"""Endings of files of robots without a YAML file."""

FOREIGN_PROGRAM = "simspark_ros.robots.files.foreign_program"
"""Module of the process that reads a robot's file, see `configuration.foreign`."""

MeshCollisions = Literal["hulls", "boxes", "parts"]
"""Kind of solid that meshes collide as: their convex hulls, the boxes around them, or convex parts."""
