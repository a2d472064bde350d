"""The body of a robot: its frame, height and size, and collisions of its limbs."""
