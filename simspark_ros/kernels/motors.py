# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Commands of motors and their control in the next step; see `robots.motors.commands`."""

import cython
from cython.cimports.libc.math import fabs, isfinite

# Speed below which a joint does not come free of its stop by itself, rad/s or m/s.
_AT_REST = cython.declare(cython.double, 1e-6)

# `MotorMode`.
_POSITION = cython.declare(cython.schar, 1)
_EFFORT = cython.declare(cython.schar, 2)


@cython.cfunc
@cython.inline
def _cut(value: cython.double, lower: cython.double, upper: cython.double) -> cython.double:
    """The value, cut to its range; NaN stays NaN."""
    if value < lower:
        return lower
    return upper if value > upper else value


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class ControlCheck:
    """Looks at the arrays (J,) of a `JointControl`, which are mostly the same objects as before, and stay bound."""

    velocity: cython.double[:]
    effort_limit: cython.double[:]
    effort: cython.double[:]
    given: tuple = (None, None, None)

    def is_usable(self, velocity: object, effort_limit: object, effort: object) -> cython.bint:
        """Whether they can be used: limits may be infinite, but neither NaN nor negative."""
        joint: cython.Py_ssize_t
        if velocity is not self.given[0] or effort_limit is not self.given[1] or effort is not self.given[2]:
            self.velocity = velocity
            self.effort_limit = effort_limit
            self.effort = effort
            # Arrays that cannot be bound raise an error at each call.
            self.given = (velocity, effort_limit, effort)
        for joint in range(self.velocity.shape[0]):
            if not (isfinite(self.velocity[joint]) and isfinite(self.effort[joint])):
                return False
            if not self.effort_limit[joint] >= 0.0:
                return False
        return True


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class MotorKernel:
    """All J motors of a world.

    Attributes:
        mode, target, stiffness: (J,) see `Motors`.
        lower, upper: (J,) stops, rad or m.
        fastest, strongest: (J,) largest speed, rad/s or m/s, and effort, N m or N.
        top_speed: largest speed, under effort, of a joint without a speed limit, rad/s or m/s.
        velocity, effort_limit: (J,) control of the next step, written; see `JointControl`.
    """

    mode: cython.schar[::1]
    target: cython.double[::1]
    stiffness: cython.double[::1]
    lower: cython.double[:]
    upper: cython.double[:]
    fastest: cython.double[:]
    strongest: cython.double[:]
    top_speed: cython.double
    velocity: cython.double[::1]
    effort_limit: cython.double[::1]

    def drive(
        self,
        joints: cython.longlong[:],
        velocities: cython.const[cython.double][:],
        positions: cython.const[cython.double][:],
        state: object,
    ) -> None:
        """Command velocities (K,) of joints (K,) at positions (J,); see `effectors.hinge.command_velocities`."""
        k: cython.Py_ssize_t
        if velocities.shape[0] != joints.shape[0]:
            raise ValueError("each joint needs a velocity")
        for k in range(joints.shape[0]):
            joint: cython.Py_ssize_t = joints[k]
            if not 0 <= joint < positions.shape[0]:
                raise IndexError("no joint has this index")
            velocity: cython.double = velocities[k]
            # NaN is full negative speed.
            if not velocity >= -self.fastest[joint]:
                velocity = -self.fastest[joint]
            elif velocity > self.fastest[joint]:
                velocity = self.fastest[joint]
            if not self.lower[joint] < positions[joint] < self.upper[joint]:
                away: cython.double = velocity if positions[joint] < self.upper[joint] else -velocity
                # ODE computes velocities when somebody reads them.
                if not (away > 0.0 and fabs(cython.cast(cython.double, state.joint_velocity[joint])) < _AT_REST):
                    continue
            self.target[joint] = velocity
            self.mode[joint] = 0

    def command(
        self,
        joints: cython.longlong[:],
        mode: cython.schar,
        targets: cython.double[:],
        lower: cython.double[:],
        upper: cython.double[:],
    ) -> None:
        """Give joints, (K,) indices, targets (K,) in a mode, cut to the ranges of all joints, (J,); later ones win."""
        k: cython.Py_ssize_t
        if targets.shape[0] != joints.shape[0]:
            raise ValueError("each joint needs a target")
        for k in range(joints.shape[0]):
            joint: cython.Py_ssize_t = joints[k]
            if not 0 <= joint < self.mode.shape[0]:
                raise IndexError("no joint has this index")
            self.target[joint] = _cut(targets[k], lower[joint], upper[joint])
            self.mode[joint] = mode

    def control(self, positions: cython.double[:], seconds: cython.double) -> None:
        """Write the control of the next step of that length, s, given the positions (J,) of the joints.

        An effort becomes a motor toward full speed with the effort as its limit: the joint accelerates as under the
        plain effort, but neither runs away nor through its stops.
        """
        joint: cython.Py_ssize_t
        for joint in range(self.mode.shape[0]):
            target: cython.double = self.target[joint]
            limit: cython.double = self.fastest[joint]
            effort: cython.double = self.strongest[joint]
            if self.mode[joint] == _POSITION:
                target = _cut((target - positions[joint]) / seconds, -limit, limit)
            elif self.mode[joint] == _EFFORT:
                effort = fabs(target)
                top: cython.double = limit if limit < self.top_speed else self.top_speed
                target = top if target > 0.0 else -top if target < 0.0 else 0.0 * target
            self.velocity[joint] = target
            # An effort may be infinite, and a limp joint has none.
            self.effort_limit[joint] = effort * self.stiffness[joint] if self.stiffness[joint] > 0.0 else 0.0
