"""Training of neural motion models by recorded driving."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simspark_learning.models.drive_log import DriveLog
from simspark_ros.motion.models.displacements import displaced, displacements
from simspark_ros.motion.models.neural import NeuralMotionModel, NeuralParameters, scaled_inputs, way_of, with_one
from simspark_ros.physics.geometry.transforms import Array

HIDDEN = 12
"""Number of neurons of the hidden layer."""

DECAY = 1e-6
"""Weight, in the training error, of the sum of the squares of all weights: weight decay."""

MOST_ROUNDS = 1500
"""Most iterations of the optimizer."""


def train(log: DriveLog, hidden: int = HIDDEN, seed: int = 1) -> NeuralMotionModel:
    """Fit a network to a log by scipy's L-BFGS-B, which minimises the mean square of all scaled errors."""
    from scipy.optimize import minimize

    velocities, commands = log.velocities[:-1], log.commands[:-1]
    # The network learns only the difference to going on as before, so its errors stay small beside the motion.
    targets = np.column_stack((log.displacements - way_of(velocities, log.interval), log.velocities[1:] - velocities))
    speeds = np.maximum(np.abs(log.commands).max(axis=0), 1e-3)
    scales = np.maximum(targets.std(axis=0), 1e-6)
    inputs, wanted = scaled_inputs(velocities, commands, speeds), targets / scales
    first, second = (hidden, inputs.shape[1]), (wanted.shape[1], hidden + 1)
    start = np.random.default_rng(seed).normal(0.0, 0.5, first[0] * first[1] + second[0] * second[1])

    def loss(weights: Array) -> tuple[float, Array]:
        inner, outer = weights[: first[0] * first[1]].reshape(first), weights[first[0] * first[1] :].reshape(second)
        active = np.tanh(inputs @ inner.T)
        errors = with_one(active) @ outer.T - wanted
        scaled = 2.0 * errors / errors.size
        # Back through the layers: tanh has the slope 1 - tanh^2; the last column belongs to the constant 1, with no
        # neuron before it.
        back = (scaled @ outer[:, :-1]) * (1.0 - active * active)
        gradient = np.concatenate(((back.T @ inputs).ravel(), (scaled.T @ with_one(active)).ravel()))
        return float((errors**2).mean() + DECAY * weights @ weights), gradient + 2.0 * DECAY * weights

    weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MOST_ROUNDS}).x
    inner, outer = weights[: first[0] * first[1]].reshape(first), weights[first[0] * first[1] :].reshape(second)
    layers = [tuple(map(tuple, np.round(layer, 6).tolist())) for layer in (inner, outer)]
    return NeuralMotionModel(NeuralParameters(log.interval, tuple(speeds.tolist()), tuple(scales.tolist()), *layers))


Step = Callable[[Array, Array], tuple[Array, Array]]
"""Type of `NeuralMotionModel.step`."""


def follows_at_once(interval: float) -> Step:
    """The step of robots that reach commanded velocities at once; interval: length of the step, s."""
    return lambda velocities, commands: (way_of(commands, interval), commands)


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
