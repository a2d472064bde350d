"""A neural motion model: the next state of a robot from its actual and its commanded velocities.

The F2000 simulator ("A Plugin-Based Architecture for Simulation in the F2000 League", 2003, section 4) had such a
model: from (x, y, theta, v_r, v_t) and the commanded velocities at one time to the state at the next. As motion is the
same at every pose, the network sees velocities alone and gives the displacement in the robot's axes.

The network is so small (a layer of a dozen neurons) that scipy's optimizer trains it in seconds and numpy evaluates it
in microseconds; a library for deep learning would only add weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Checked, Positive, Range
from simspark_ros.motion.models.drive_log import DriveLog, displaced, displacements
from simspark_ros.physics.geometry.transforms import Array

_Weight = Annotated[float, Range(-1e6, 1e6)]

HIDDEN = 12
"""Number of neurons of the hidden layer."""

DECAY = 1e-6
"""Weight, in the training error, of the sum of the squares of all weights: weight decay."""

MOST_ROUNDS = 1500
"""Most iterations of the optimizer."""


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
        hidden = np.tanh(_inputs(velocities, commands, self._speeds) @ self._hidden.T)
        results = _with_one(hidden) @ self._output.T * self._results
        return _displacement(velocities, self.parameters.interval) + results[:, :3], velocities + results[:, 3:]

    def next(self, states: Array, commands: Array) -> Array:
        """(N, 5) states (x, y, m, theta, rad, v_r, rad/s, v_t, m/s) after an interval; commands: (N, 2) v_t, v_r."""
        # States have v_r before v_t, as in the paper; the network has v_t first.
        steps, velocities = self.step(states[:, 4:2:-1], commands)
        return np.column_stack((displaced(states[:, :3], steps), velocities[:, ::-1]))


def train(log: DriveLog, hidden: int = HIDDEN, seed: int = 1) -> NeuralMotionModel:
    """Fit a network to a log by scipy's L-BFGS-B, which minimises the mean square of all scaled errors."""
    from scipy.optimize import minimize

    velocities, commands = log.velocities[:-1], log.commands[:-1]
    # The network learns only the difference to going on as before, so its errors stay small beside the motion.
    targets = np.column_stack(
        (log.displacements - _displacement(velocities, log.interval), log.velocities[1:] - velocities)
    )
    speeds = np.maximum(np.abs(log.commands).max(axis=0), 1e-3)
    scales = np.maximum(targets.std(axis=0), 1e-6)
    inputs, wanted = _inputs(velocities, commands, speeds), targets / scales
    first, second = (hidden, inputs.shape[1]), (wanted.shape[1], hidden + 1)
    start = np.random.default_rng(seed).normal(0.0, 0.5, first[0] * first[1] + second[0] * second[1])

    def loss(weights: Array) -> tuple[float, Array]:
        inner, outer = weights[: first[0] * first[1]].reshape(first), weights[first[0] * first[1] :].reshape(second)
        active = np.tanh(inputs @ inner.T)
        errors = _with_one(active) @ outer.T - wanted
        scaled = 2.0 * errors / errors.size
        # Back through the layers: tanh has the slope 1 - tanh^2; the last column belongs to the constant 1, with no
        # neuron before it.
        back = (scaled @ outer[:, :-1]) * (1.0 - active * active)
        gradient = np.concatenate(((back.T @ inputs).ravel(), (scaled.T @ _with_one(active)).ravel()))
        return float((errors**2).mean() + DECAY * weights @ weights), gradient + 2.0 * DECAY * weights

    weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MOST_ROUNDS}).x
    inner, outer = weights[: first[0] * first[1]].reshape(first), weights[first[0] * first[1] :].reshape(second)
    layers = [tuple(map(tuple, np.round(layer, 6).tolist())) for layer in (inner, outer)]
    return NeuralMotionModel(NeuralParameters(log.interval, tuple(speeds.tolist()), tuple(scales.tolist()), *layers))


Step = Callable[[Array, Array], tuple[Array, Array]]
"""Type of `NeuralMotionModel.step`."""


def follows_at_once(interval: float) -> Step:
    """The step of robots that reach commanded velocities at once; interval: length of the step, s."""
    return lambda velocities, commands: (_displacement(commands, interval), commands)


def pose_errors(step: Step, log: DriveLog, seconds: float) -> Array:
    """(N, 2) errors, m and rad, of predictions that begin at each of N times and follow from the commands alone."""
    count = round(seconds / log.interval)
    begins = np.arange(0, len(log.times) - count, max(1, count // 4))
    poses, velocities = log.poses[begins], log.velocities[begins]
    for number in range(count):
        moves, velocities = step(velocities, log.commands[begins + number])
        poses = displaced(poses, moves)
    away = displacements(log.poses[begins + count], poses)
    return np.column_stack((np.hypot(away[:, 0], away[:, 1]), np.abs(away[:, 2])))


def _inputs(velocities: Array, commands: Array, speeds: Array) -> Array:
    return _with_one(np.column_stack((velocities / speeds, commands / speeds)))


def _with_one(values: Array) -> Array:
    return np.column_stack((values, np.ones(len(values))))


def _displacement(velocities: Array, seconds: float) -> Array:
    return np.column_stack((velocities[:, 0] * seconds, np.zeros(len(velocities)), velocities[:, 1] * seconds))
