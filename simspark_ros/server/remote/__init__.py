"""Links to agents that another process serves."""
