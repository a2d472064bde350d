"""The container of a robot's sensors ("A Plugin-Based Architecture for Simulation in the F2000 League", section 3).

A program finds sensor data by their properties and asks for new data. A simulation in the same process, a network or
the driver of a device fills them; the program cannot tell which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.feature import Feature
from simspark_ros.sensors.perceptual_model import PerceptualModel

Array = NDArray[np.float64]


class NoSensorError(UserError):
    """A robot has no such sensor; the message lists its sensors."""


class NoModelError(UserError):
    """Nothing can be learned, because no table was given; the message says how."""


def _no_model(features: str) -> NoModelError:
    return NoModelError(
        f"no perceptual model is given for {features or 'any sensor'}; first call `expect` of the container with a "
        "`PerceptualModel(feature, PoseGrid(lower, upper, step, headings))` for each feature of distances or angles"
    )


@dataclass(eq=False)
class SensorData:
    """The newest data of one feature of one sensor.

    Attributes:
        type: kind of the sensor, e.g. `laser`.
        name: name of the sensor, unique among the sensors of its type.
        feature: feature that the sensor measures.
        model: model of the device, e.g. `LMS200`; empty = unknown.
        bearings: bearings of distances from the robot's x axis, positive to the left, rad; empty if they change.
        values: (C,) a value for each column of the feature, or (height, width, C) for a picture; NaN = unknown. Empty
            before the first data.
        stamp: time of the data, s; None before the first data.
        perceptual_model: values to expect at poses; None = not learned.
    """

    type: str
    name: str
    feature: Feature
    model: str = ""
    bearings: Array = field(default_factory=lambda: np.zeros(0))
    values: Array = field(default_factory=lambda: np.zeros(0))
    stamp: float | None = None
    perceptual_model: PerceptualModel | None = None

    def set_data(self, values: Array, stamp: float) -> None:
        """Set new data: values of the feature's columns, and their time, s."""
        self.values, self.stamp = np.asarray(values, np.float64), stamp

    def learn_probability(self, pose: Array) -> None:
        """Learn to expect the present data, which should be free of noise, at a pose (3,): x, y, heading.

        Raises:
            NoModelError: there is no `perceptual_model`; `SensorContainer.expect` gives one.
        """
        if self.perceptual_model is None:
            raise _no_model(self.feature.name)
        if self.stamp is not None:
            self.perceptual_model.learn(pose, self.values)

    def get_probability(self, poses: Array) -> Array:
        """(N,) probabilities of the present data at poses (N, 3): 0 to 1, or -1 without an expectation."""
        if self.perceptual_model is None or self.stamp is None:
            return np.full(len(poses), -1.0)
        return self.perceptual_model.probability(poses, self.values)


Fill = Callable[[Sequence[SensorData], float], None]
"""Function that measures some data and fills them with the newest values; it waits for newer ones for a time, s."""


class SensorContainer:
    """All sensor data of a robot; `fill` is called with the data that a program asks for."""

    def __init__(self, data: Iterable[SensorData], fill: Fill = lambda data, patience: None) -> None:
        self._data = list(data)
        self._fill = fill

    def __iter__(self) -> Iterator[SensorData]:
        """All sensor data, in the order of the robot's file."""
        return iter(self._data)

    def find(self, *, model: str = "", type: str = "", feature: str = "", name: str = "") -> list[SensorData]:
        """Data of a model, type, feature and name, in the order of the robot's file; empty arguments match any."""
        wanted = {"model": model, "type": type, "name": name}
        return [
            one
            for one in self._data
            if all(getattr(one, key) == value for key, value in wanted.items() if value)
            and feature in ("", one.feature.name)
        ]

    def get(self, *, model: str = "", type: str = "", feature: str = "", name: str = "") -> SensorData:
        """The first data that `find` gives.

        Raises:
            NoSensorError: there are none.
        """
        found = self.find(model=model, type=type, feature=feature, name=name)
        if found:
            return found[0]
        asked = ", ".join(
            f"{key} '{value}'"
            for key, value in (("model", model), ("type", type), ("feature", feature), ("name", name))
            if value
        )
        there = "; ".join(f"{one.type} '{one.name}': {one.feature.name}" for one in self._data) or "none"
        raise NoSensorError(f"the robot has no sensor with {asked}; it has: {there}")

    def update(self, *data: SensorData, patience: float = 0.0) -> bool:
        """Ask for the newest values of some data, else of all; data that no one asks for need not be measured.

        Waits for newer values for at most `patience`, s. Returns whether all data are newer.
        """
        wanted = data or tuple(self._data)
        before = [one.stamp for one in wanted]
        self._fill(wanted, patience)
        return all(one.stamp != stamp for one, stamp in zip(wanted, before, strict=True))

    def expect(self, models: Mapping[str, PerceptualModel]) -> list[SensorData]:
        """Give data the models of their features, by name, and other data none; returns the data with a model.

        Raises:
            NoSensorError: no sensor measures a learned feature, or measures it differently from the sensor of learning.
        """
        for one in self._data:
            model = models.get(one.feature.name)
            one.perceptual_model = model if model and model.feature.is_measured_as(one.feature) else None
        expected = [one for one in self._data if one.perceptual_model is not None]
        for one in self._data:
            name = one.feature.name
            if name in models and all(other.feature.name != name for other in expected):
                counts = len(models[name].feature.columns), len(one.feature.columns)
                problem = "was learned with a sensor of {} values; this one has {}, or other columns or bearings"
                raise NoSensorError(f"feature '{name}' {problem.format(*counts)}; learn it with this robot")
        if models and not expected:
            there = ", ".join(dict.fromkeys(one.feature.name for one in self._data if one.feature.quantity)) or "none"
            raise NoSensorError(f"the robot lacks the learned features ({', '.join(models)}); it measures: {there}")
        return expected

    def learn_probability(self, pose: Array) -> None:
        """Make all data with a model learn their expectation at a pose (3,): x, y, heading; m, rad.

        Raises:
            NoModelError: none has a model; `expect` gives them.
        """
        learning = [one for one in self._data if one.perceptual_model is not None]
        if not learning:
            raise _no_model(", ".join(dict.fromkeys(one.feature.name for one in self._data if one.feature.quantity)))
        for one in learning:
            one.learn_probability(pose)

    def get_probability(self, poses: Array) -> Array:
        """(N,) probabilities of the present data at poses (N, 3), 0 to 1: the product over all features as independent.

        At a pose where only some features have an expectation, the others count with their least probability of all
        poses. At a pose without any expectation the result is -1.
        """
        product, expected = np.ones(len(poses)), np.zeros(len(poses), np.bool_)
        for one in self._data:
            likely = one.get_probability(poses)
            known = likely >= 0.0
            if known.any():
                product *= np.where(known, likely, likely[known].min())
                expected |= known
        return np.where(expected, product, -1.0)
