"""The steps from a robot's files to its description, the same for robots of the package and for all others.

1. Find: the YAML file, with the files it is based on, or the model itself names the parts of the robot.
2. Read the format: URDF is text, xacro is processed, readers of other formats make URDF (`formats`).
3. Adapt: makers' URDF becomes plain; meshes become hulls, sensors and motors become lists as in a YAML file.
4. Import: the plain URDF becomes the model that engines take.
5. Describe: the lists become perceptors and effectors on that model.

Step 3 parses the maker's text, step 4 the plain one; nothing is parsed again. Steps 1 to 3 give an `Imported`, all of
them a `RobotDescription`. `catalogue` takes these steps in this process, `foreign` in another one with limits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.foreign import check_file_size
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.names import is_unicode
from simspark_ros.configuration.read_files import kept_until_edited
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.geometry.kinematics import standing_height
from simspark_ros.physics.model import ArticulatedModel, ShapeKind, SurfaceMaterial
from simspark_ros.robots.body.bolts import height_of, is_upright, with_base, without_world
from simspark_ros.robots.body.kinematics import home_pose
from simspark_ros.robots.body.size import check_size
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.format_table import URDF, YAML, MeshCollisions
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.imported import Imported, import_yaml, robot_file
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.files.robot_file import (
    ROBOTS,
    ModelNames,
    RobotFile,
    effectors_of,
    exclusions_of,
    of_variant,
    perceptors_of,
    touch_links_of,
)
from simspark_ros.robots.formats.urdf.capsules import without_capsules
from simspark_ros.robots.formats.urdf.importer import import_urdf
from simspark_ros.robots.types.parameters import RobotName

_BODY = re.compile(r'<body name="([^"]+)"')

NO_MORE: Mapping[str, list[Any]] = MappingProxyType({})

_NAME = 48
"""Characters of the name of a robot that has it from its model."""


def read_robot(
    path: Path,
    variant: int,
    limits: LimitSettings | None = None,
    *,
    wish: RobotName | None = None,
    meshes: MeshCollisions | None = None,
    more: Mapping[str, list[Any]] = NO_MORE,
) -> RobotDescription:
    """The description of a robot of any format, all of whose files are read now.

    Args:
        path: the robot's file.
        variant: the heterogeneous type.
        limits: the limits on the robot; None = it is the operator's own, with the usual limits on meshes alone.
        wish: the changed parameters of its body.
        meshes: the kind of solids that meshes collide as; None = as the YAML file says.
        more: further entries for the lists of the YAML file.

    Raises:
        RobotError, UserError: a file cannot be used; the message names file, place and remedy.
    """
    wish = wish or RobotName(str(path))
    body = variant if wish.body is None else wish.body
    document = _found(path, wish, limits, meshes, more)
    read = _read(path, document, body, limits or LimitSettings(), wish, meshes or "hulls")
    try:
        robot = describe(path, read.document, read.urdf, body, read.original, read.report)
    except RobotError as error:
        from simspark_ros.robots.formats.adaptation.adapt import located

        # Files of other formats have other lines than the URDF that was made of them.
        has_lines = path.suffix in (YAML, *URDF)
        if not has_lines:
            raise
        model = Path(read.document["model"])
        raise located(error, read.original, model, read.report.is_expanded) from None
    if read.mjcf and _has_bodies(robot.model, read.mjcf):
        robot = replace(robot, model=replace(robot.model, mjcf=read.mjcf))
    if limits is not None:
        check_size(robot, limits)
    if path.suffix != YAML:
        robot = replace(robot, name=robot.model.name[:_NAME])
    if wish.fixed_base is not None:
        robot = with_base(robot, wish.fixed_base)
    if not wish.changes and not wish.arguments and wish.body is None:
        return robot
    # Another robot, and of the type that was asked for.
    source = str(replace(wish, robot=robot.source.partition("?")[0]))
    return replace(robot, variant=variant, source=source, parameters={**robot.parameters, **wish.changes})


@kept_until_edited(64)
def yaml_document(path: Path) -> dict[str, Any]:
    """The content of a robot's YAML file and of the files it is based on, which nobody changes.

    Raises:
        RobotError: one of them cannot be used.
    """
    try:
        return ROBOTS.document(path)
    except ConfigurationError as error:
        raise RobotError(str(error)) from None


def _found(
    path: Path,
    wish: RobotName,
    limits: LimitSettings | None,
    meshes: MeshCollisions | None,
    more: Mapping[str, list[Any]],
) -> dict[str, Any]:
    """The content of the YAML file, empty for a robot that has none."""
    if path.suffix != YAML:
        if wish.changes:
            raise RobotError(f"{path}: parameters: only a robot's YAML file can declare parameters")
        return {}
    document = yaml_document(path)
    if meshes:
        document = {**document, "mesh_collisions": meshes}
    for key, entries in more.items():
        document = {**document, key: [*document.get(key, []), *entries]}
    model = document.get("model")
    if limits is not None and isinstance(model, str) and Path(model).is_file():
        check_file_size(Path(model), limits)
    return document


def _read(
    path: Path, document: dict[str, Any], body: int, limits: LimitSettings, wish: RobotName, meshes: MeshCollisions
) -> Imported:
    if path.suffix == YAML:
        return import_yaml(path, document, body, limits, wish.changes)
    return read_format(path, body, limits, meshes, wish.arguments)


def describe(
    path: Path,
    document: Mapping[str, Any],
    urdf: str,
    variant: int,
    original: str = "",
    report: ImportReport | None = None,
) -> RobotDescription:
    """The description of a robot from the content of its files.

    Args:
        path: the robot's file.
        document: the content of its YAML file and of the files it is based on, or what such a file would say.
        urdf: its model in plain URDF.
        variant: the heterogeneous type.
        original: the model as it was read, if it was another text.
        report: the report of reading it.

    Raises:
        RobotError: the files cannot be used.
    """
    file = robot_file(path, document)
    place = str(path.resolve())
    if not is_unicode(place):
        raise RobotError(f"{place}: the file's path must be UTF-8, so that messages can name it")
    model, names = _imported(path, file, urdf, variant)
    for joint, position in file.home.items():
        names.check_position(joint, position, "home")
    home = home_pose(model, file.home)
    model, mount = without_world(model)
    report = report or ImportReport()
    if mount is not None and not is_upright(mount):
        report.approximated("the world", "the tilted base is bolted upright; tilt it by its pose at the spawn")
    if file.fixed_base is not None:
        model = replace(model, fixed_base=file.fixed_base)
    for label, link in file.visible_parts.items():
        names.check_word(label, "visible_parts")
        names.check(link, names.places, "link or frame", f"visible_parts: {cut(label, 40)}")
    for index, ring in enumerate(file.lights):
        names.check(ring.link, names.links, "link", f"lights[{index}]: link")
    original = without_capsules(original or urdf)
    return RobotDescription(
        name=path.stem,
        variant=variant,
        model=model,
        perceptors=perceptors_of(file, variant, names),
        effectors=effectors_of(file, variant, names),
        visible_parts=file.visible_parts,
        spawn_height=height_of(model, mount) if mount and model.fixed_base else standing_height(model, home),
        urdf=urdf,
        original="" if original == urdf else original,
        report=report,
        file=str(path),
        source=path.stem if path == resource("config", "robots") / f"{path.stem}.yaml" else place,
        self_collision_exclusions=exclusions_of(file, names),
        motors=file.motors,
        motor_data=file.motor_data,
        body=variant,
        parameters=file.body_rules.values(variant, {}),
        lights=file.lights,
        home=tuple(home.values()) if any(home.values()) else (),
    )


def _has_bodies(model: ArticulatedModel, mjcf: str) -> bool:
    """Whether the bodies of the text for MuJoCo are the links; contacts of its links cannot be measured."""
    return set(map(unescape, _BODY.findall(mjcf))) == {link.name for link in model.links} and not model.touch_links


def _imported(path: Path, file: RobotFile, urdf: str, variant: int) -> tuple[ArticulatedModel, ModelNames]:
    """The model for engines, with what the file says of its links, and the names in it."""
    model = import_urdf(
        urdf,
        source=f"{Path(file.model).name} of variant {variant}",
        shapes={link: ShapeKind(kind) for link, kind in file.shapes.items()},
        touch_links=[entry.link for _, entry in of_variant(file.touch_links, variant)],
        linear_drag=file.linear_drag,
        angular_drag=file.angular_drag,
    )
    names = ModelNames(path, model)
    touch_links = touch_links_of(file, variant, names)
    if touch_links != model.touch_links:
        model = replace(model, touch_links=touch_links)
    for link in file.materials:
        names.check(link, names.links, "link", "materials")
    if file.materials:
        model = replace(model, links=tuple(replace(link, material=_material(file, link.name)) for link in model.links))
    return model, names


def _material(file: RobotFile, link: str) -> SurfaceMaterial | None:
    given = file.materials.get(link)
    return None if given is None else SurfaceMaterial(given.friction, given.restitution)
