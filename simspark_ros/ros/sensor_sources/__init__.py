"""Sources of sensors' features for programs on a network: topics, and functions that read their messages."""
