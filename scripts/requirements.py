"""Prints what pyproject.toml requires, one requirement a line, for `pip install --requirement`.

    python scripts/requirements.py build [DISTRIBUTION]
    python scripts/requirements.py EXTRA,EXTRA,...

The first is for a build; with the name of a ROS 2 distribution (`jazzy`) its wheels take the place of the ones named
there, which are those of the distribution that PyPI calls just `ros-`. The second is what the package and its extras
need.
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


def build_requirements(document: dict[str, Any], distribution: str = "") -> list[str]:
    """Return what a build needs, in versions that may stay: libraries are installed while it runs."""
    narrower = {name_of(line): line for line in document["project"]["optional-dependencies"]["dev"]}
    messages = Path(__file__).with_name("ros_build_requirements.txt").read_text(encoding="utf-8").splitlines()
    needed = [*document["build-system"]["requires"], *(line for line in messages if not line.startswith("#"))]
    requirements = [narrower.get(name_of(line), line) for line in needed]
    return [wheel for line in requirements for wheel in wheels_of(distribution, line)] if distribution else requirements


def name_of(requirement: str) -> str:
    """Return the name of the distribution that is required."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def main(which: str, distribution: str = "") -> None:
    """Print the requirements of a build or of extras."""
    document = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    if which == "build":
        requirements = build_requirements(document, distribution)
    else:
        project = document["project"]
        extras = (project["optional-dependencies"][extra] for extra in which.split(","))
        requirements = [*project["dependencies"], *(line for extra in extras for line in extra)]
    print("\n".join(requirements))


if __name__ == "__main__":
    main(*sys.argv[1:])
