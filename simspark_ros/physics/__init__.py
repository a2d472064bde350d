"""Rigid-body worlds behind one protocol: articulated models, static scenes and the engines that step them.

Plug-ins implement `PhysicsEngine`; see docs/engines.md and docs/plugins.md.
"""

from simspark_ros.physics.engine import EngineState, JointControl, PhysicsEngine, PhysicsError

__all__ = ["EngineState", "JointControl", "PhysicsEngine", "PhysicsError"]
