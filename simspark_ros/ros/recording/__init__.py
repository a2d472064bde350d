"""Topics in MCAP files: recording, and replay on topics and for monitors."""
