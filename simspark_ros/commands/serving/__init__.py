"""Commands that serve, record and replay a simulation."""
