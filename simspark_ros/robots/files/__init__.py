"""Robots' files: the YAML file of a robot, readers of formats in a separate process, the report."""
