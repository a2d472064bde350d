"""The rclpy nodes: simulator, bridge, camera. The only place that knows ROS and server sockets."""
