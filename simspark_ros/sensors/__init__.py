"""Sensors as programs of robots see them: found by model, type or feature, whoever fills them. Knows no simulator."""
