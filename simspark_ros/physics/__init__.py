"""Rigid-body worlds behind one protocol: articulated models, static scenes and the engines that step them.

Engines implement `EngineCore` (`engine.py`); see docs/explanation/engines.md and docs/how_to/plugins.md. This file
imports nothing, so that models (`model.py`) are described without numpy.
"""
