"""The camera node: draws the pictures of robots' cameras, in a process of its own."""
