"""TCP servers of framed messages: ports, connections, limits, log lines."""
