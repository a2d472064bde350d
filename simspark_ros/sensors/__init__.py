"""Sensors as programs see them: found by model, type or feature, filled by any source. Knows no simulator."""
