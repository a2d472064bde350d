"""Heterogeneous robots: bodies by their parameters, and types drawn at random."""
