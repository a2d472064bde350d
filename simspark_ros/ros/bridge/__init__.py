"""The bridge node: ports of classic agents in a process of their own, connected to the simulator over DDS."""
