"""What parts of the simulator cost: ms of CPU a cycle, with 1 and 22 robots, without a part, with it, and by turns.

    python benchmarks/parts.py [--engines mujoco] [--robots 1 22] [--turns 40] [--parts NAME ...]

Each part has a simulation without it, one that has it and does not use it (a sensor that nobody listens to, say), where
that makes a difference, and one that uses it. They work by turns of twelve cycles with the same commands, and what else
the machine does hits all of them. Times are those of the simulation's thread: whole cycles with physics, perception and
referee, and frames for a monitor where the part is seen there; medians of the turns, of which the first tenth is left
out.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.effectors.lola import checked, drive_device
from simspark_ros.perceptors.base import MountKey
from simspark_ros.physics.model import TouchLink
from simspark_ros.physics.registry import engine_names
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.inspection import write
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.robots.foreign import load_foreign
from simspark_ros.robots.lola import DEVICES
from simspark_ros.server.inspection import Inspector
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import load_simulation_settings

TURN = 12
"""Cycles of a turn: robots that sense in every second, third or fourth one all do so equally often."""
