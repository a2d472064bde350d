"""The world of an ODE engine without its robots: ground, obstacles, ball."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import BallModel, HeightField, SceneModel, Shape, ShapeKind, SurfaceMaterial, Vector
from simspark_ros.physics.ode.contacts import Contacts
from simspark_ros.physics.ode.hulls import HullArguments, hull_arguments
from simspark_ros.physics.ode.islands import Islands, are_worthwhile
from simspark_ros.physics.ode.library import Mass, OdeLibrary
from simspark_ros.physics.ode.native import native_of
from simspark_ros.physics.ode.robot import rotation_values
from simspark_ros.physics.ode.settings import OdeSettings
from simspark_ros.physics.ode.shapes import BALL, NO_OWNER, ShapeProperties
from simspark_ros.physics.surfaces import Material, hardness_of

_STATIC = 1
_ALL_BITS = 0xFFFFFFFF
_REALS = ctypes.POINTER(ctypes.c_double)
_THICKNESS = 1.0
"""Thickness of a height field below its lowest point, m; a deeper body has fallen through."""


class OdeWorld:
    """ODE's world and its space of all shapes, with their contacts; without gravity until it is built.

    Attributes:
        native: the compiled near-callbacks and calls, if they could be compiled.
    """

    def __init__(self, library: OdeLibrary, settings: OdeSettings) -> None:
        self._library = library
        self._step_time, self._threads = settings.step_time, settings.threads
        self.world: int = library.dWorldCreate()
        self.space: int = library.dHashSpaceCreate(None)
        library.dWorldSetERP(self.world, settings.world_erp)
        self._world_cfm = settings.world_cfm
        library.dWorldSetContactSurfaceLayer(self.world, settings.surface_layer)
        library.dWorldSetAutoDisableFlag(self.world, settings.auto_disable)
        self.native = native_of(library)
        self.contacts = Contacts(library, self.native, self.world, self.space, settings)
        self._islands: Islands | None = None
        self._height_fields: list[int] = []
        self._hulls: list[HullArguments] = []
        self.expect(())

    def build(self, scene: SceneModel) -> OdeBall | None:
        """Build ground, boxes and ball."""
        library = self._library
        library.dWorldSetGravity(self.world, *scene.gravity)
        self._add_static(library.dCreatePlane(self.space, 0.0, 0.0, 1.0, 0.0), Material.GROUND, scene.ground)
        for box in scene.boxes:
            geom = library.dCreateBox(self.space, *box.size)
            library.dGeomSetPosition(geom, *box.centre)
            self._add_static(geom, Material.BOX)
        for obstacle in scene.obstacles:
            shape = obstacle.shape
            made = self._height_field(shape) if isinstance(shape, HeightField) else self._solid(shape)
            self._add_static(made, Material.BOX, obstacle.material)
        return None if scene.ball is None else OdeBall(library, self, scene.ball)

    def _solid(self, shape: Shape) -> int:
        library = self._library
        geom: int
        if shape.kind is ShapeKind.HULL:
            # ODE keeps pointers to the numbers of hulls.
            self._hulls.append(hull_arguments(shape.vertices, rotation_from_rpy(shape.rpy)))
            geom = library.dCreateConvex(self.space, *self._hulls[-1])
        else:
            geom = getattr(library, f"dCreate{shape.kind.name.capitalize()}")(self.space, *shape.size)
        library.dGeomSetPosition(geom, *shape.position)
        library.dGeomSetRotation(geom, rotation_values(rotation_from_rpy(shape.rpy)))
        return geom

    def _height_field(self, field: HeightField) -> int:
        """Make a height field; ODE's y axis points up here, its z axis to the south."""
        library = self._library
        # The first row of ODE is at its least z, which is north.
        values = np.array(field.heights[::-1]).reshape(-1)
        columns, rows = len(field.heights[0]), len(field.heights)
        data: int = library.dGeomHeightfieldDataCreate()
        self._height_fields.append(data)
        library.dGeomHeightfieldDataBuildDouble(
            data, values.ctypes.data_as(_REALS), 1, *field.size, columns, rows, 1.0, 0.0, _THICKNESS, 0
        )
        geom: int = library.dCreateHeightfield(self.space, data, 1)
        library.dGeomSetPosition(geom, *field.position)
        library.dGeomSetRotation(geom, rotation_values(rotation_from_rpy((np.pi / 2.0, 0.0, 0.0))))
        return geom

    def _add_static(self, geom: int, material: Material, own: SurfaceMaterial | None = None) -> None:
        self._library.dGeomSetCategoryBits(geom, _STATIC)
        self._library.dGeomSetCollideBits(geom, _ALL_BITS & ~_STATIC)
        self.contacts.add_shape(geom, ShapeProperties(self.contacts.surface(material, own), NO_OWNER, None))

    def expect(self, masses: Sequence[float]) -> None:
        """Suit the world to robots of these masses, kg: softness, and steps by two threads if they are faster."""
        if self._islands is None and are_worthwhile(self._library, self._threads, len(masses)):
            self._islands = Islands(self._library, self.world)
        # One softness for the hinges of all robots: under Atlas each hinge of its legs gave way by a millimetre.
        hardest = max(map(hardness_of, masses), default=1.0)
        self._library.dWorldSetCFM(self.world, self._world_cfm / hardest)

    def step(self) -> None:
        """Find contacts and advance by one of ODE's steps.

        Raises:
            OdeFailedError: an assertion failed inside ODE; without `native.c` it is raised in an ExpendableThread only.
        """
        self.contacts.find()
        if self.native is None:
            self._library.dWorldStep(self.world, self._step_time)
        else:
            self.native.step(self.world, self._step_time)
        self.contacts.clear()

    def close(self) -> None:
        """Free everything."""
        self.contacts.close()
        self._library.dSpaceDestroy(self.space)
        for data in self._height_fields:
            self._library.dGeomHeightfieldDataDestroy(data)
        self.give_up()
        self._library.dWorldDestroy(self.world)

    def give_up(self) -> None:
        """End the threads of this world, which nobody steps any more."""
        if self._islands is not None:
            self._islands.close()
            self._islands = None


