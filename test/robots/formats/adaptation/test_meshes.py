"""Meshes of makers become convex hulls, or a refusal with file and line."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.physics.model import Shape, ShapeKind
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.formats.adaptation import meshes
from simspark_ros.robots.formats.urdf.importer import import_urdf
from test.robots.formats.adaptation.makers import LIMITS, box, link, mesh, robot, write, write_mesh


def imported(path: Path) -> Imported:
    return read_format(path, 0, LIMITS)


def solid(path: Path) -> Shape:
    (shape,) = import_urdf(imported(path).urdf).base.collisions
    return shape


@pytest.mark.parametrize("ending", ["stl", "obj", "dae", "glb", "ply"])
def test_a_mesh_of_each_format_becomes_its_hull(tmp_path: Path, ending: str) -> None:
    write_mesh(tmp_path / f"part.{ending}", box(0.1, 0.2, 0.3))
    shape = solid(write(tmp_path, robot(link("base", mesh(f"part.{ending}", scale="1 1 2")))))
    assert (shape.kind, len(shape.vertices)) == (ShapeKind.HULL, 8)
    # Files hold single-precision numbers.
    assert shape.size == pytest.approx((0.1, 0.2, 0.6), abs=1e-6)


def test_a_mesh_in_millimetres_is_refused_with_the_remedy(tmp_path: Path) -> None:
    write_mesh(tmp_path / "part.stl", box(100.0, 200.0, 400.0))
    path = write(tmp_path, robot(link("base", mesh("part.stl"))))
    with pytest.raises(RobotError, match=r'made\.urdf:2: .*spans 400 m; .*is it in mm\? scale="0\.001 0\.001 0\.001"$'):
        imported(path)
    write(tmp_path, robot(link("base", mesh("part.stl", scale="0.001 0.001 0.001"))))
    assert solid(path).size == pytest.approx((0.1, 0.2, 0.4), abs=1e-6)
    # Too large in millimetres, too.
    write(tmp_path, robot(link("base", mesh("part.stl", scale="1e4 1e4 1e4"))))
    with pytest.raises(RobotError, match=r"near their link$"):
        imported(path)


def test_a_fine_mesh_becomes_a_coarse_hull_or_a_box_and_the_server_gets_no_file(tmp_path: Path) -> None:
    write_mesh(tmp_path / "ball.stl")
    read = imported(write(tmp_path, robot(link("base", mesh("ball.stl")))))
    (shape,) = import_urdf(read.urdf).base.collisions
    assert (len(shape.vertices), shape.size) == (64, pytest.approx((0.2, 0.2, 0.2), abs=1e-6))
    (note,) = [str(note) for note in read.report.notes if "mm inside" in note.how]
    assert note.startswith("made.urdf:2: approximated collision of link 'base': ball.stl: its convex hull, 64 of 642 ")
    # 64 corners, evenly on a ball of 100 mm, leave it by some mm at most.
    assert 0.5 < float(note.rpartition("up to ")[2].split()[0]) < 8.0
    path = write(tmp_path, "model: made.urdf\nmesh_collisions: boxes\n", "made.yaml")
    for made in (load_robot(str(path)), load_foreign(path, 0, LIMITS)):
        (shape,) = made.model.base.collisions
        assert (len(shape.vertices), shape.size) == (8, pytest.approx((0.2, 0.2, 0.2), abs=1e-6))
    path = tmp_path / "made.urdf"
    served = load_foreign(path, 0, LIMITS)
    assert "ball.stl" not in served.urdf and served.original == path.read_text(encoding="utf-8")
    assert served.report.counts() == {"understood": 1, "approximated": 1, "dropped": 0}
    # The hull's lowest corner is the ball's: standing height is exact.
    assert served.spawn_height == pytest.approx(0.1, abs=1e-6)
    with pytest.raises(RobotError, match="1280 triangles; mesh_triangles allows 1000"):
        load_foreign(path, 0, replace(LIMITS, mesh_triangles=1000))


def test_a_coarse_hull_keeps_the_corners_that_a_solid_stands_on(tmp_path: Path) -> None:
    """One of two equal feet was left out: Ginger leaned by 0.6 degrees."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.5)
    turns = np.radians([90.0, 225.0, 315.0])
    feet = np.column_stack([0.4 * np.cos(turns), 0.4 * np.sin(turns), np.full(3, -0.26)])
    points = np.concatenate([ball.vertices[ball.vertices[:, 2] > -0.25], feet])
    write_mesh(tmp_path / "body.stl", trimesh.Trimesh(points).convex_hull)
    shape = solid(write(tmp_path, robot(link("base", mesh("body.stl")))))
    corners = np.array(shape.vertices) + shape.position
    assert [float(np.linalg.norm(corners - foot, axis=1).min()) < 1e-6 for foot in feet] == [True] * 3


