"""The camera node: draws what the cameras of robots show, in a process of its own."""
