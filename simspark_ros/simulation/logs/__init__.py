"""Logs of a run: hashes, events and all inputs, in files that may fail."""
