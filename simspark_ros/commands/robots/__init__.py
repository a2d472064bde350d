"""Commands about robots, their motors, how they move and what their sensors are to expect."""
