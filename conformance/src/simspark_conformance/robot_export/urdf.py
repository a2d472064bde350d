"""Writes a robot's model as a URDF file for other programs, with its hulls and surfaces as mesh files beside it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.hulls import convex_faces
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.physics.surface import Surface
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.formats.adaptation.joints import end_of
from simspark_ros.robots.formats.urdf.document import parse_urdf
from simspark_ros.robots.formats.urdf.importer import WORLD


def export_urdf(robot: RobotDescription, path: Path) -> list[Path]:
    """Write a robot's model.

    Meshes go to a folder named after the file and have relative names, so file and folder belong together.

    Returns:
        The files that were written, the model's first.

    Raises:
        RobotError: the files cannot be written.
    """
    root = parse_urdf(robot.urdf, path.name)
    _bolt(root, robot)
    folder = path.with_name(f"{path.stem}_meshes")
    written, names = [path], dict[str, str]()
    try:
        for geometry in root.iter("geometry"):
            for solid in [one for one in geometry if one.tag in ("hull", "surface")]:
                text = _hull(solid) if solid.tag == "hull" else _surface(solid)
                if text not in names:
                    names[text] = f"{folder.name}/{solid.tag}_{len(names)}.obj"
                    folder.mkdir(exist_ok=True)
                    written.append(path.parent / names[text])
                    written[-1].write_text(text, encoding="utf-8")
                geometry.remove(solid)
                ET.SubElement(geometry, "mesh", filename=names[text])
        ET.indent(root)
        path.write_text(ET.tostring(root, encoding="unicode") + "\n", encoding="utf-8")
    except OSError as error:
        raise RobotError(f"{path}: cannot be written: {error.strerror}") from None
    return written


def _bolt(root: ET.Element, robot: RobotDescription) -> None:
    """Tie a robot that is bolted to the ground, but not by its model, to a link `world`."""
    children = {end_of(joint, "child") for joint in root.findall("joint")}
    top = next(name for link in root.findall("link") if (name := link.get("name", "")) not in children)
    if not robot.model.fixed_base or top == WORLD:
        return
    frames = {frame.name: frame.position[2] for frame in robot.model.frames}
    height = robot.spawn_height - robot.model.base.centre[2] + frames.get(top, 0.0)
    ET.SubElement(root, "link", name=WORLD)
    joint = ET.SubElement(root, "joint", name=f"{top}_bolts", type="fixed")
    ET.SubElement(joint, "origin", xyz=f"0 0 {height!r}")
    ET.SubElement(joint, "parent", link=WORLD)
    ET.SubElement(joint, "child", link=top)


def _hull(solid: ET.Element) -> str:
    """A hull, given by the numbers of its points, as a file of the format OBJ."""
    points = np.array(solid.get("points", "").split(), np.float64).reshape(-1, 3)
    return _obj(points, convex_faces(points).triangles)


def _surface(solid: ET.Element) -> str:
    """A surface as a file of the format OBJ; its colour stays in the URDF."""
    return _obj(*Surface(solid.get("points", ""), solid.get("triangles", ""), (0.0, 0.0, 0.0, 1.0)).arrays)


def _obj(points: Array, triangles: NDArray[np.int64]) -> str:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += [f"f {one + 1} {two + 1} {three + 1}" for one, two, three in triangles.tolist()]
    return "\n".join([*lines, ""])
