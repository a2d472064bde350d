"""PyBullet, which draws the pictures of all engines; simulations without pictures do without it."""

from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.physics.quiet_import import import_quietly

try:
    import_quietly("pybullet")
except ImportError as error:
    raise MissingPackageError(
        f"pictures need the package 'pybullet' with every engine: {error}; install it with 'pip install pybullet' "
        "(README.md)"
    ) from error

import pybullet

__all__ = ["pybullet"]
