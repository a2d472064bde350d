"""Links of Bullet's robots that move by themselves, as ODE's bodies do: equations in `physics.ode_likeness`.

Bullet's robots keep their hinges closed. Forces on the links, as one wrench at each base and efforts of the joints,
replace the centrifugal and gyroscopic forces that Bullet adds by itself, and bring the velocities that close gaps. The
shifts of the links from Bullet's places to their real ones are for contacts: see `ground_grip`, `limb_grounds` and
`ball`.
"""

from __future__ import annotations

import numpy as np

from simspark_ros.kernels.bullet.robot_trees import RobotTrees
from simspark_ros.kernels.momentum import MomentumKernel
from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.bullet.table import ANGULAR, LINEAR
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.ode_likeness.correction import Correction, Motion, Pushes
from simspark_ros.physics.ode_likeness.gaps import hinge_gaps
from simspark_ros.physics.ode_likeness.trees import Trees


class SeparateBodies(Correction):
    """The links of a fixed list of robots (rows); make a new one when the list changes, which takes over from `old`.

    Args:
        links: states of all links; their shifts and closing velocities are set here.
    """

    def __init__(
        self, settings: BulletSettings, robots: list[BulletRobot], links: LinkStates, old: SeparateBodies | None
    ) -> None:
        tree = Trees([robot.model for robot in robots] if settings.hinge_drift else [])
        self.is_needed = bool(tree.taking.any())
        count = len(links.centres) if self.is_needed else 0
        self._links = links
        self._closing_rate = settings.hinge_erp / settings.step_time
        self._shift, self._closing = links.shifts, links.closing
        self._robots = {id(robot): links.of_robot(row) for row, robot in enumerate(robots)}
        self._rows = list(self._robots.values())
        self._taking: BoolArray = tree.taking
        # Motions of the last step and the one before, and the forces that make the last step's momenta in a step.
        self._motion: Array = np.zeros((count, 6))
        self._before: Array = np.zeros((count, 6))
        self._carried: Array = np.zeros((count, 6))
        # Links whose momenta are not known, and links whose motion before the last step was known.
        self._unknown: BoolArray = np.ones(count, np.bool_)
        self._knew: BoolArray = np.zeros(count, np.bool_)
        if self.is_needed:
            self._bind(settings, tree)
            if old is not None and old.is_needed:
                self._inherit(old)

    def _bind(self, settings: BulletSettings, tree: Trees) -> None:
        count, rate = len(self._motion), 1.0 / settings.step_time
        masses, inertias = tree.masses * rate, tree.inertias * rate
        turns = np.zeros((count, 9))
        self._velocities: Array = np.zeros((count, 6))
        self._forces: Array = np.zeros((count, 6))
        self._trees = RobotTrees(
            step=settings.step_time,
            parents=tree.parents,
            robots=tree.robots,
            hinges=tree.hinges,
            home_axes=tree.axes,
            home_levers=tree.levers,
            centres=self._links.centres,
            rotations=self._links.rotations.reshape(-1, 9),
            principal=tree.principal.reshape(-1, 9),
            turns=turns,
            masses=masses,
            inertias=inertias,
            axes=np.zeros((count, 3)),
            levers=np.zeros((count, 3)),
            arms=np.zeros((count, 3)),
            velocities=self._velocities,
            accelerations=np.zeros((count, 6)),
            forces=self._forces,
        )
        self._momenta = MomentumKernel(
            velocities=self._velocities,
            forces=self._forces,
            closing_velocity=self._closing,
            closing_spin=np.zeros((count, 3)),
            turns=turns,
            masses=masses,
            inertias=inertias,
            weights=np.zeros((count, 3)),
            motion=self._motion,
            carried=self._carried,
            unknown=self._unknown.view(np.uint8),
        )
        motion = self._shift, self._closing, np.zeros((count, 3))
        hinged, free = np.flatnonzero(tree.hinges >= 0), np.flatnonzero(tree.parents < 0)
        self._gaps = hinge_gaps(settings, settings.step_time, motion, tree.parents, hinged, free)

    def _inherit(self, old: SeparateBodies) -> None:
        pairs = (
            (self._shift, old._shift),
            (self._closing, old._closing),
            (self._motion, old._motion),
            (self._carried, old._carried),
            (self._unknown, old._unknown),
        )
        for robot, own in self._robots.items():
            if (others := old._robots.get(robot)) is not None:
                for mine, other in pairs:
                    mine[own] = other[others]

    def forget(self, row: int) -> None:
        """Close the gaps of a robot that was put somewhere, and forget its momenta."""
        self._shift[self._rows[row]] = self._closing[self._rows[row]] = 0.0
        self.forget_momenta(row)

    def forget_momenta(self, row: int) -> None:
        """Forget the momenta of a robot that got other velocities."""
        self._unknown[self._rows[row]] = True

    def before_step(self, motion: Motion, pushes: Pushes) -> None:
        """Push the links from their last momenta to the momenta that their velocities mean now."""
        self._trees.look()
        self._trees.move(motion.bases[:, LINEAR], motion.bases[:, ANGULAR], motion.rates)
        self._trees.load()
        self._momenta.apply()
        self._knew = ~self._unknown
        if self._unknown.any():
            # A robot that was put into motion goes on along its joints.
            self._forces[self._unknown] = 0.0
            self._unknown[:] = False
        self._trees.carry(pushes.wrenches, pushes.efforts)

    def after_step(self, before: Motion, after: Motion) -> None:
        """Remember the momenta, and find where the links move straight."""
        self._before[:] = self._motion
        self._trees.move(after.bases[:, LINEAR], after.bases[:, ANGULAR], after.rates)
        self._momenta.keep()
        self._gaps.move(self._links.centres + self._shift, self._velocities)

    def motion(self, after: Motion) -> Array:
        """(P, 6) velocities of the links in the last step, with what closes gaps, m/s and rad/s; links as before it."""
        return self._motion if self.is_needed else self._links.motion(after)

    def land(self) -> None:
        """Find the gaps that the straight moves leave, and the velocities that close them."""
        self._gaps.land(self._links.centres)
        if self._unknown.any():
            # Robots that were put back.
            self._shift[self._unknown] = 0.0
        np.multiply(self._shift, -self._closing_rate, out=self._closing)

    def motions_of(self, place: int) -> tuple[Array, Array] | None:
        """Velocities (6,) of a link before and after the last step, m/s and rad/s, as `motion`.

        place: index of the link in `LinkStates`. None if the robot does not take part; both are the velocities after if
        the robot has just been put there.
        """
        if not self.is_needed or not self._taking[place]:
            return None
        after = self._motion[place]
        return (self._before[place] if self._knew[place] else after), after
