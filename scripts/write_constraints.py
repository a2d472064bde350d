"""Writes constraints.txt, the versions that `make setup` installs: those of the environment that runs this script.

    rm -rf .venv && make setup CONSTRAINTS= && make test && .venv/bin/python scripts/write_constraints.py

A version that does not support the oldest Python of pyproject.toml holds for the Python that runs this script and for
later ones; pip chooses on older ones.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.specifiers import SpecifierSet

OLDEST = "3.10"
TARGET = Path(__file__).parents[1] / "constraints.txt"
OURS = re.compile(r"simspark[-_.].*|pip")
HEAD = """\
# What `make setup` installs, in the versions with which `make test` passed. scripts/write_constraints.py writes this
# file. `pip install simspark_ros` does not use it.
"""


def constraint(distribution: Distribution) -> str:
    """Return the line of an installed distribution."""
    name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
    supported = SpecifierSet(str(distribution.metadata.json.get("requires_python", "")))
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    marker = "" if f"{OLDEST}.99" in supported else f' ; python_version >= "{this}"'
    return f"{name}=={distribution.version}{marker}"


def is_from_registry(distribution: Distribution) -> bool:
    """Return whether pip has installed a distribution; the wheels of ROS 2 bring others along."""
    return (distribution.read_text("INSTALLER") or "").strip() == "pip" and not OURS.fullmatch(distribution.name)


if __name__ == "__main__":
    lines = sorted({constraint(one) for one in distributions() if is_from_registry(one)})
    TARGET.write_text("\n".join([HEAD, *lines, ""]).replace("\n\n", "\n"), encoding="utf-8")
