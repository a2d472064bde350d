"""Robots and worlds that enter a simulation, from files and requests, and worlds that are saved."""
