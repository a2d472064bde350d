"""Concave meshes collide as convex parts, if that is asked for."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import Delaunay

from simspark_ros.cli import main
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.formats.adaptation.hulls import MOST_PARTS
from simspark_ros.robots.formats.urdf.importer import import_urdf
from test.robots.formats.adaptation.makers import LIMITS, box, link, mesh, robot, write, write_mesh


def trough() -> Any:
    """A U of 0.3 m x 0.3 m x 0.3 m, open above, with a gap of 0.2 m."""
    import trimesh

    outline = np.array([(0, 0), (6, 0), (6, 6), (5, 6), (5, 2), (1, 2), (1, 6), (0, 6)]) * 0.05
    inside = [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)]
    ends = [np.column_stack((outline[:, 0] - 0.15, np.full(8, y), outline[:, 1])) for y in (-0.15, 0.15)]
    sides = [(one, (one + 1) % 8, (one + 1) % 8 + 8) for one in range(8)]
    others = [(one, (one + 1) % 8 + 8, one + 8) for one in range(8)]
    back = [(one + 8, three + 8, two + 8) for one, two, three in inside]
    return trimesh.Trimesh(np.concatenate(ends), [*inside, *back, *[(a, c, b) for a, b, c in [*sides, *others]]])


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A heavy robot that is a trough, seen and colliding; in one place, so that it is read once for each way."""
    folder = tmp_path_factory.mktemp("trough")
    write_mesh(folder / "trough.stl", trough())
    solids = mesh("trough.stl") + mesh("trough.stl", "visual")
    return write(folder, robot(link("base", solids, mass=50.0)))


def test_the_report_tells_parts_and_library_and_what_is_seen_stays_whole(file: Path) -> None:
    import trimesh

    read = load_foreign(file, 0, LIMITS, meshes="parts")
    base = read.model.base
    count = len(base.collisions)
    assert 3 <= count <= MOST_PARTS
    assert [len(one.arrays[1]) for one in base.surfaces] == [len(trough().faces)]
    told = f"trough.stl: {count} convex parts, cut by V-HACD"
    assert f"made.urdf:2: approximated collision of link 'base': {told}" in read.report.lines()
    # The cut may leave a little of the gap in a part; the hull has twice the volume.
    volume = sum(trimesh.convex.convex_hull(np.array(shape.vertices)).volume for shape in base.collisions)
    assert volume == pytest.approx(abs(trough().volume), rel=0.1)
    # The same mesh gives the same parts.
    assert read_format(file, 0, LIMITS, "parts").urdf == read.urdf


def test_there_is_room_between_the_parts_and_none_in_the_hull(file: Path) -> None:
    def filled(meshes: MeshCollisions) -> bool:
        shapes = load_foreign(file, 0, LIMITS, meshes=meshes).model.base.collisions
        # The middle of the gap, in the axes of each solid.
        solids = [(np.array(one.vertices) @ rotation_from_rpy(one.rpy).T + one.position) for one in shapes]
        middle = np.array([0.0, 0.0, 0.2])
        return any(Delaunay(solid).find_simplex(middle) >= 0 for solid in solids)

    assert filled("hulls") and not filled("parts")


def test_a_key_asks_for_parts_and_the_option_has_the_last_word(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(file.parent, "model: made.urdf\nmesh_collisions: parts\n", "made.yaml")
    inspect = ["robot", "inspect", str(file.with_suffix(".yaml")), "--robot-file-time", "60"]
    assert main(inspect) == 0
    assert "convex parts, cut by V-HACD" in capsys.readouterr().out
    assert main([*inspect, "--mesh-collisions", "boxes"]) == 0
    assert "trough.stl: the box around it" in capsys.readouterr().out


def test_an_export_of_parts_is_the_same_robot_again_and_other_formats_are_cut_too(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.urdf"
    export = ["robot", "export", str(file), "-o", str(out), "--mesh-collisions", "parts", "--robot-file-time", "60"]
    assert main(export) == 0
    before = load_foreign(file, 0, LIMITS, meshes="parts").model.base
    after = import_urdf(read_format(out, 0, LIMITS).urdf).base
    for old, new in zip(before.collisions, after.collisions, strict=True):
        # Files of meshes hold single-precision numbers when they are read.
        assert np.allclose(sorted(old.vertices), sorted(new.vertices), atol=1e-6)
    solid = '<collision name="c"><geometry><mesh><uri>trough.stl</uri></mesh></geometry></collision>'
    text = f'<sdf version="1.9"><model name="m"><link name="base">{solid}</link></model></sdf>'
    read = read_format(write(file.parent, text, "made.sdf"), 0, LIMITS, "parts")
    assert len(import_urdf(read.urdf).base.collisions) >= 3


@pytest.mark.parametrize("solid", ["box", "sheet", "cloud"])
def test_a_mesh_without_hollows_stays_one_solid(tmp_path: Path, solid: str) -> None:
    import trimesh

    made = {
        "box": box(0.1, 0.2, 0.3),
        "sheet": trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
        "cloud": trimesh.PointCloud(box(0.1, 0.2, 0.3).vertices),
    }[solid]
    write_mesh(tmp_path / "part.ply", made)
    file = write(tmp_path, robot(link("base", mesh("part.ply"))))
    (shape,) = import_urdf(read_format(file, 0, LIMITS, "parts").urdf).base.collisions
    assert len(shape.vertices) == 8


def test_without_the_library_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # In a folder of its own: parts of files that were read are kept.
    write_mesh(tmp_path / "trough.stl", trough())
    file = write(tmp_path, robot(link("base", mesh("trough.stl"))))
    monkeypatch.setitem(sys.modules, "vhacdx", None)
    with pytest.raises(RobotError, match=r"made\.urdf:2: .* the package vhacdx: pip install 'simspark_ros\[meshes\]'"):
        read_format(file, 0, LIMITS, "parts")
