"""Motors of joints: commands to them, ideal and realistic ones, their data."""
