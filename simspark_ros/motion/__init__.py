"""Motions of a player: walk, stand up, kick, look, from the readings of the body to speeds of its joints."""
