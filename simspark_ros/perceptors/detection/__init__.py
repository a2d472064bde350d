"""What vision software would find in pictures, from true poses: one detector a camera."""
