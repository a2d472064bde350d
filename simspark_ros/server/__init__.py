"""TCP servers for agents, monitors and agent proxies. No ROS."""
