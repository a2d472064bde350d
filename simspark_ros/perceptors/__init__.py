"""Perceptors: the state of the world in, readings of all robots out; one file each, derived from `Perceptor`."""

from simspark_ros.perceptors.base import Mount, Perceptor, Topic, parameters

__all__ = ["Mount", "Perceptor", "Topic", "parameters"]
