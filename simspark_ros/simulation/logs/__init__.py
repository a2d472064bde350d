"""What a run leaves behind: hashes, events and everything that entered it, in files that may fail."""
