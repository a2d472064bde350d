"""Renders monitor logs as videos, without a screen and without a browser."""
