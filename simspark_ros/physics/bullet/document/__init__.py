"""The document by which Bullet reads a robot: links and joints, hulls in files, spheres at corners."""
