"""Reads URDF and xacro files."""
