"""Pictures for classic agents, drawn in a process of their own."""
