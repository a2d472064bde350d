"""Topics of vision: `seen_objects` and `seen_lines`, and detections in pictures, on three levels."""
