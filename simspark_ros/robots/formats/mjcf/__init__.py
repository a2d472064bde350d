"""MJCF, the format of MuJoCo: MuJoCo itself reads it."""
