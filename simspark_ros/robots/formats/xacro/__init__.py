"""Xacro files: the limits of their expressions and files, and their results."""
