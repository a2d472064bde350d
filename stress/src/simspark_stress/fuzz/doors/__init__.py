"""The doors of a server: what each draws, and how its cases are played."""
