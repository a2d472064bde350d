"""The classic protocol between agents and server."""
