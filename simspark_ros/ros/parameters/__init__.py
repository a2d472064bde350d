"""ROS parameters: the nodes' own, numbers of rule books, and those of robots' sensors."""
