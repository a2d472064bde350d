"""The engines that tests are repeated on."""

from simspark_ros.physics.registry import engine_names


def spatial_engine_names() -> tuple[str, ...]:
    """Names of the engines in whose worlds bodies fall, tip over and jump: all but `planar`."""
    return tuple(name for name in engine_names() if name != "planar")