def test_a_flat_mesh_becomes_a_plate_units_of_collada_count_and_missing_solids_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", encoding="utf-8")
    assert solid(write(tmp_path, robot(link("base", mesh("sheet.obj"))))).size == pytest.approx((1.0, 1.0, 1e-3))
    path = write_mesh(tmp_path / "part.dae", box(100.0, 200.0, 300.0))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("</asset>", '<unit name="mm" meter="0.001"/></asset>'), encoding="utf-8")
    assert solid(write(tmp_path, robot(link("base", mesh("part.dae"))))).size == pytest.approx((0.1, 0.2, 0.3))
    notes = imported(write(tmp_path, robot(link("base", mesh("gone.stl", "visual"))))).report.lines()
    assert "made.urdf:2: dropped visual of link 'base': there is no file 'gone.stl'" in notes
    with pytest.raises(RobotError, match=r"made\.urdf:2: collision of link 'base': there is no file 'gone\.stl'"):
        imported(write(tmp_path, robot(link("base", mesh("gone.stl")))))
    with pytest.raises(RobotError, match=r"there is no file 'gone\.stl' of 'of/some/more/\S*\.\.\.'"):
        imported(write(tmp_path, robot(link("base", mesh("of/some/more/folders/that/are/above/it/gone.stl")))))


OWN = "package://arm_description/meshes/part.stl"


@pytest.mark.parametrize(
    ("address", "place"),
    [
        (OWN, "arm_description/meshes/part.stl"),
        ("package://meshes/part.stl", "arm_description/meshes/part.stl"),
        ("package://once_named/meshes/part.stl", "arm_description/meshes/part.stl"),
        (OWN, "others/arm_description/meshes/part.stl"),
        (OWN, "arm_description/urdf/arm_description/meshes/part.stl"),
        ("package://whole/arm_description/parts/part.stl", "arm_description/parts/part.stl"),
        ("file://{}", "arm_description/urdf/part.stl"),
    ],
)
def test_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, place: str) -> None:
    tmp_path = tmp_path / "whole"
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "others"))
    part, folder = write_mesh(tmp_path / place, box(1.0, 1.0, 1.0)), tmp_path / "arm_description" / "urdf"
    folder.mkdir(parents=True, exist_ok=True)
    file = write(folder, robot(link("base", mesh(address.format(part)))))
    assert solid(file).size == pytest.approx((1.0, 1.0, 1.0))


@pytest.mark.parametrize(("folder", "suffix"), [("urdf", ".urdf"), ("basic_urdf", ".urdf"), ("urdf", ".xml")])
def test_meshes_lie_beside_the_folder_of_the_models(tmp_path: Path, folder: str, suffix: str) -> None:
    write_mesh(tmp_path / "meshes" / "part.stl", box(1.0, 1.0, 1.0))
    (tmp_path / folder).mkdir()
    text = robot(link("base", mesh("../meshes/part.stl")))
    if suffix == ".xml":
        pytest.importorskip("mujoco")
        asset = '<compiler meshdir="../meshes"/><asset><mesh name="part" file="part.stl"/></asset>'
        text = f'<mujoco>{asset}<worldbody><body><geom type="mesh" mesh="part"/></body></worldbody></mujoco>'
    assert solid(write(tmp_path / folder, text, f"made{suffix}")).size == pytest.approx((1.0, 1.0, 1.0))


