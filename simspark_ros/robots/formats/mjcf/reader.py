"""Reads MJCF by MuJoCo's own compiler, which resolves defaults, includes, frames, units and inertias."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.formats import check_variant
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.formats.mjcf.assets import pictures_of, take_meshes
from simspark_ros.robots.formats.mjcf.bodies import add_bodies
from simspark_ros.robots.formats.mjcf.compiled import Compiled
from simspark_ros.robots.formats.mjcf.couplings import add_couplings
from simspark_ros.robots.formats.mjcf.home import home_key, home_positions
from simspark_ros.robots.formats.mjcf.joints import add_joints
from simspark_ros.robots.formats.mjcf.motors import add_motors
from simspark_ros.robots.formats.mjcf.own_physics import own_physics
from simspark_ros.robots.formats.mjcf.sensors import add_sensors
from simspark_ros.robots.formats.mjcf.sources import check_sources
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly

_NO_MUJOCO = "MJCF is read by MuJoCo, which is not installed: pip install 'simspark_ros[mujoco]'"


def read_mjcf(path: Path, variant: int, limits: LimitSettings, meshes: MeshCollisions) -> Imported:
    """The robot of an MJCF file: the tree of bodies with the most joints.

    Raises:
        RobotError: the file cannot be used, or MuJoCo is missing.
    """
    check_variant(path, variant)
    files = check_sources(path, limits)
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise RobotError(f"{path}: {_NO_MUJOCO}") from None
    warnings: list[str] = []
    compiled = _compiled(mujoco, path, warnings.append, many=len(files) > 1)
    assembly = RobotAssembly(compiled.model_name, path)
    for warning in warnings:
        assembly.report.approximated("the file", f"MuJoCo warns: {cut(warning, 200)}", path.name)
    add_bodies(compiled, assembly)
    motors = add_motors(compiled, assembly.report)
    add_joints(compiled, assembly, motors)
    add_couplings(compiled, assembly)
    assembly.devices.home = home_positions(compiled, assembly)
    add_sensors(compiled, assembly)
    assembly.devices.set_drag(*compiled.drag)
    return replace(assembly.finished(limits, meshes), mjcf=own_physics(compiled))


def _compiled(mujoco: Any, path: Path, warn: Callable[[str], None], many: bool) -> Compiled:
    """The file compiled by MuJoCo; pictures on surfaces are left out."""
    # Without this function MuJoCo writes warnings to a file; an engine of the same process has another one.
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(warn)
    try:
        spec = mujoco.MjSpec.from_file(str(path.resolve()))
        meshes, pictures = take_meshes(mujoco, spec), pictures_of(spec)
        for material in spec.materials:
            material.textures = [""] * len(material.textures)
        for texture in list(spec.textures):
            spec.delete(texture)
        home = home_key(spec)
        for part in (*spec.keys, *spec.skins):
            spec.delete(part)
        model = spec.compile()
    # mujoco.FatalError is no ValueError.
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise RobotError(f"{path}: MuJoCo refuses it: {cut(' '.join(str(error).split()), 300)}") from None
    finally:
        mujoco.set_mju_user_warning(before)
    return Compiled(mujoco, spec, model, "" if many else path.name, meshes, pictures, home)
