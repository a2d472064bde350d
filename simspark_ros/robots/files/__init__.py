"""Robots' files: the YAML file of a robot, readers of formats in a process of their own, the report."""
