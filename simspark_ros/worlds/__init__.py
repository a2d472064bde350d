"""Worlds without regard to a game: surfaces, obstacles, objects that move, robots, light."""
