"""Commands that record topics, and that play recordings."""
