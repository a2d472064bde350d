"""Topics of the simulator node, one file for each kind of reading or command."""
