"""Perceptor plug-ins: the state of the world in, readings of all robots out."""
