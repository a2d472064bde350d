"""Readers of robots' files: one folder for each format, `parts` for what several of them put robots together from."""
