"""The planar engine's loops: bodies in the plane, their meetings and impacts, and what their wheels do."""
