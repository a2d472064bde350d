"""Player plug-ins: programs of robots that run inside the simulation, and the control node that runs them."""
