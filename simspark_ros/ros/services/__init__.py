"""Services of the simulator node."""
