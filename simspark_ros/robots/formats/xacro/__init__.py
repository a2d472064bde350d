"""Xacro files: what they may compute and read, and their results."""
