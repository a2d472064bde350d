"""Pictures of the scene: models and poses in, arrays of pixels out. Knows neither ROS nor the update loop."""

from simspark_ros.physics.quiet_import import import_quietly

import_quietly("pybullet")
