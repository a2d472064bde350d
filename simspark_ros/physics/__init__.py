"""Rigid-body worlds behind one protocol: articulated models, static scenes and the engines that step them.

Engines implement `EngineCore`; see docs/explanation/engines.md and docs/how_to/plugins.md. `create_engine` stays in
`simspark_ros.physics.registry`, whose imports take longer than all that is imported here.
"""

from simspark_ros.physics.engine import (
    EngineCore,
    EngineState,
    JointControl,
    PhysicsEngine,
    PhysicsError,
    RayHits,
    RayTarget,
)

__all__ = [
    "EngineCore",
    "EngineState",
    "JointControl",
    "PhysicsEngine",
    "PhysicsError",
    "RayHits",
    "RayTarget",
]
