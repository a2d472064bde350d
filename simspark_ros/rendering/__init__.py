"""Pictures of the scene: models and poses in, arrays of pixels out. Knows neither ROS nor the update loop."""

from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.physics.quiet_import import import_quietly

try:
    import_quietly("pybullet")
except ImportError as error:
    raise MissingPackageError(
        f"cameras and topics need the package 'pybullet', whatever the engine: {error}; install it with 'pip install "
        "pybullet' (README.md)"
    ) from error
