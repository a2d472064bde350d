"""Decisions of the demonstration team's players: from the world model to commands for legs and head."""
