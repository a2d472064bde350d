"""The intermediate form of robots in foreign formats, before URDF: bodies, joints, devices."""
