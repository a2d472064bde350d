"""Referee cases: situations in YAML, with their events and the expected decisions of the referee."""
