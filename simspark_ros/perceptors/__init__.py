"""Perceptors: the state of the world in, readings of all robots out; one file each.

Plug-ins derive from `Perceptor`; see `simspark_ros.perceptors.base` and docs/plugins.md.
"""

from simspark_ros.perceptors.base import Mount, Perceptor, Topic, parameters

__all__ = ["Mount", "Perceptor", "Topic", "parameters"]
