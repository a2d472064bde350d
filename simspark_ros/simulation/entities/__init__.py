"""View of the world for programs that know no soccer: entities with names, states and bounds, and named poses."""
