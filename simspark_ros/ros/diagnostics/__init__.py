"""Diagnostics of the simulator and of the bridge."""
