"""Rigs of skates, to which `ground_grip` ties corners of robots."""

from __future__ import annotations

import pybullet

from simspark_ros.physics.bullet.robot import MAX_JOINT_SPEED

SKATES = 4
"""Skates of a rig: enough for two feet that stand."""

# Slides of a skate along x, y and z. The second carries the mass.
_SLIDES, _CARRIER = 3, 1
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# Mass of the links that only follow a corner, kg.
_LIGHT = 1.0e-4
# Radius of the shapes, m.
_RADIUS = 0.01
# Largest force of a tie, never reached, N.
_FORCE = 1.0e4


class SkateRig:
    """Four skates in one body, so that one call puts all of them to rest.

    A skate moves freely up and down. Sideways it is a mass at rest before a step: it gives way by step * force / mass.

    Args:
        client: Bullet's number of the world.

    Attributes:
        free: numbers of the skates that are tied to nothing.
        number: number of the rig among those in use.
    """

    number: int

    def __init__(self, client: int) -> None:
        self._client = client
        self.free = list(range(SKATES))
        self._slides = list(range(SKATES * _SLIDES))
        self._masses = [_LIGHT] * SKATES
        self._ties: dict[int, int] = {}
        count = len(self._slides)
        # Bullet groups bodies that it solves together by their shapes: a body without shapes could keep its group of an
        # earlier step. These shapes meet nothing.
        shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=_RADIUS, physicsClientId=client)
        self._body: int = pybullet.createMultiBody(
            0,
            linkMasses=[_LIGHT] * count,
            linkCollisionShapeIndices=[shape] * count,
            linkVisualShapeIndices=[-1] * count,
            linkPositions=[(0, 0, 0)] * count,
            linkOrientations=[(0, 0, 0, 1)] * count,
            linkInertialFramePositions=[(0, 0, 0)] * count,
            linkInertialFrameOrientations=[(0, 0, 0, 1)] * count,
            # The first slide of each skate is on the base, number 0, the others on the slide before.
            linkParentIndices=[0 if slide % _SLIDES == 0 else slide for slide in self._slides],
            linkJointTypes=[pybullet.JOINT_PRISMATIC] * count,
            linkJointAxis=list(_AXES) * SKATES,
            physicsClientId=client,
        )
        for link in (-1, *self._slides):
            pybullet.setCollisionFilterGroupMask(self._body, link, 0, 0, physicsClientId=client)
        damping = dict.fromkeys(("linearDamping", "angularDamping", "jointDamping"), 0.0)
        # An upper limit below the lower one means no limits.
        limits = {"maxJointVelocity": MAX_JOINT_SPEED, "jointLowerLimit": 1.0, "jointUpperLimit": -1.0}
        # Bullet gives every joint a motor.
        off = {"targetVelocity": 0.0, "force": 0.0}
        for slide in self._slides:
            pybullet.changeDynamics(self._body, slide, **damping, **limits, physicsClientId=client)
            pybullet.setJointMotorControl2(self._body, slide, pybullet.VELOCITY_CONTROL, **off, physicsClientId=client)

    def tie(self, body: int, link: int, pivot: list[float]) -> int:
        """Tie a free skate to a point of a link, in its inertial frame; returns the skate."""
        skate = self.free.pop()
        end, centre = skate * _SLIDES + _SLIDES - 1, (0, 0, 0)
        tie: int = pybullet.createConstraint(
            self._body, end, body, link, pybullet.JOINT_POINT2POINT, centre, centre, pivot, physicsClientId=self._client
        )
        pybullet.changeConstraint(tie, maxForce=_FORCE, physicsClientId=self._client)
        self._ties[skate] = tie
        return skate

    def move(self, skate: int, pivot: list[float]) -> None:
        """Move the tied point on its link."""
        pybullet.changeConstraint(self._ties[skate], jointChildPivot=pivot, physicsClientId=self._client)

    def release(self, skate: int) -> None:
        """Untie a skate."""
        pybullet.removeConstraint(self._ties.pop(skate), physicsClientId=self._client)
        self.free.append(skate)

    def remove(self) -> None:
        """Take an idle rig out of the world."""
        pybullet.removeBody(self._body, physicsClientId=self._client)

    @property
    def idle(self) -> bool:
        """Whether no skate is tied."""
        return not self._ties

    def load(self, skate: int, mass: float) -> None:
        """Give a skate its mass, kg."""
        if self._masses[skate] != mass:
            self._masses[skate] = mass
            pybullet.changeDynamics(self._body, skate * _SLIDES + _CARRIER, mass=mass, physicsClientId=self._client)

    def put(self, places: list[list[float]], speeds: list[list[float]]) -> None:
        """Put all slides somewhere, m, with velocities, m/s: a list of one number each."""
        pybullet.resetJointStatesMultiDof(self._body, self._slides, places, speeds, physicsClientId=self._client)
