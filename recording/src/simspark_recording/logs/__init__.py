"""Monitor logs as steps."""
