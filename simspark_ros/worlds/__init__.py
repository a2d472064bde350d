"""What stands in a world, whatever is played there: surfaces, obstacles, objects that move, robots, light."""
