"""Robots written for other programs, as URDF and MJCF."""
