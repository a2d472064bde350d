"""The world of an ODE engine without its robots: ground, static boxes, ball."""

from __future__ import annotations

import ctypes

from simspark_ros.physics.model import BallModel, SceneModel, Vector
from simspark_ros.physics.ode.contacts import BALL, NO_OWNER, Contacts, ShapeProperties
from simspark_ros.physics.ode.library import Mass, OdeLibrary
from simspark_ros.physics.ode.settings import OdeSettings
from simspark_ros.physics.surfaces import Material

_STATIC = 1
_ALL_BITS = 0xFFFFFFFF


class OdeWorld:
    """ODE's world and its space of all shapes, with their contacts; without gravity until it is built."""

    def __init__(self, library: OdeLibrary, settings: OdeSettings) -> None:
        self._library = library
        self._cycle_time = settings.cycle_time
        self.world: int = library.dWorldCreate()
        self.space: int = library.dHashSpaceCreate(None)
        library.dWorldSetERP(self.world, settings.world_erp)
        library.dWorldSetCFM(self.world, settings.world_cfm)
        library.dWorldSetContactSurfaceLayer(self.world, settings.surface_layer)
        library.dWorldSetAutoDisableFlag(self.world, settings.auto_disable)
        self.contacts = Contacts(library, self.world, self.space, settings)

    def build(self, scene: SceneModel) -> OdeBall | None:
        """Build ground, boxes and ball."""
        library = self._library
        library.dWorldSetGravity(self.world, *scene.gravity)
        self._add_static(library.dCreatePlane(self.space, 0.0, 0.0, 1.0, 0.0), Material.GROUND)
        for box in scene.boxes:
            geom = library.dCreateBox(self.space, *box.size)
            library.dGeomSetPosition(geom, *box.centre)
            self._add_static(geom, Material.BOX)
        return None if scene.ball is None else OdeBall(library, self, scene.ball)

    def _add_static(self, geom: int, material: Material) -> None:
        self._library.dGeomSetCategoryBits(geom, _STATIC)
        self._library.dGeomSetCollideBits(geom, _ALL_BITS & ~_STATIC)
        self.contacts.add_shape(geom, ShapeProperties(material, NO_OWNER, None))

    def step(self) -> None:
        """Find contacts and advance by one cycle."""
        self.contacts.find()
        self._library.dWorldStep(self.world, self._cycle_time)
        self.contacts.clear()

    def close(self) -> None:
        """Free everything."""
        self.contacts.close()
        self._library.dSpaceDestroy(self.space)
        self._library.dWorldDestroy(self.world)


class OdeBall:
    """The ball, at first on the centre spot; drag: linear and angular, N s/m and N m s/rad."""

    def __init__(self, library: OdeLibrary, world: OdeWorld, model: BallModel) -> None:
        self._library = library
        self.drag = (model.linear_drag, model.angular_drag)
        self.body: int = library.dBodyCreate(world.world)
        mass, moment = Mass(), 0.4 * model.mass * model.radius**2
        library.dMassSetParameters(mass, model.mass, 0.0, 0.0, 0.0, moment, moment, moment, 0.0, 0.0, 0.0)
        library.dBodySetMass(self.body, mass)
        geom = library.dCreateSphere(world.space, model.radius)
        library.dGeomSetBody(geom, self.body)
        world.contacts.add_shape(geom, ShapeProperties(Material.BALL, BALL, ctypes.c_void_p(self.body)))
        self.put((0.0, 0.0, model.radius), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))

    def put(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        """Put the ball somewhere, awake; m, m/s, rad/s."""
        library, body = self._library, self.body
        library.dBodySetPosition(body, *position)
        library.dBodySetForce(body, 0.0, 0.0, 0.0)
        library.dBodySetTorque(body, 0.0, 0.0, 0.0)
        self.set_velocity(velocity, spin)

    def set_velocity(self, velocity: Vector, spin: Vector) -> None:
        """Velocities, m/s and rad/s; wakes the ball."""
        self._library.dBodySetLinearVel(self.body, *velocity)
        self._library.dBodySetAngularVel(self.body, *spin)
        self._library.dBodyEnable(self.body)
