"""Commands about robots, their motors and how they move."""
