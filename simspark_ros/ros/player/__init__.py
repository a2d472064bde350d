"""The player node: a player of the demonstration team that uses topics and services alone."""
