"""Features that the simulator node adds to a simulation: topics of the world, services."""
