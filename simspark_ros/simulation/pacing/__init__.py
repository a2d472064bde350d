"""Sources of time, by the names of pacings: real time, lock-step, as fast as possible, another program's clock."""
