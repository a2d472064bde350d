"""The sockets by which drivers of the real Nao command their robots, as LoLA serves them."""
