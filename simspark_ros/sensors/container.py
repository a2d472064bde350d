"""The container of a robot's sensors ("A Plugin-Based Architecture for Simulation in the F2000 League", section 3).

A program finds data by what they are and asks for new ones. A simulation in the same process, a network or the driver
of a device fills them; the program cannot tell which.
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
    """A robot has no such sensor; the message says which ones it has."""


@dataclass(eq=False)
class SensorData:
    """The newest data of one feature of one sensor.

    Attributes:
        type: kind of the sensor, e.g. `laser`.
        name: of the sensor, unique among those of its type.
        feature: what it measures.
        model: of the device, e.g. `LMS200`; empty = not known.
        bearings: in which distances are measured from the robot's x axis, positive to the left, rad; empty if they
            change.
        values: one for each column of the feature, (C,), or of a picture (height, width, C); NaN is unknown. Empty
            before the first data.
        stamp: time of the data, s; None before the first ones.
        perceptual_model: which values to expect where; None = it has not been learned.
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
        """Take new data, from whoever has them: values of the feature's columns, and their time, s."""
        self.values, self.stamp = np.asarray(values, np.float64), stamp

    def learn_probability(self, pose: Array) -> None:
        """Remember the present data, which should be free of noise, as what to expect at a pose (3,): x, y, heading."""
        if self.perceptual_model is not None and self.stamp is not None:
            self.perceptual_model.learn(pose, self.values)

    def get_probability(self, poses: Array) -> Array:
        """How likely the present data are at poses (N, 3): 0 to 1, or -1 where there is no expectation."""
        if self.perceptual_model is None or self.stamp is None:
            return np.full(len(poses), -1.0)
        return self.perceptual_model.probability(poses, self.values)


Fill = Callable[[Sequence[SensorData], float], None]
"""Has some data measured, and fills them with the newest; waits for newer ones than they have for a time, s."""


class SensorContainer:
    """All sensor data of a robot; `fill` is called with those that a program asks for."""

    def __init__(self, data: Iterable[SensorData], fill: Fill = lambda data, patience: None) -> None:
        self._data = list(data)
        self._fill = fill

    def __iter__(self) -> Iterator[SensorData]:
        """All of them, in the order of the robot's file."""
        return iter(self._data)

    def find(self, *, model: str = "", type: str = "", feature: str = "", name: str = "") -> list[SensorData]:
        """Those of a model, type, feature and name, in the order of the robot's file; what is empty may be any."""
        wanted = {"model": model, "type": type, "name": name}
        return [
            one
            for one in self._data
            if all(getattr(one, key) == value for key, value in wanted.items() if value)
            and feature in ("", one.feature.name)
        ]

    def get(self, *, model: str = "", type: str = "", feature: str = "", name: str = "") -> SensorData:
        """The first of them.

        Raises:
            NoSensorError: there is none.
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
        raise NoSensorError(f"the robot has no sensor with {asked}; there are: {there}")

    def update(self, *data: SensorData, patience: float = 0.0) -> bool:
        """Ask for the newest of some data, else of all. What is not asked for for some time need not be measured.

        Waits for newer data than there are at most for `patience`, s. Returns whether all of them are newer.
        """
        wanted = data or tuple(self._data)
        before = [one.stamp for one in wanted]
        self._fill(wanted, patience)
        return all(one.stamp != stamp for one, stamp in zip(wanted, before, strict=True))

    def expect(self, models: Mapping[str, PerceptualModel]) -> list[SensorData]:
        """Give data the models of their features, by name, and all others none; returns those that have one.

        Raises:
            NoSensorError: no sensor measures what was learned, or in another way than the one that it was learned with.
        """
        for one in self._data:
            model = models.get(one.feature.name)
            one.perceptual_model = model if model and model.feature.is_measured_as(one.feature) else None
        expected = [one for one in self._data if one.perceptual_model is not None]
        for one in self._data:
            name = one.feature.name
            if name in models and all(other.feature.name != name for other in expected):
                counts = len(models[name].feature.columns), len(one.feature.columns)
                problem = "was learned with another sensor (other columns or bearings): {} values, this has {}"
                raise NoSensorError(f"feature '{name}' {problem.format(*counts)}; learn it with this robot")
        if models and not expected:
            there = ", ".join(dict.fromkeys(one.feature.name for one in self._data if one.feature.quantity)) or "none"
            raise NoSensorError(f"the robot measures nothing that was learned ({', '.join(models)}); it has: {there}")
        return expected

    def learn_probability(self, pose: Array) -> None:
        """Have all data learn what to expect at a pose (3,): x, y, heading; m, rad."""
        for one in self._data:
            one.learn_probability(pose)

    def get_probability(self, poses: Array) -> Array:
        """How likely the present data are at poses (N, 3), 0 to 1: the product over all features, taken as independent.

        Where some features have an expectation and one has none, that one counts as where it is least likely. Where no
        feature has one the result is -1.
        """
        product, expected = np.ones(len(poses)), np.zeros(len(poses), np.bool_)
        for one in self._data:
            likely = one.get_probability(poses)
            known = likely >= 0.0
            if known.any():
                product *= np.where(known, likely, likely[known].min())
                expected |= known
        return np.where(expected, product, -1.0)
