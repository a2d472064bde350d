"""What readers of foreign formats make of a file before it is URDF: bodies, joints, devices."""
