"""Passive behaviour of joints: they follow other joints (`<mimic>`), and resist their motion (`<dynamics>`).

Both act only through velocity and effort limit of the joints' motors, so that they are the same on all engines.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray, JointControl
from simspark_ros.physics.geometry.link_motion import joint_inertias
from simspark_ros.physics.model import Joint

AT_REST = 1e-3
"""Speed up to which a joint counts as resting, rad/s or m/s: solvers leave a little."""


GEAR_FRICTION = 0.03
"""Friction of the gear of a motor without power, as a share of the motor's greatest effort.

Without any, light links of a limp robot spin ever faster in steps of 20 ms: a Nao's elbow reached 1,000 rad/s on ODE.
"""


def braked(control: JointControl, state: EngineState, limp: BoolArray) -> JointControl:
    """The control of the next step in which gears brake joints. limp: (J,) whether a joint's motor has no power."""
    limp = limp & np.isfinite(state.joint_max_effort)
    if not limp.any():
        return control
    friction = np.where(limp, GEAR_FRICTION * state.joint_max_effort, 0.0)
    limits = np.maximum(control.effort_limit, friction)
    return replace(control, velocity=np.where(limp, 0.0, control.velocity), effort_limit=limits, limp=limp)


class PassiveJoints:
    """The followers and the joints with friction among all joints of a state.

    Attributes:
        none: whether there are no such joints, so that `apply` changes nothing.
    """

    def __init__(self, state: EngineState | None = None) -> None:
        joints: list[Joint] = []
        followers, leaders, factors = [], [], []
        for model in () if state is None else state.models:
            place = {joint.name: len(joints) + number for number, joint in enumerate(model.joints)}
            joints += model.joints
            for joint in model.joints:
                if joint.mimic is not None:
                    followers.append(place[joint.name])
                    leaders.append(place[joint.mimic.joint])
                    factors.append((joint.mimic.multiplier, joint.mimic.offset))
        self._followers: IntArray = np.array(followers, np.int64)
        self._leaders: IntArray = np.array(leaders, np.int64)
        self._multiplier, self._offset = np.array(factors).reshape(-1, 2).T
        rubbing = [index for index, joint in enumerate(joints) if joint.damping or joint.friction]
        self._rubbing: IntArray = np.array(rubbing, np.int64)
        self._damping: Array = np.array([joints[index].damping for index in rubbing])
        self._friction: Array = np.array([joints[index].friction for index in rubbing])
        models = state.models if state is not None and rubbing else ()
        self._inertia: Array = np.concatenate([np.zeros(0), *map(joint_inertias, models)])[self._rubbing]
        # Speeds before the last step, and the efforts that damping and friction then had if nothing drove the joint.
        self._before: Array | None = None
        self._brake: Array = np.zeros(len(rubbing))
        self.none = not followers and not rubbing

    def apply(
        self, control: JointControl, state: EngineState, seconds: float, follow_only: bool = False
    ) -> JointControl:
        """The control of the next step with passive joints, given the step's length, s.

        follow_only: whether the engine computes the friction of joints itself.
        """
        if follow_only and not self._followers.size:
            return control
        control = replace(control, velocity=control.velocity.copy(), effort_limit=control.effort_limit.copy())
        self._follow(control, state, seconds)
        if not follow_only:
            self._resist(control, state, seconds)
        return control

    def _follow(self, control: JointControl, state: EngineState, seconds: float) -> None:
        """Move followers to the position that their leaders reach at the end of the step at their present speed."""
        own, leaders = self._followers, self._leaders
        coming = state.joint_position[leaders] + seconds * state.joint_velocity[leaders]
        target = self._multiplier * coming + self._offset
        target = np.clip(target, state.joint_lower[own], state.joint_upper[own])
        fastest = state.joint_max_velocity[own]
        control.velocity[own] = np.clip((target - state.joint_position[own]) / seconds, -fastest, fastest)
        control.effort_limit[own] = state.joint_max_effort[own]

    def _resist(self, control: JointControl, state: EngineState, seconds: float) -> None:
        """Subtract the resistance from motors that speed their joint up, and add it to motors that slow it down.

        If a motor is weaker than the resistance, the rest of the resistance acts as a brake.
        """
        own = self._rubbing
        speed, wanted, effort = state.joint_velocity[own], control.velocity[own], control.effort_limit[own]
        foreseen, undriven = speed, effort == 0.0
        if undriven.any():
            foreseen = np.where(undriven, self._coming(speed, seconds), speed)
            self._brake = np.where(undriven, self._damping * foreseen + self._friction * np.sign(foreseen), 0.0)
        else:
            self._brake[:] = 0.0
        self._before = speed
        resistance = self._friction + self._damping * np.abs(foreseen)
        moves = np.abs(speed) > AT_REST
        speeds_up = np.where(moves, (wanted - speed) * speed > 0.0, wanted != 0.0)
        left = effort - resistance
        # Resistance ends at rest: a motor that reverses the motion first stops the joint, and turns it a step later.
        stops = np.where(speeds_up, left < 0.0, moves & (wanted * speed < 0.0))
        control.velocity[own] = np.where(stops, 0.0, wanted)
        control.effort_limit[own] = np.where(speeds_up, np.abs(left), effort + resistance)

    def _coming(self, speed: Array, seconds: float) -> Array:
        """Speeds after an implicit step of Euler's with the last load; those before would let joints go by turns."""
        weight = self._inertia / seconds
        before = speed if self._before is None else self._before
        # What else turned the joint in the last step. A joint at rest does not tell how much of its brake was needed.
        load = np.where(np.abs(speed) > AT_REST, self._brake + weight * (speed - before), 0.5 * self._brake)
        push = weight * speed + load
        coming: Array = np.sign(push) * np.maximum(np.abs(push) - self._friction, 0.0) / (weight + self._damping)
        return coming
