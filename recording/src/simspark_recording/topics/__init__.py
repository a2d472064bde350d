"""ROS 2 topics in MCAP files: recorded, read, published again and shown to monitors."""
