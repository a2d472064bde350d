"""The classic protocol between monitors and server, and the monitor log."""
