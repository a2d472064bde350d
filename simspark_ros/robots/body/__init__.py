"""The body of a robot: its frame and height, how large it is, which of its limbs touch."""
