"""A neural motion model: the next state of a robot from its actual and its commanded velocities.

The F2000 simulator ("A Plugin-Based Architecture for Simulation in the F2000 League", 2003, section 4) had such a
model: from (x, y, theta, v_r, v_t) and the commanded velocities at one time to the state at the next. As motion is the
same at every pose, the network sees velocities alone and gives the displacement in the robot's axes.

The network is so small (a layer of a dozen neurons) that scipy's optimizer trains it in seconds and numpy evaluates it
in microseconds; a library for deep learning would only add weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Checked, Positive, Range
from simspark_ros.motion.models.displacements import displaced
from simspark_ros.physics.geometry.transforms import Array, product

_Weight = Annotated[float, Range(-1e6, 1e6)]


@dataclass(frozen=True)
class NeuralParameters(Checked):
    """A trained network as numbers; inputs and results are divided by scales.

    Attributes:
        interval: time between two states, s.
        speeds: scales of velocities: forward, m/s, and turn, rad/s.
        results: scales of the results: displacement forward, left, m, and turn, rad, beyond the displacement by the
            present velocity, and changes of both velocities, m/s and rad/s.
        hidden: weights by neuron: of both velocities, of both commanded velocities, and of 1.
        output: weights by result: of the hidden neurons and of 1.
    """

    interval: Positive
    speeds: tuple[Positive, Positive]
    results: tuple[Positive, Positive, Positive, Positive, Positive]
    hidden: tuple[tuple[_Weight, _Weight, _Weight, _Weight, _Weight], ...]
    output: tuple[tuple[_Weight, ...], ...]

    def __post_init__(self) -> None:
        """Check that the layers fit."""
        super().__post_init__()
        if not 1 <= len(self.hidden) <= 100:
            raise ValueError(f"hidden: must have 1 to 100 neurons, not {len(self.hidden)}")
        if len(self.output) != len(self.results) or any(len(row) != len(self.hidden) + 1 for row in self.output):
            raise ValueError(f"output: must be {len(self.results)} lists of {len(self.hidden) + 1} numbers")


class NeuralMotionModel:
    """Predicts the motion of N robots at once."""

    def __init__(self, parameters: NeuralParameters) -> None:
        self.parameters = parameters
        self._hidden, self._output = np.array(parameters.hidden), np.array(parameters.output)
        self._speeds, self._results = np.array(parameters.speeds), np.array(parameters.results)

    def step(self, velocities: Array, commands: Array) -> tuple[Array, Array]:
        """Displacements (N, 3) and velocities (N, 2) after an interval; velocities, commands: (N, 2), m/s and rad/s."""
        # Not np.tanh, whose last digits depend on the processor.
        sums = product(scaled_inputs(velocities, commands, self._speeds), self._hidden.T).tolist()
        hidden = np.array([[math.tanh(value) for value in row] for row in sums]).reshape(len(sums), -1)
        results = product(with_one(hidden), self._output.T) * self._results
        return way_of(velocities, self.parameters.interval) + results[:, :3], velocities + results[:, 3:]

    def next(self, states: Array, commands: Array) -> Array:
        """(N, 5) states (x, y, m, theta, rad, v_r, rad/s, v_t, m/s) after an interval; commands: (N, 2) v_t, v_r."""
        # States have v_r before v_t, as in the paper; the network has v_t first.
        steps, velocities = self.step(states[:, 4:2:-1], commands)
        return np.column_stack((displaced(states[:, :3], steps), velocities[:, ::-1]))


def scaled_inputs(velocities: Array, commands: Array, speeds: Array) -> Array:
    """The inputs of a network (N, 5): velocities, commands, (N, 2), and 1; speeds: (2,) their scales, m/s and rad/s."""
    return with_one(np.column_stack((velocities / speeds, commands / speeds)))


def with_one(values: Array) -> Array:
    """Values (N, K) with a further column of ones."""
    return np.column_stack((values, np.ones(len(values))))


def way_of(velocities: Array, seconds: float) -> Array:
    """Displacements (N, 3), m and rad, at velocities forward, m/s, and of the turn, rad/s, (N, 2), that stay."""
    return np.column_stack((velocities[:, 0] * seconds, np.zeros(len(velocities)), velocities[:, 1] * seconds))
