"""Commands that serve a simulation, and look into a served one."""
