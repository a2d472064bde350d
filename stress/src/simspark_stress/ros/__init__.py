"""The doors of ROS for `simspark stress --minutes`."""
