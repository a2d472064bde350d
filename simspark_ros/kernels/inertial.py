# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Readings of gyroscopes, accelerometers and magnetometers; see `perceptors.inertial`."""

import cython


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class InertialKernel:
    """M sensors of one kind.

    Attributes:
        rows: (M,) place of each sensor among the given vectors and rotations.
        starts: (M,) index of each sensor's first value.
        noise: (M,) standard deviation of each axis, in the unit of the sensor.
        delayed: (M,) whether an accelerometer reports the reading of the last cycle.
        gravity: (3,) gravity, world frame, m/s2.
        velocity: (M, 3) velocities in the last cycle, world frame, m/s.
        readings: (M, 3) readings of the last cycle without noise, in the axes of the sensors, m/s2.
    """

    rows: cython.longlong[::1]
    starts: cython.longlong[::1]
    noise: cython.double[::1]
    delayed: cython.uchar[::1]
    gravity: cython.double[::1]
    velocity: cython.double[:, ::1]
    readings: cython.double[:, ::1]

    def turn(
        self,
        vectors: cython.double[:, :],
        rotations: cython.double[:, :, :],
        numbers: cython.double[:, :],
        values: cython.double[::1],
    ) -> None:
        """Write vectors of the world in the axes of the sensors.

        Args:
            vectors: (N, 3) vectors, world frame.
            rotations: (N, 3, 3) rotations to world.
            numbers: (M, 3) numbers of a standard normal distribution; (0, 3) if no sensor has noise.
            values: readings of all sensors, written.
        """
        sensor: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for sensor in range(self.starts.shape[0]):
            row: cython.Py_ssize_t = self.rows[sensor]
            for n in range(3):
                # The sum begins with zero, so that no reading is a negative zero.
                reading: cython.double = (
                    0.0
                    + vectors[row, 0] * rotations[row, 0, n]
                    + vectors[row, 1] * rotations[row, 1, n]
                    + vectors[row, 2] * rotations[row, 2, n]
                )
                self._write(sensor, n, reading, numbers, values)

    def accelerate(
        self,
        velocities: cython.double[:, :],
        rotations: cython.double[:, :, :],
        seconds: cython.double,
        numbers: cython.double[:, :],
        values: cython.double[::1],
    ) -> None:
        """Write the changes of velocities (N, 3) in that time less gravity, otherwise as `turn`."""
        sensor: cython.Py_ssize_t
        n: cython.Py_ssize_t
        force = cython.declare(cython.double[3])
        for sensor in range(self.starts.shape[0]):
            row: cython.Py_ssize_t = self.rows[sensor]
            for n in range(3):
                force[n] = (velocities[row, n] - self.velocity[sensor, n]) / seconds - self.gravity[n]
                self.velocity[sensor, n] = velocities[row, n]
            for n in range(3):
                reading: cython.double = (
                    0.0
                    + force[0] * rotations[row, 0, n]
                    + force[1] * rotations[row, 1, n]
                    + force[2] * rotations[row, 2, n]
                )
                shown: cython.double = self.readings[sensor, n] if self.delayed[sensor] else reading
                self.readings[sensor, n] = reading
                self._write(sensor, n, shown, numbers, values)

    @cython.cfunc
    @cython.inline
    def _write(
        self,
        sensor: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        reading: cython.double,
        numbers: cython.double[:, :],
        values: cython.double[::1],
    ) -> cython.void:
        if numbers.shape[0]:
            reading += self.noise[sensor] * numbers[sensor, n]
        values[self.starts[sensor] + n] = reading
