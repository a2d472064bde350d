"""Pictures for classic agents, drawn in a process of their own, and for players in the simulation, drawn in its own."""
