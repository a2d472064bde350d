"""Equations by which other engines move robots as ODE does, the engine of the classic server.

README.md in this folder has the equations, their order in a step, and what stays with an engine.
"""
