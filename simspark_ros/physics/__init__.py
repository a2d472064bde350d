"""Rigid-body worlds behind one protocol: articulated models, static scenes and the engines that step them.

Engines implement `EngineCore` (simspark_ros/physics/engine.py); see docs/engines.md and docs/plugins.md.
"""

from simspark_ros.physics.engine import EngineState, JointControl, PhysicsEngine, PhysicsError

__all__ = ["EngineState", "JointControl", "PhysicsEngine", "PhysicsError"]
