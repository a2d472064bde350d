"""Limits on world files of clients."""

from __future__ import annotations

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.catalogue import robot_names
from simspark_ros.worlds.settings import ThingsFile


def check_size(things: ThingsFile, limits: LimitSettings, where: object) -> None:
    """Refuse a client's world that is too large, or that names files of robots, by a ConfigurationError."""
    count = len(things.obstacles) + len(things.objects)
    fields = [thing.height_field.heights for thing in things.obstacles.values() if thing.height_field]
    points = sum(len(heights) * len(heights[0]) for heights in fields)
    for what, number, setting in (
        ("obstacles and objects", count, "world_things"),
        ("robots", len(things.robots), "world_robots"),
        ("points of height fields", points, "world_points"),
    ):
        if number > (most := getattr(limits, setting)):
            raise ConfigurationError(f"{where}: the world has {number} {what}; {setting} allows {most}")
    for name, robot in things.robots.items():
        if robot.robot.partition("?")[0] not in robot_names():
            raise ConfigurationError(f"{where}: robots: {name}: robot: a client's world has robots of the package only")
