"""Prints what pyproject.toml requires in order to build, and of the optional dependencies those named as arguments.

Pip installs requirements for a build into an environment that it removes again; `make colcon` needs them to stay.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    from pip._vendor import tomli as tomllib


def main(extras: list[str]) -> None:
    """Print the requirements, one a line."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)
    requirements = list(project["build-system"]["requires"])
    for extra in extras:
        requirements += project["project"]["optional-dependencies"][extra]
    print("\n".join(dict.fromkeys(requirements)))


if __name__ == "__main__":
    main(sys.argv[1:])
