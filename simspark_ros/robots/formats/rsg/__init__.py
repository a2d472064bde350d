"""RSG, the scene graphs of SimSpark ("Ruby scene graph")."""
