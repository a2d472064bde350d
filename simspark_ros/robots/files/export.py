"""Writes a robot's model as a URDF file for other programs, with its hulls as mesh files beside it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

from simspark_ros.physics.geometry.hulls import convex_faces
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.formats.urdf.document import parse_urdf


def export_urdf(robot: RobotDescription, path: Path) -> list[Path]:
    """Write a robot's model.

    Meshes go to a folder named after the file and have relative names, so file and folder belong together.

    Returns:
        The files that were written, the model's first.

    Raises:
        RobotError: the files cannot be written.
    """
    root = parse_urdf(robot.urdf, path.name)
    folder = path.with_name(f"{path.stem}_meshes")
    written, names = [path], dict[str, str]()
    try:
        for geometry in root.iter("geometry"):
            for hull in geometry.findall("hull"):
                points = hull.get("points", "")
                if points not in names:
                    names[points] = f"{folder.name}/hull_{len(names)}.obj"
                    folder.mkdir(exist_ok=True)
                    written.append(path.with_name(folder.name) / f"hull_{len(names) - 1}.obj")
                    written[-1].write_text(_obj(points), encoding="utf-8")
                geometry.remove(hull)
                ET.SubElement(geometry, "mesh", filename=names[points])
        ET.indent(root)
        path.write_text(ET.tostring(root, encoding="unicode") + "\n", encoding="utf-8")
    except OSError as error:
        raise RobotError(f"{path}: cannot be written: {error.strerror}") from None
    return written


def _obj(text: str) -> str:
    """A hull, given by the numbers of its points, as a file of the format OBJ."""
    points = np.array(text.split(), np.float64).reshape(-1, 3)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += [f"f {one + 1} {two + 1} {three + 1}" for one, two, three in convex_faces(points).triangles.tolist()]
    return "\n".join([*lines, ""])
