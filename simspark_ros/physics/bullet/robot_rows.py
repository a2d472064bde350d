"""All that is bound to a fixed list of robots in a Bullet world: what reads, drives and corrects them."""

from __future__ import annotations

import numpy as np
import pybullet

from simspark_ros.physics.bullet.ball import BulletBall
from simspark_ros.physics.bullet.far_pair_filter import FarPairFilter
from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.motors import BulletMotors
from simspark_ros.physics.bullet.ode_likeness.ground_grip import GroundGrip
from simspark_ros.physics.bullet.ode_likeness.separate_bodies import SeparateBodies
from simspark_ros.physics.bullet.rebounds import Rebounds
from simspark_ros.physics.bullet.robot import BASE, BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.bullet.spare_robots import SpareRobots
from simspark_ros.physics.bullet.table import RobotTable
from simspark_ros.physics.bullet.touch import TouchReader
from simspark_ros.physics.engine import Array, EngineState
from simspark_ros.physics.model import Vector
from simspark_ros.physics.ode_likeness.correction import Correction, Motion, Pushes


class RobotRows:
    """Made anew when the list changes; takes over what `old` knows of robots that stay, also from another world.

    Args:
        client: Bullet's number of the world.
        state: state with these robots.
        standing: restitution of immovable bodies for links with a material, by body.

    Attributes:
        table: bases and joints of the robots.
        links: places of their links.
        bodies, grip: ODE's likeness.
        far_pairs: links that cannot touch.
        motors: motors of the joints.
        touches: contacts of the robots.
    """

    def __init__(
        self,
        client: int,
        settings: BulletSettings,
        gravity: Vector,
        robots: list[BulletRobot],
        state: EngineState,
        spare: SpareRobots,
        standing: dict[int, float],
        ball: BulletBall | None,
        old: RobotRows | None,
    ) -> None:
        self._client = client
        bodies, grip, far_pairs = (None, None, None) if old is None else (old.bodies, old.grip, old.far_pairs)
        self.table = RobotTable(client, settings, robots)
        self.links = LinkStates(robots)
        self.bodies: SeparateBodies = SeparateBodies(settings, robots, self.links, bodies)
        self.grip: GroundGrip = GroundGrip(client, settings, robots, self.links, self.bodies, gravity, grip)
        self.far_pairs: FarPairFilter = FarPairFilter(client, settings, robots, spare.robots, far_pairs)
        self.motors = BulletMotors(client, settings, robots, state)
        self.touches = TouchReader(client, robots, self.links, self.grip, None if ball is None else ball.body)
        self._spare = spare if spare.is_needed else None
        rebounds = Rebounds(client, settings.step_time, gravity, robots, standing)
        # Called around a step in this order, as the grip takes the bodies' motions; none where none is needed.
        every: tuple[Correction, ...] = (rebounds, self.bodies, self.grip)
        self._corrections = [one for one in every if one.is_needed]

    def push(self, motion: Motion, effort: Array, is_pushed: bool) -> None:
        """Apply what acts in the coming Bullet step; effort: (J,) efforts besides the motors', N m or N, if any."""
        if self._spare is not None:
            self._spare.before_step()
        wrenches = None
        if self._corrections:
            wrenches = np.zeros((len(motion.bases), 6))
            pushes = Pushes(wrenches, effort.copy())
            for correction in self._corrections:
                correction.before_step(motion, pushes)
            effort, is_pushed = pushes.efforts, True
        self.table.push(motion.bases, self.links.spins(), wrenches)
        if is_pushed:
            self.motors.push(effort.tolist())

    def land(self, base: Array, rotations: Array, joints: Array) -> None:
        """Find the links after a Bullet step from the tables of bases and joints and the bases' rotations."""
        self.links.read(base, rotations, joints)
        for correction in self._corrections:
            correction.land()

    def after_step(self, before: Motion, after: Motion) -> None:
        """Let corrections look at a Bullet step; links are still as before it."""
        for correction in self._corrections:
            correction.after_step(before, after)

    def forget(self, row: int) -> None:
        """Forget the motion of a robot that was put somewhere."""
        for correction in self._corrections:
            correction.forget(row)

    def motions_of(self, body: int, link: int) -> tuple[Array, Array, Array] | None:
        """See `ball_contacts.MotionsOf`; before the links are read after a step."""
        place = self.links.find(body, link)
        if place is None:
            return None
        if (motions := self.bodies.motions_of(place)) is None:
            if link == BASE:
                velocities = pybullet.getBaseVelocity(body, physicsClientId=self._client)
            else:
                state = pybullet.getLinkState(body, link, computeLinkVelocity=1, physicsClientId=self._client)
                velocities = state[6:8]
            motions = (np.concatenate(velocities),) * 2
        return self.links.centres[place], *motions
