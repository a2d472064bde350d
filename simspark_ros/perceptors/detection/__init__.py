"""Detections as by vision software in pictures, from true poses: one detector a camera."""
