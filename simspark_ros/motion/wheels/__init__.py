"""Robots on wheels: how they drive, and how players move on them."""
