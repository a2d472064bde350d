"""The classic SimSpark protocols: bytes to values and back. No sockets, no ROS."""
