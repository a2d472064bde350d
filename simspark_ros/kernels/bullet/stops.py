# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Joints whose motors end at their stops, as Bullet's do not."""

import cython


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class StopKernel:
    """Ends the motion of J joints at their stops.

    Attributes:
        lower, upper: (J,) places where joints end, rad or m.
        rate: cycles in a second.
        fastest_return: largest speed back from beyond a stop, rad/s or m/s.
    """

    lower: cython.double[::1]
    upper: cython.double[::1]
    rate: cython.double
    fastest_return: cython.double

    def end(
        self, targets: cython.double[::1], positions: cython.double[:], velocities: cython.double[:]
    ) -> cython.bint:
        """Slow joints down so that they reach their stops in this cycle; return whether one would pass its stop.

        Args:
            targets: (J,) speeds for the coming cycle, changed in place, rad/s or m/s.
            positions: (J,) positions now, rad or m.
            velocities: (J,) velocities now.
        """
        joint: cython.Py_ssize_t
        passes: cython.bint = False
        back: cython.double = self.fastest_return
        for joint in range(targets.shape[0]):
            up: cython.double = (self.upper[joint] - positions[joint]) * self.rate
            down: cython.double = (self.lower[joint] - positions[joint]) * self.rate
            if velocities[joint] > up or velocities[joint] < down:
                passes = True
            # Beyond a stop a joint comes back at a bounded speed.
            if up < -back:
                up = -back
            if down > back:
                down = back
            if targets[joint] > up:
                targets[joint] = up
            if targets[joint] < down:
                targets[joint] = down
        return passes
