"""The ODE engine."""
