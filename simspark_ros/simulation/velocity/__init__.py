"""Robots that are moved by velocity commands, on feet or wheels."""
