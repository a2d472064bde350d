"""The PyBullet engine."""