class OdeBall:
    """The ball, at first on the centre spot; drag: linear and angular, N s/m and N m s/rad."""

    def __init__(self, library: OdeLibrary, world: OdeWorld, model: BallModel) -> None:
        self._library = library
        self.drag = (model.linear_drag, model.angular_drag)
        self.body: int = library.dBodyCreate(world.world)
        mass, moment = Mass(), model.inertia
        library.dMassSetParameters(mass, model.mass, 0.0, 0.0, 0.0, moment, moment, moment, 0.0, 0.0, 0.0)
        library.dBodySetMass(self.body, mass)
        geom = library.dCreateSphere(world.space, model.radius)
        library.dGeomSetBody(geom, self.body)
        surface = world.contacts.surface(Material.BALL)
        world.contacts.add_shape(geom, ShapeProperties(surface, BALL, ctypes.c_void_p(self.body)))
        self.put((0.0, 0.0, model.radius), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))

    def put(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        """Put the ball somewhere, awake; m, m/s, rad/s."""
        library, body = self._library, self.body
        library.dBodySetPosition(body, *position)
        library.dBodySetForce(body, 0.0, 0.0, 0.0)
        library.dBodySetTorque(body, 0.0, 0.0, 0.0)
        self.set_velocity(velocity, spin)

    def set_velocity(self, velocity: Vector, spin: Vector) -> None:
        """Set velocity and spin, m/s and rad/s, and wake the ball."""
        self._library.dBodySetLinearVel(self.body, *velocity)
        self._library.dBodySetAngularVel(self.body, *spin)
        self._library.dBodyEnable(self.body)
