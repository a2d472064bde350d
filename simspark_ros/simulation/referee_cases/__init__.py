"""Referee cases: situations in YAML, what happens in them, and what the referee has to decide."""
