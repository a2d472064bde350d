"""SDFormat 1.4 to 1.11, the format of Gazebo."""
