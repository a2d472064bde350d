"""Pictures of soccer scenes: models and poses in, arrays of pixels out. Knows neither ROS nor the update loop."""
