"""Corrections of the preset `legacy`: forces and contacts by which Bullet moves legacy robots as ODE does."""
