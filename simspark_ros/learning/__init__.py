"""Environments to learn in, for Gymnasium, PettingZoo and Stable-Baselines3; see docs/how_to/learning.md."""