@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
def test_a_folder_of_models_is_known_by_its_name_whatever_the_folder_of_meshes_is(tmp_path: Path, suffix: str) -> None:
    write_mesh(tmp_path / "shapes" / "part.stl", box(1.0, 1.0, 1.0))
    folder = tmp_path / ("urdf" if suffix == ".urdf" else "mjcf")
    folder.mkdir()
    text = robot(link("base", mesh("../shapes/part.stl")))
    if suffix == ".xml":
        pytest.importorskip("mujoco")
        asset = '<asset><mesh name="part" file="../shapes/part.stl"/></asset>'
        text = f'<mujoco>{asset}<worldbody><body><geom type="mesh" mesh="part"/></body></worldbody></mujoco>'
    assert solid(write(folder, text, f"made{suffix}")).size == pytest.approx((1.0, 1.0, 1.0))


def test_a_file_that_is_seen_and_collides_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    joined = meshes._joined

    def noted(parts: Sequence[meshes.MeshContent]) -> meshes.MeshContent:
        read.append(len(parts))
        return joined(parts)

    monkeypatch.setattr(meshes, "_joined", noted)
    # A file that has just been written may be written again.
    os.utime(write_mesh(tmp_path / "part.stl", box(0.1, 0.2, 0.3)), (1.0, 1.0))
    both = mesh("part.stl") + mesh("part.stl", "visual")
    imported(write(tmp_path, robot(link("base", both))))
    assert read == [1]


def test_a_package_without_a_path_is_no_address(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"'package://part\.stl' names a package and no file in it"):
        imported(write(tmp_path, robot(link("base", mesh("package://part.stl")))))


def test_meshes_beside_a_folder_of_models_in_the_user_s_own_folder_are_not_a_package_s(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_mesh(tmp_path / "meshes" / "part.stl", box(1.0, 1.0, 1.0))
    (tmp_path / "models").mkdir()
    of_package = f"package://{tmp_path.name}/meshes/part.stl"
    for address, message in {"../meshes/part.stl": "leads out of the folder", of_package: "is not found"}.items():
        with pytest.raises(RobotError, match=message):
            imported(write(tmp_path / "models", robot(link("base", mesh(address)))))


def test_a_folder_with_meshes_of_its_own_belongs_to_no_package_above(tmp_path: Path) -> None:
    write_mesh(tmp_path / "assets" / "part.stl", box(1.0, 1.0, 1.0))
    write_mesh(tmp_path / "arm" / "meshes" / "part.stl", box(2.0, 2.0, 2.0))
    for address in ("package://once_named/meshes/part.stl", "meshes/part.stl"):
        file = write(tmp_path / "arm", robot(link("base", mesh(address))))
        assert solid(file).size == pytest.approx((2.0, 2.0, 2.0))
    with pytest.raises(RobotError, match="leads out of the folder"):
        imported(write(tmp_path / "arm", robot(link("base", mesh("../assets/part.stl")))))


def test_meshes_lie_in_a_package_or_folders_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, model = tmp_path / "checkout", tmp_path / "checkout" / "models" / "one"
    model.mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm</name></package>", encoding="utf-8")
    (model / "model.config").write_text("<model/>", encoding="utf-8")
    write_mesh(package / "meshes" / "part.stl", box(1.0, 1.0, 1.0))
    for address in ("package://arm/meshes/part.stl", "../../meshes/part.stl"):
        assert solid(write(model, robot(link("base", mesh(address))))).size == pytest.approx((1.0, 1.0, 1.0))
    write_mesh(tmp_path / "parts" / "part.stl", box(1.0, 1.0, 1.0))
    (tmp_path / "robot").mkdir()
    path = write(tmp_path / "robot", robot(link("base", mesh("../parts/part.stl"))))
    with pytest.raises(RobotError, match=r"leads out of .*; put a package\.xml into .* in SIMSPARK_MODEL_PATH"):
        imported(path)
    monkeypatch.setenv("SIMSPARK_MODEL_PATH", str(tmp_path))
    assert solid(path).size == pytest.approx((1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("../../../../../../etc/passwd", "leads out of the folder"),
        ("file:///etc/passwd", "leads out of the folder"),
        ("package://made/../../etc/passwd", "package 'made' is not found"),
        ("package://../etc/passwd", "is not a package name"),
        ("link.stl", "leads out of the folder"),
        ("http://example.org/part.stl", "use package://, file:// or a path"),
        ("made.urdf", "a mesh file must end in .stl"),
        ("x" * 5000 + ".stl", "not a file name|there is no file"),
    ],
)
def test_addresses_that_lead_elsewhere_are_refused(tmp_path: Path, address: str, problem: str) -> None:
    outside = write_mesh(tmp_path / "outside" / "part.stl")
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "link.stl").symlink_to(outside)
    path = write(folder, robot(link("base", mesh(address))))
    with pytest.raises(RobotError, match=rf"^made\.urdf:2: collision of link 'base': .*({problem})"):
        imported(path)


