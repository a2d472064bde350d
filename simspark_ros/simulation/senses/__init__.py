"""The pass of all perceptors, and its results as percepts and as sensors."""
