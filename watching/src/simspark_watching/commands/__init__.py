"""Commands that show a simulation to people."""
