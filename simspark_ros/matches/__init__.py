"""Unattended matches and tournaments: start server and teams, watch them, write the result."""
