"""Effector plug-ins: commands in, action on the world out."""
