"""Prints what pyproject.toml requires for a build, one requirement a line, for `pip install --requirement`.

With the name of a ROS 2 distribution (`jazzy`) its wheels take the place of the ones named there, which are those of
the distribution that PyPI calls just `ros-`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    from pip._vendor import tomli as tomllib


OTHER = {
    "jazzy": {
        "ament-cmake-ros-core": [
            "ament-cmake-ros",
            "ament-cmake-gmock",
            "ament-cmake-gtest",
            "ament-cmake-pytest",
            "python-cmake-module",
        ]
    }
}
"""Packages that a distribution has in place of one of the newest distribution."""


def wheels_of(distribution: str, requirement: str) -> list[str]:
    """Return the requirement, for a ROS 2 package without version: each distribution has its own, and one on PyPI."""
    match = re.match(r"ros-([a-z-]+)", requirement)
    if match is None:
        return [requirement]
    return [f"ros-{distribution}-{name}" for name in OTHER.get(distribution, {}).get(match[1], [match[1]])]


def main(distribution: str = "") -> None:
    """Print the requirements, the ROS 2 packages from the wheels of that distribution."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)
    requirements = project["build-system"]["requires"]
    if distribution:
        requirements = [wheel for line in requirements for wheel in wheels_of(distribution, line)]
    print("\n".join(requirements))


if __name__ == "__main__":
    main(*sys.argv[1:])
