"""A compiled MJCF file, with names for all its parts and the lines where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os.path import isfile
from pathlib import Path
from typing import Any

import numpy as np
from transforms3d.quaternions import quat2mat

from simspark_ros.configuration.names import unique
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import Vector

WORLD = 0
"""Id of the world's body."""

DRAG = ("linear_drag", "angular_drag")
"""Names of custom numbers for the drag of all links, N s/m and N m s/rad."""


@dataclass(frozen=True)
class MeshFile:
    """Path of a mesh's file, None for a mesh without one, and its scale along x, y, z."""

    path: Path | None
    scale: Vector

    @property
    def is_missing(self) -> bool:
        """Whether there is no such file."""
        return self.path is not None and not isfile(self.path)

    @property
    def is_read_here(self) -> bool:
        """Whether this package reads the file, or notes that it is missing; MuJoCo alone reads others."""
        return self.path is not None and (self.path.suffix.lower() in (".obj", ".stl") or self.is_missing)


@dataclass(frozen=True)
class Compiled:
    """A file as MuJoCo has compiled it.

    Attributes:
        mujoco: the module of MuJoCo.
        spec: the file's elements, with their lines.
        model: the compiled arrays.
        file: name of the file for notes; empty if lines may belong to several files.
        meshes: files of the meshes, by id.
        pictures: addresses of pictures on surfaces, by the names of their materials.
        home: positions (MuJoCo's `qpos`) of the keyframe in which the robot starts; empty without one.
    """

    mujoco: Any
    spec: Any
    model: Any
    file: str
    meshes: tuple[MeshFile, ...] = ()
    pictures: Mapping[str, str] = field(default_factory=dict)
    home: tuple[float, ...] = ()

    @property
    def model_name(self) -> str:
        """Name of the model."""
        return str(self.spec.modelname) or "mjcf"

    @cached_property
    def bodies(self) -> list[str]:
        """Names of bodies by id; bodies without a name are numbered."""
        return self._names(self.spec.bodies, self.model.nbody, "body")

    @cached_property
    def joints(self) -> list[str]:
        """Names of joints by id."""
        return self._names(self.spec.joints, self.model.njnt, "joint")

    @cached_property
    def tree(self) -> list[int]:
        """Ids of the robot's bodies: of the trees that hang on the world, the one with the most joints and mass."""
        roots = [i for i in range(1, self.model.nbody) if self.model.body_parentid[i] == WORLD]
        trees = {root: [i for i in range(1, self.model.nbody) if self._root(i) == root] for root in roots}
        model = self.model

        def size(root: int) -> tuple[int, float]:
            return sum(int(model.body_jntnum[i]) for i in trees[root]), float(model.body_subtreemass[root])

        return trees[max(roots, key=size)] if roots else []

    def _root(self, body: int) -> int:
        while self.model.body_parentid[body] != WORLD:
            body = int(self.model.body_parentid[body])
        return body

    @property
    def drag(self) -> tuple[float, float]:
        """Linear and angular drag of all links, N s/m and N m s/rad; 0 if the file gives none."""
        given = {element.name: float(element.data[0]) for element in self.spec.numerics if element.name in DRAG}
        return given.get(DRAG[0], 0.0), given.get(DRAG[1], 0.0)

    def place(self, element: Any) -> tuple[str, int]:
        """File and line of an element, for notes; line 0 if there is none."""
        word, _, number = element.info.partition(" ")
        return self.file, int(number) if word == "line" and number.isdecimal() else 0

    def pose(self, position: Any, quaternion: Any) -> Transform:
        """Pose from a position and a quaternion in MuJoCo's arrays."""
        return Transform(np.asarray(quat2mat(quaternion)), np.array(position, float))

    @staticmethod
    def _names(elements: Any, count: int, kind: str) -> list[str]:
        taken: set[str] = set()
        # Blanks around names mean nothing, so that names may be equal without them.
        given = {element.id: unique(name, taken) for element in elements if (name := element.name.strip())}
        return [given.get(i) or unique(f"{kind}{i}", taken) for i in range(count)]
