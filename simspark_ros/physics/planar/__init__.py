"""The planar engine: rigid bodies in the plane z = 0, after the F2000 simulator of 2003 (see `engine`)."""
