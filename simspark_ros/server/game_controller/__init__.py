"""The simulator in the role of the GameController of the Standard Platform and the Humanoid League."""
