"""The port of classic agents, and the port of their drawings."""
