"""Loops that serve Bullet alone: over what pybullet lists, and over what lets its robots and balls move as ODE's."""
