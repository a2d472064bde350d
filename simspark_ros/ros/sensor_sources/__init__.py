"""Where programs on a network get the features of sensors from: topics, and what reads their messages."""
