"""Shows a match in a web browser: a monitor of any server of the classic protocol."""
