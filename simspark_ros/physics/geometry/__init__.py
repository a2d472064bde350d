"""Rotations and rigid transforms."""
