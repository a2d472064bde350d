"""Programs that talk to a server from outside."""
