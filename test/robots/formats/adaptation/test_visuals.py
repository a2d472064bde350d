"""Meshes that are seen keep their shape and colours, and never refuse a robot."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.model import Link
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.formats.adaptation.visuals import MOST_TRIANGLES
from simspark_ros.robots.formats.urdf.importer import import_urdf
from test.robots.formats.adaptation.makers import BOX, LIMIT, LIMITS, box, joint, link, mesh, robot, write, write_mesh

RED, GREEN, GREY = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.7, 0.7, 0.7, 1.0)


def base_of(path: Path) -> Link:
    return import_urdf(read_format(path, 0, LIMITS).urdf).base


def colours(base: Link) -> set[tuple[float, ...]]:
    """Colours of what is seen of a link, with two digits."""
    return {tuple(round(share, 2) for share in surface.rgba) for surface in base.surfaces}


def seen(address: str, material: str = "") -> str:
    return mesh(address, "visual").replace("</visual>", f"{material}</visual>")


def test_a_mesh_that_is_seen_is_drawn_as_it_is_and_a_mirrored_one_shows_its_outside(tmp_path: Path) -> None:
    write_mesh(tmp_path / "ball.stl")
    (surface,) = base_of(write(tmp_path, robot(link("base", seen("ball.stl"))))).surfaces
    points, triangles = surface.arrays
    assert (len(triangles), surface.rgba) == (1280, GREY)
    assert np.linalg.norm(points, axis=1) == pytest.approx(0.1, abs=1e-6)
    both = mesh("ball.stl", "visual", "1 1 1") + mesh("ball.stl", "visual", "1 -1 1")
    for surface in base_of(write(tmp_path, robot(link("base", both)))).surfaces:
        points, triangles = surface.arrays
        one, two, three = (points[triangles[:, corner]] for corner in range(3))
        assert (np.einsum("ij,ij->i", np.cross(two - one, three - one), one) > 0.0).all()


def test_triangles_of_a_robot_are_within_a_budget_and_keep_the_shape(tmp_path: Path) -> None:
    import trimesh

    write_mesh(tmp_path / "ball.stl", trimesh.creation.icosphere(subdivisions=6, radius=0.1))
    read = read_format(write(tmp_path, robot(link("base", seen("ball.stl")))), 0, LIMITS)
    (surface,) = import_urdf(read.urdf).base.surfaces
    points, triangles = surface.arrays
    assert 0.4 * MOST_TRIANGLES < len(triangles) <= MOST_TRIANGLES
    # Cells of 4 mm hold means of points of the ball.
    assert np.linalg.norm(points, axis=1) == pytest.approx(0.1, abs=1e-3)
    assert f"ball.stl: {MOST_TRIANGLES} of 81920 triangles" in "".join(read.report.lines())


def write_fine_mesh(path: Path, number: int, rows: int = 77) -> int:
    """Write a bumpy ball as binary STL, each number another one; return how many triangles it has."""
    about, down = np.linspace(0.0, math.tau, rows + 1)[:, None], np.linspace(0.05, math.pi - 0.05, rows + 1)
    radius = 0.1 + 0.01 * np.sin(5.0 * about + number) * np.sin(7.0 * down)
    x, y, z = np.cos(about) * np.sin(down), np.sin(about) * np.sin(down), np.cos(down)
    points = radius[..., None] * np.stack(np.broadcast_arrays(x, y, z), axis=-1)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    corners = np.concatenate([np.stack(three, axis=2) for three in ((a, d, b), (b, d, c))]).reshape(-1, 3, 3)
    rows_of = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows_of["corners"] = corners
    path.write_bytes(bytes(80) + np.uint32(len(corners)).tobytes() + rows_of.tobytes())
    return len(corners)


def test_twelve_megabytes_of_meshes_are_read_within_half_of_what_clients_may_use(tmp_path: Path) -> None:
    """As much as a Booster K1 has: 20 links, each seen and colliding by a mesh of its own."""
    triangles = sum(write_fine_mesh(tmp_path / f"{number}.stl", number) for number in range(20))
    links = [link(f"l{one}", seen(f"{one}.stl") + mesh(f"{one}.stl")) for one in range(20)]
    joints = [joint(f"j{one}", f"l{one}", f"l{one + 1}", LIMIT) for one in range(19)]
    # Processor time and address space, which the kernel bounds; the latter begins at 210 MB for libraries.
    limits = LimitSettings(robot_file_time=5.0, robot_file_memory=300)
    model = load_foreign(write(tmp_path, robot(*links, *joints)), 0, limits).model
    kept = sum(len(surface.arrays[1]) for one in model.links for surface in one.surfaces)
    assert (triangles > 230_000, 0.9 * MOST_TRIANGLES < kept <= MOST_TRIANGLES) == (True, True)
    assert max(len(one.collisions[0].vertices) for one in model.links) <= 64


def test_surfaces_move_with_the_body_that_carries_them_and_lost_looks_are_seen_as_they_collide(tmp_path: Path) -> None:
    write_mesh(tmp_path / "part.stl", box(0.2, 0.2, 0.2))
    mount = joint("j", "base", "frame", '<origin xyz="1 0 0"/>', "fixed")
    base = base_of(write(tmp_path, robot(link("base"), link("frame", seen("part.stl"), mass=0.0), mount)))
    (surface,) = base.surfaces
    assert surface.arrays[0].mean(axis=0) == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    lost, none = link("base", mesh("gone.stl", "visual") + BOX), link("arm", BOX)
    for parts, shown in ([lost, none], [1, 0]), ([link("base", BOX), none], [1, 1]):
        read = read_format(write(tmp_path, robot(*parts, joint("j", "base", "arm", LIMIT))), 0, LIMITS)
        links = import_urdf(read.urdf).links
        assert [len(one.visuals) for one in links] == shown
        assert links[0].visuals == links[0].collisions


def with_materials(folder: Path) -> str:
    """An OBJ file with two materials in a file beside it."""
    (folder / "part.mtl").write_text("newmtl a\nKd 1 0 0\nnewmtl b\nKd 0 1 0\n", encoding="utf-8")
    points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    text = f"mtllib part.mtl\n{points}usemtl a\nf 1 2 3\nf 1 3 4\nusemtl b\nf 1 4 2\nf 2 4 3\n"
    (folder / "part.obj").write_text(text, encoding="utf-8")
    return "part.obj"


def with_picture(folder: Path) -> str:
    """An OBJ file with a picture on it, red on its left half and green on the right one, in the next folder."""
    (folder / "textures").mkdir()
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[:, :4, 0] = pixels[:, 4:, 1] = 255
    Image.fromarray(pixels).save(folder / "textures" / "part.png")
    (folder / "meshes").mkdir()
    (folder / "meshes" / "part.mtl").write_text("newmtl a\nmap_Kd ../textures/part.png\n", encoding="utf-8")
    points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    text = f"mtllib part.mtl\n{points}usemtl a\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
    (folder / "meshes" / "part.obj").write_text(text, encoding="utf-8")
    return "meshes/part.obj"


def with_corner_colours(folder: Path) -> str:
    import trimesh

    solid = box(0.2, 0.2, 0.2)
    paint = np.tile((255, 0, 0, 255), (len(solid.faces), 1))
    paint[: len(solid.faces) // 2] = (0, 255, 0, 255)
    solid.visual = trimesh.visual.ColorVisuals(solid, face_colors=paint)
    write_mesh(folder / "part.ply", solid)
    return "part.ply"


@pytest.mark.parametrize("make", [with_materials, with_picture, with_corner_colours])
def test_colours_of_a_mesh_s_file_are_seen(tmp_path: Path, make: Callable[[Path], str]) -> None:
    path = write(tmp_path, robot(link("base", seen(make(tmp_path)))))
    assert colours(base_of(path)) == colours(load_foreign(path, 0, LIMITS).model.base) == {RED, GREEN}


def test_a_material_colours_a_mesh_without_colours_and_its_picture_is_put_on_it(tmp_path: Path) -> None:
    write_mesh(tmp_path / "ball.stl")
    material = '<material name=""><color rgba="1 0 0 1"/></material>'
    assert colours(base_of(write(tmp_path, robot(link("base", seen("ball.stl", material)))))) == {RED}
    address = with_picture(tmp_path)
    (tmp_path / "meshes" / "part.mtl").unlink()
    named = '<material name="skin"><texture filename="textures/part.png"/></material>'
    for parts in (
        [link("base", seen(address, named))],
        [named, link("base", seen(address, '<material name="skin"/>'))],
    ):
        assert colours(base_of(write(tmp_path, robot(*parts)))) == {RED, GREEN}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "no OBJ file|no points"),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no triangles"),
        (b"v 0 0 0\nv 1e200 0 0\nv 0 1 0\nf 1 2 3\n", "spans"),
        (b"<!DOCTYPE a>", "DOCTYPE"),
    ],
)
def test_a_broken_visual_is_dropped(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "part.obj").write_bytes(content)
    read = read_format(write(tmp_path, robot(link("base", seen("part.obj")))), 0, LIMITS)
    (line,) = [line for line in read.report.lines() if "dropped visual" in line]
    assert re.search(problem, line)


def test_pictures_outside_the_package_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "robot"
    folder.mkdir(parents=True)
    address = with_picture(folder)
    (folder / "textures" / "part.png").rename(tmp_path / "part.png")
    (folder / "meshes" / "part.mtl").write_text("newmtl a\nmap_Kd ../../../part.png\n", encoding="utf-8")
    assert RED not in colours(base_of(write(folder, robot(link("base", seen(address))))))


def test_colours_of_sdf_and_mjcf_come_from_their_materials(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    write_mesh(tmp_path / "ball.stl")
    shape = "<geometry><mesh><uri>ball.stl</uri></mesh></geometry><material><diffuse>1 0 0 1</diffuse></material>"
    sdf = f"<sdf version='1.9'><model name='m'><link name='l'><visual name='v'>{shape}</visual></link></model></sdf>"
    assert colours(base_of(write(tmp_path, sdf, "made.sdf"))) == {RED}
    assets = '<asset><mesh name="m" file="ball.stl"/><material name="red" rgba="1 0 0 1"/></asset>'
    geoms = '<geom type="mesh" mesh="m" material="red" group="1"/><geom type="box" size="1 1 1" group="3"/>'
    mjcf = f"<mujoco>{assets}<worldbody><body><freejoint/>{geoms}</body></worldbody></mujoco>"
    base = base_of(write(tmp_path, mjcf, "made.xml"))
    assert colours(base) == {RED}
    # What only collides is not seen, as in MuJoCo's viewer.
    assert (base.visuals, len(base.collisions)) == ((), 2)


def test_a_missing_mesh_of_mjcf_is_dropped_if_it_is_only_seen(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")

    def lines(bits: str) -> list[str]:
        inertial = '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'
        body = f'<body name="b"><freejoint/>{inertial}<geom type="mesh" mesh="m" {bits}/></body>'
        assets = '<asset><mesh name="m" file="gone.stl"/><texture name="t" type="2d" file="gone.png"/></asset>'
        path = write(tmp_path, f"<mujoco>{assets}<worldbody>{body}</worldbody></mujoco>", "made.xml")
        return read_format(path, 0, LIMITS).report.lines()

    told = "made.xml: dropped visual of link 'b': there is no file 'gone.stl'"
    assert told in lines('contype="0" conaffinity="0"')
    with pytest.raises(RobotError, match=r"collision of link 'b': there is no file 'gone\.stl'"):
        lines("")
