"""Parts of the simulator node: topics of the world, services."""
