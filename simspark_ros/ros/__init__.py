"""The ROS 2 side: the simulator node and its companions. Nothing outside this room knows ROS."""