def million_triangles(path: Path) -> None:
    header = bytes(80) + np.uint32(1_000_000).tobytes()
    path.write_bytes(header + bytes(50 * 1_000_000))


def many_instances(path: Path) -> None:
    import trimesh

    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.icosphere(subdivisions=4), geom_name="ball")
    for number in range(800):
        scene.graph.update(frame_to=f"n{number}", geometry="ball", matrix=np.eye(4))
    path.write_bytes(scene.export(file_type="glb"))


@pytest.mark.parametrize(
    ("make", "ending", "scale", "problem"),
    [
        (million_triangles, "stl", "1 1 1", "50000084 bytes; mesh_file_size allows 20000000"),
        (many_instances, "glb", "1 1 1", "more than 500000 triangles"),
        ("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "obj", "1 1 1", "are not finite"),
        ("v 0 0 0\nv 1e200 0 0\nv 0 1 0\nf 1 2 3\n", "obj", "1 1 1", "spans 1e\\+200 m"),
        (write_mesh, "stl", "1e30 1 1", "spans 2e\\+29 m"),
        (write_mesh, "stl", "0 0 0", "spans 0 m"),
        (write_mesh, "stl", "1 1 nan", "3 finite numbers"),
        ("", "stl", "1 1 1", "cannot read the mesh as STL|no points"),
        ("\0" * 500, "dae", "1 1 1", "cannot read the mesh as DAE"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><COLLADA/>', "dae", "1 1 1", "has a <!DOCTYPE>"),
    ],
)
def test_hostile_meshes_are_refused_at_once(tmp_path: Path, make, ending: str, scale: str, problem: str) -> None:
    part = tmp_path / f"part.{ending}"
    part.write_text(make, encoding="utf-8") if isinstance(make, str) else make(part)
    path = write(tmp_path, robot(link("base", mesh(f"part.{ending}", scale=scale))))
    began = time.process_time()
    with pytest.raises(RobotError, match=rf"^made\.urdf:2: collision of link 'base': .*({problem})"):
        imported(path)
    # Of this process's own time, which a busy machine does not lengthen.
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize("alike", [False, True])
def test_corners_of_triangles_become_distinct_points_in_order(monkeypatch: pytest.MonkeyPatch, alike: bool) -> None:
    """Also if different points have one number."""
    points = np.random.default_rng(1).integers(-5, 6, (2000, 3)) * np.array([0.1, 1.0, -0.0])
    if alike:
        monkeypatch.setattr(meshes, "_MIX", np.uint64(0))
    found, place = meshes._distinct(points)
    np.testing.assert_array_equal(found, np.unique(points, axis=0))
    np.testing.assert_array_equal(found[place], points)
