"""The simulation itself: the world, its update loop, pacing, and what is exchanged with the outside each cycle."""
