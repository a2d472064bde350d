"""The MuJoCo engine."""
