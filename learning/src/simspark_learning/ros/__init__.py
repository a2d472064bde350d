"""A trained policy on ROS topics; it needs rclpy."""
