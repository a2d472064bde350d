"""Effectors that move or take the ball."""
