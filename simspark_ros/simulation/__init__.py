"""The simulation itself: the world, its update loop, pacing, and the exchange with the outside each cycle."""
