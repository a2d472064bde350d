"""Topics of vision: `seen_objects` and `seen_lines`, and what detectors find in pictures, on three levels."""
