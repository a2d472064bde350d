"""The doors of a simulator's ROS interface for `simspark stress --minutes`."""
